// Sort a table by the column whose heading is pressed; a second press turns the order round.
// A metric is a tbody of its own, with its reason in a second row, or a row of the one tbody.
for (const table of document.querySelectorAll("table")) {
  const entries = () => [...(table.classList.contains("metrics") ? table.tBodies : table.tBodies[0].rows)];
  const cell = (entry, column) => (entry.rows ? entry.rows[0] : entry).cells[column];
  const key = (cell) => cell.dataset.order ?? cell.textContent.trim();
  const number = (text) => parseFloat(text.replaceAll(",", ""));
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      const keyed = entries().map((entry) => [key(cell(entry, heading.cellIndex)), entry]);
      keyed.sort(([a], [b]) => turn * (number(a) - number(b) || a.localeCompare(b, "en", { numeric: true })));
      for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
      for (const [, entry] of keyed) entry.parentNode.append(entry);
    });
  }
}
