"""The report in a real browser: three widths, light and dark, and on paper."""

import base64
import json
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from assay.judge.signoff import Gate
from assay.report import html
from needs import without
from synthetic import cluster, daos_system, judgement, mixed, signed

pytestmark = pytest.mark.browser

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
NAMES = ["a-very-long-host-name-of-a-rack-" + "0" * 30 + f"{n}.storage.example.org" for n in (1, 2)]
LONG = signed(
    cluster(),
    Gate.ACCEPTANCE,
    [
        judgement([123456.0, 234567.0], 150000.0, 999999.0, subject=">".join(NAMES)),
        judgement(problems=["x" * 500], subject=NAMES[0]),
    ],
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if CHROMIUM is None or DRIVER is None:
        without("chromium or chromedriver is not installed (Debian: chromium, chromium-driver)")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A report beside the raw outputs that its judgements name."""
    directory = tmp_path_factory.mktemp("bundle")
    sign_off = mixed()
    for judged in sign_off.judgements:
        for path in judged.raw:
            raw = directory / path
            raw.parent.mkdir(parents=True, exist_ok=True)
            raw.write_text("{}")
    (directory / "report.html").write_text(html.render(sign_off), encoding="utf-8")
    (directory / "long.html").write_text(html.render(LONG), encoding="utf-8")
    system = html.render(daos_system(servers=5, clients=4))
    (directory / "daos.html").write_text(system, encoding="utf-8")
    return directory


def show(browser, page, width, scheme="light"):
    """Open a page in a window of `width` CSS pixels, with nothing logged before."""
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(page.as_uri())


def requested(browser):
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def luminance(colour):
    """Of an `rgb(r, g, b)`, as WCAG 2 defines it."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 900, 1600])
@pytest.mark.parametrize("name", ["report", "long", "daos"])
def test_the_report_is_whole_at_every_width(browser, bundle, name, width, scheme):
    page = bundle / f"{name}.html"
    show(browser, page, width, scheme)
    assert browser.get_log("browser") == []
    assert [url for url in requested(browser) if not url.startswith("data:")] == [page.as_uri()]
    assert browser.execute_script("return document.documentElement.scrollWidth") == width
    headline = browser.find_element("css selector", "h1")
    assert headline.is_displayed()
    assert headline.location["y"] < 100
    assert headline.text.startswith(("NOT ACCEPTED", "ACCEPTED"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_the_page(browser, bundle, scheme):
    show(browser, bundle / "report.html", 1600, scheme)
    paper, *inks = browser.execute_script(
        """
        const colour = (element) => getComputedStyle(element).color;
        return [getComputedStyle(document.body).backgroundColor,
                ...new Set([...document.querySelectorAll("body *")].map(colour))];
        """
    )
    assert (luminance(paper) > 0.5) == (scheme == "light")
    for ink in inks:
        light, dark = sorted((luminance(paper), luminance(ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{ink} on {paper}"


def test_charts_follow_the_scheme(browser, bundle):
    def colours(scheme):
        show(browser, bundle / "report.html", 900, scheme)
        return browser.execute_script(
            """
            const seen = [...document.querySelectorAll("svg [fill^=var]")];
            return [...new Set(seen.map((mark) => getComputedStyle(mark).fill))];
            """
        )

    light, dark = colours("light"), colours("dark")
    assert len(light) == len(dark) > 4
    assert not set(light) & set(dark)


def test_links_lead_to_files_of_the_bundle(browser, bundle):
    show(browser, bundle / "report.html", 900)
    links = browser.execute_script("return [...document.links].map((link) => link.href)")
    raw = [link for link in links if "#" not in link]
    assert raw
    assert all(Path(unquote(urlsplit(link).path)).is_file() for link in raw)
    inside = [urlsplit(link).fragment for link in links if "#" in link]
    assert all(browser.find_elements("id", fragment) for fragment in inside)


def test_every_table_can_be_sorted_by_keyboard(browser, bundle):
    """By the verdict, and once more: the other way round. What is told of a metric goes with it."""
    show(browser, bundle / "daos.html", 900)
    bare = browser.find_elements("css selector", "thead th:not(:has(button))")
    assert bare == []
    table = browser.find_element("css selector", "#ssd table.metrics")
    rows = "return [...arguments[0].tBodies].map(b => [b.rows.length, b.rows[0].innerText])"
    before = browser.execute_script(rows, table)
    heading = table.find_element("css selector", "th")

    def press():
        heading.find_element("tag name", "button").send_keys("\ue007")  # the key Enter
        verdicts = [text.split()[1] for _, text in browser.execute_script(rows, table)]
        return heading.get_attribute("aria-sort"), verdicts[0], verdicts[-1]

    assert press() == ("ascending", "below", "pass")
    assert press() == ("descending", "pass", "below")
    assert sorted(browser.execute_script(rows, table)) == sorted(before)


def test_figures_are_sorted_as_numbers(browser, bundle):
    show(browser, bundle / "daos.html", 900)
    table = browser.find_element("css selector", "#ssd table.metrics")
    table.find_element("xpath", ".//button[text()='Median']").click()
    medians = [cell.text for cell in table.find_elements("class name", "median")]
    figures = [float(median.replace(",", "")) for median in medians]
    assert figures == sorted(figures)
    assert figures[0] < 10_000 < figures[-1]


def test_a_map_names_the_outlier(browser, bundle):
    show(browser, bundle / "daos.html", 900)
    shown = browser.find_element("css selector", "#network .maps").text
    assert "Outliers: SelfTestCrossServer.put_1m on s2/engine0>s5/engine1." in shown
    chain = browser.find_element("id", "chain").text
    assert "holds it back" in chain


@pytest.mark.parametrize("name", ["report", "daos"])
def test_on_paper_it_is_light_and_has_pages(browser, bundle, tmp_path, name):
    show(browser, bundle / f"{name}.html", 900, "dark")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert luminance(paper) > 0.9
    # Chromium does not repeat headings with a button, which is a box of its own, on each page.
    heading = "return getComputedStyle(document.querySelector('thead button')).display"
    assert browser.execute_script(heading) == "contents"
    # Half of a legend had a page for itself, and nobody scrolls paper.
    computed = "return [...document.querySelectorAll('{}')].map(e => getComputedStyle(e).{})"
    for selector, style, value in (
        (".layer .legend", "breakInside", "avoid"),
        (".layer .legend", "breakAfter", "avoid"),
        (".sideways", "display", "none"),
    ):
        assert set(browser.execute_script(computed.format(selector, style))) <= {value}
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    paper = base64.b64decode(printed["data"])
    assert paper.startswith(b"%PDF")
    (tmp_path / f"{name}.pdf").write_bytes(paper)
