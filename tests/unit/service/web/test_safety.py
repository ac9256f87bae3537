"""What a document says never becomes code; the key is asked for once and stays in its tab; the policy holds."""

from __future__ import annotations

from playwright.sync_api import expect

from tests import documents
from tests.unit.service.api.conftest import serving
from tests.unit.service.web.conftest import drawn

EVIL = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>"


def evil_document() -> bytes:
    def draw(canvas):
        pen = documents.Pen(canvas)
        pen.heading(f"{EVIL}\"'><svg onload=window.harmed=1>")
        pen.text("javascript:window.harmed=1 {{constructor.constructor('window.harmed=1')()}} " + documents.prose(3))
        rows = [["<b>Name</b>", "=cmd()"], [EVIL[:40], "<iframe src=javascript:window.harmed=1>"]]
        pen.table(rows, [("GRID", (0, 0), (-1, -1), 0.5, "black")])

    return documents.drawn(draw)


def test_markup_in_texts_and_names_stays_text(page, server):
    name = "<img src=x onerror=window.harmed=1>.pdf"
    document = server.read(evil_document(), name)
    page.goto(server.url)
    row = page.locator(f".document[data-document='{document}']")
    expect(row).to_contain_text(name)
    row.get_by_role("link").first.click()
    drawn(page, 1)
    expect(page.locator("h1")).to_have_text(name)
    for tab in ("Text", "Blocks", "Tables", "Markdown", "JSON", "Reading"):
        page.get_by_role("tab", name=tab).click()
        expect(page.locator("#panel-body > *")).to_be_visible()
    page.get_by_label("Search in the document").fill("<script>")
    expect(page.locator(".found-hit").first).to_contain_text("<script>")
    page.get_by_role("tab", name="Text").click()
    expect(page.locator(".panel .piece").first).to_contain_text("onerror=window.harmed=1")
    assert page.evaluate("window.harmed") is None
    assert page.locator("#main iframe, #main script, #main svg[onload], img[onerror]").count() == 0


def test_nothing_but_the_files_of_the_server_runs(page, server, complaints):
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible()
    ran = page.evaluate(
        """() => new Promise((resolve) => setTimeout(() => {  // of its own, without the rights of the test
          const ran = [];
          try { document.body.innerHTML = "<p>html</p>"; ran.push("html"); } catch {}
          try { ran.push(eval("'eval'")); } catch {}
          const script = document.createElement("script");
          try { script.textContent = "window.inline = 1"; document.body.append(script); } catch {}
          if (window.inline) ran.push("inline");
          resolve(ran);
        }))"""
    )
    assert ran == []
    complaints.clear()  # the browser says what it has blocked


def test_the_key_is_asked_for_once_and_kept_in_the_tab(page, context, folder, server, samples, complaints):
    with serving(folder, idle=True, api_key="open sesame") as locked:
        page.goto(locked.url)
        key = page.get_by_label("Key", exact=True)
        key.fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("dialog")).to_contain_text("not accepted")
        key.fill("open sesame")
        page.keyboard.press("Enter")
        expect(page.locator(".document").first).to_be_visible()  # the latest ones: which depends on the tests before
        page.goto(f"{locked.url}/#/documents/{samples.sample}?page=2")
        drawn(page, 2)
        page.reload()
        drawn(page, 2)
        expect(page.locator("dialog")).to_have_count(0)
        with page.expect_download() as saving:
            page.get_by_role("button", name="Download").click()
            page.get_by_role("button", name="Markdown").click()
        assert saving.value.suggested_filename == "sample.md"
        assert "sesame" not in page.url and page.evaluate("JSON.stringify(localStorage)").find("sesame") < 0
        other = context.new_page()
        other.goto(locked.url)
        expect(other.get_by_label("Key", exact=True)).to_be_visible()
        other.close()
    assert all("401" in said for said in complaints)
    complaints.clear()
