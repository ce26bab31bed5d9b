// Sort a table by the column whose heading is clicked; a second click turns the order round.
// A metric is a tbody of its own, with its reason in a second row, or a row of the one tbody.
for (const table of document.querySelectorAll("table")) {
  const entries = () => table.tBodies.length > 1 ? [...table.tBodies] : [...table.tBodies[0].rows];
  const cell = (entry, column) => (entry.rows ? entry.rows[0] : entry).cells[column].innerText.trim();
  const number = (text) => parseFloat(text.replaceAll(",", ""));
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      const column = heading.cellIndex;
      const keyed = entries().map((entry) => [cell(entry, column), entry]);
      keyed.sort(([a], [b]) => turn * (number(a) - number(b) || a.localeCompare(b, "en", { numeric: true })));
      for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
      const parent = keyed.length ? keyed[0][1].parentNode : null;
      for (const [, entry] of keyed) parent.append(entry);
    });
  }
}
