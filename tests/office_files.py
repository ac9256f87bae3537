"""Small documents of the formats that are converted: made here, so that tests know what is in them."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from functools import cache

from PIL import Image


def picture(size: tuple[int, int] = (60, 40)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(out, "PNG")
    return out.getvalue()


@cache
def docx() -> bytes:
    """Headings, bold and italic, a link, bullets, a nested list, numbers, a table with merged cells, a picture."""
    import docx as word
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = word.Document()
    made.add_heading("Annual report", 0)
    made.add_heading("Results", 1)
    text = made.add_paragraph("Revenue ")
    text.add_run("grew").bold = True
    text.add_run(" by ")
    text.add_run("twelve").italic = True
    text.add_run(" percent, see ")
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), text.part.relate_to("https://example.com/figures", RELATIONSHIP_TYPE.HYPERLINK, True))
    run = OxmlElement("w:r")
    shown = OxmlElement("w:t")
    shown.text = "the figures"
    run.append(shown)
    link.append(run)
    text._p.append(link)
    made.add_heading("By region", 2)
    for words, style in (
        ("North", "List Bullet"),
        ("Bergen", "List Bullet 2"),
        ("Oslo", "List Bullet 2"),
        ("South", "List Bullet"),
        ("First count", "List Number"),
        ("Then compare", "List Number"),
    ):
        made.add_paragraph(words, style=style)
    table = made.add_table(3, 3, style="Table Grid")
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Region"
    table.cell(0, 2).text = "2025"
    for row, words in enumerate((("North", "Oslo", "12"), ("South", "Rome", "9")), 1):
        for column, word_ in enumerate(words):
            table.cell(row, column).text = word_
    made.add_picture(io.BytesIO(picture()))
    properties = made.inline_shapes[0]._inline.docPr
    properties.set("descr", "A red rectangle")
    made.add_heading("Outlook", 1)
    made.add_paragraph("Growth continues.")
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def with_linked_pictures(*urls: str) -> bytes:
    """A Word file whose pictures are elsewhere."""
    import docx as word
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml.ns import qn

    made = word.Document()
    made.add_paragraph("Some text")
    for number, url in enumerate(urls):
        made.add_picture(io.BytesIO(picture((60 + number, 40))))
        blip = next(made.inline_shapes[number]._inline.iter(qn("a:blip")))
        del blip.attrib[qn("r:embed")]
        blip.set(qn("r:link"), made.part.relate_to(url, RELATIONSHIP_TYPE.IMAGE, is_external=True))
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def encrypted(data: bytes, password: str) -> bytes:
    """An office file as Word encrypts it."""
    from msoffcrypto.format.ooxml import OOXMLFile

    out = io.BytesIO()
    OOXMLFile(io.BytesIO(data)).encrypt(password, out)
    return out.getvalue()


@cache
def pptx() -> bytes:
    """Two slides: bullets with speaker notes, and a table."""
    from pptx import Presentation
    from pptx.util import Inches

    made = Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Plan"
    body = first.placeholders[1].text_frame
    body.text = "Measure"
    body.add_paragraph().text = "Cut"
    first.notes_slide.notes_text_frame.text = "Say it slowly"
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Costs"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, words in enumerate((("Item", "Price"), ("Saw", "12"))):
        for column, word in enumerate(words):
            table.cell(row, column).text = word
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@cache
def xlsx() -> bytes:
    """Two sheets, merged cells, a number and a formula."""
    from openpyxl import Workbook

    made = Workbook()
    sheet = made.active
    sheet.title = "Sales"
    for row in (("Region", None, "2025"), ("North", "Oslo", 12), ("South", "Rome", 9)):
        sheet.append(row)
    sheet.merge_cells("A1:B1")
    other = made.create_sheet("Staff")
    other.append(("Name", "Age"))
    other.append(("Ada", 36))
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


HTML = b"""<!doctype html><html><head><title>Notes</title></head><body>
<h1>Notes</h1><p>Some <b>bold</b> and <a href="https://example.com/x">linked</a> text.</p>
<h2>List</h2><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<table><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>
<pre><code>print(1)</code></pre>
<figure><img src="http://127.0.0.1:9/never.png" alt="A chart"><figcaption>Figure 1: a chart</figcaption></figure>
</body></html>"""

MD = b"""# Notes

Some **bold**, *italic* and `code` text with a [link](https://example.com/x).

## List

- one
  - inner
- two

1. first
2. second

| A | B |
|---|---|
| 1 | 2 |

```python
print(1)
```

![A picture](http://127.0.0.1:9/never.png)
"""

RTF = rb"{\rtf1\ansi{\b Notes}\par Some text that was written long ago.\par}"

CSV = b"Name,Age\nAda,36\nGrace,45\n"

ASCIIDOC = b"= Notes\n\nSome text.\n\n== List\n\n* one\n* two\n\n|===\n|A |B\n|1 |2\n|===\n"

LATEX = rb"""\documentclass{article}
\title{Notes}
\begin{document}
\section{First}
Some \textbf{bold} text with $a^2$.
\begin{itemize}
\item one
\item two
\end{itemize}
\begin{equation}
E = mc^2
\end{equation}
\end{document}
"""

VTT = b"WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nHello there.\n\n00:00:05.000 --> 00:00:08.000\nAnd goodbye.\n"

JATS = b"""<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.2//EN"
"JATS-archivearticle1.dtd">
<article><front><article-meta><title-group><article-title>On saws</article-title></title-group>
<abstract><p>Saws cut.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>We cut wood.</p></sec></body></article>"""

USPTO = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-application SYSTEM "us-patent-application-v44-2014-04-03.dtd" [ ]>
<us-patent-application><us-bibliographic-data-application><invention-title>A saw</invention-title>
</us-bibliographic-data-application><abstract><p>It cuts.</p></abstract>
<description><heading level="1">BACKGROUND</heading><p>Saws are old.</p></description>
<claims><claim><claim-text>1. A saw.</claim-text></claim></claims></us-patent-application>"""

DOCLANG = b"""<doclang version="1.0.0"><heading level="1">Notes</heading><text>Some text.</text></doclang>"""

MHTML = (
    b"From: <saved>\r\nSubject: Notes\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/related; type="text/html"; boundary="B"\r\n\r\n'
    b"--B\r\nContent-Type: text/html; charset=utf-8\r\nContent-Location: http://example.com/\r\n\r\n"
    b"<html><body><h1>Saved</h1><p>A page.</p></body></html>\r\n--B--\r\n"
)


@cache
def eml() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.com", "bob@example.com", "Saws"
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    message.set_content("The saws have arrived.\n")
    message.add_attachment(CSV, maintype="text", subtype="csv", filename="people.csv")
    return message.as_bytes()


@cache
def epub() -> bytes:
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": (
            '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>"
        ),
        "content.opf": (
            '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Saws</dc:title>'
            '<dc:identifier id="i">1</dc:identifier><dc:language>en</dc:language></metadata>'
            '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>'
        ),
        "a.xhtml": (
            '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head>'
            "<body><h1>Chapter one</h1><p>It was sharp.</p></body></html>"
        ),
    }
    return archive(members)


def odf(kind: str, body: str) -> bytes:
    """An OpenDocument file of the kind `text`, `spreadsheet` or `presentation`."""
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    names = {"draw": "drawing"} | {name: name for name in ("office", "text", "table", "presentation", "style")}
    spaces = "".join(f' xmlns:{short}="{office}{name}:1.0"' for short, name in names.items())
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    return archive(
        {
            "mimetype": media_type,
            "content.xml": (
                f'<?xml version="1.0"?><office:document-content{spaces} office:version="1.2"><office:body>'
                f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
            ),
            "styles.xml": f'<?xml version="1.0"?><office:document-styles{spaces} office:version="1.2"/>',
            "meta.xml": f'<?xml version="1.0"?><office:document-meta{spaces} office:version="1.2"/>',
            "META-INF/manifest.xml": (
                '<?xml version="1.0"?><manifest:manifest '
                'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">'
                f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media_type}"/>'
                + "".join(
                    f'<manifest:file-entry manifest:full-path="{part}.xml" manifest:media-type="text/xml"/>'
                    for part in ("content", "styles", "meta")
                )
                + "</manifest:manifest>"
            ),
        }
    )


@cache
def odt() -> bytes:
    return odf("text", '<text:h text:outline-level="1">Notes</text:h><text:p>Some text.</text:p>')


def _row(*words: str) -> str:
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{word}</text:p></table:table-cell>' for word in words
    )
    return f"<table:table-row>{cells}</table:table-row>"


@cache
def ods() -> bytes:
    return odf("spreadsheet", f'<table:table table:name="Sales">{_row("Name", "Age")}{_row("Ada", "36")}</table:table>')


@cache
def odp() -> bytes:
    return odf(
        "presentation",
        '<draw:page draw:name="one"><draw:frame presentation:class="title"><draw:text-box><text:p>Plan</text:p>'
        "</draw:text-box></draw:frame></draw:page>",
    )


def archive(members: dict[str, str | bytes]) -> bytes:
    """A ZIP archive of these members, the first of them not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for number, (name, content) in enumerate(members.items()):
            made.writestr(name, content, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED)
    return out.getvalue()


def docling_json() -> bytes:
    from docling_core.types.doc import DoclingDocument
    from docling_core.types.doc.labels import DocItemLabel

    made = DoclingDocument(name="notes")
    made.add_title("Notes")
    made.add_text(DocItemLabel.PARAGRAPH, "Some text.")
    return made.model_dump_json(exclude_none=True).encode()


def all_of_them() -> dict[str, bytes]:
    """A document of every format, by its file name."""
    return {
        "report.docx": docx(),
        "plan.pptx": pptx(),
        "sales.xlsx": xlsx(),
        "page.html": HTML,
        "notes.md": MD,
        "plain.txt": b"Plain text\n\nin two paragraphs.\n",
        "people.csv": CSV,
        "notes.adoc": ASCIIDOC,
        "notes.tex": LATEX,
        "talk.vtt": VTT,
        "article.nxml": JATS,
        "patent.xml": USPTO,
        "notes.dclg": DOCLANG,
        "saved.mhtml": MHTML,
        "mail.eml": eml(),
        "book.epub": epub(),
        "notes.odt": odt(),
        "sales.ods": ods(),
        "plan.odp": odp(),
        "notes.json": docling_json(),
    }
