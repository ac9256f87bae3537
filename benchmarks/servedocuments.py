"""Small documents for the server, no two of them alike: one page of Markdown, and one page of PDF."""

from __future__ import annotations

from random import Random

TEXT = (
    "harbour ledger vessel cargo tariff north season record measure supply figure annual weight customs anchor report "
    "timber coal grain water freight signal office letter market storage winter summer morning account balance value"
)
WORDS = TEXT.split(" ")
LINES = 34


def markdown(number: int) -> bytes:
    """A page with headings, paragraphs, a list and a table; about 2 KB."""
    words = Random(number)
    paragraphs = "\n\n".join(_sentence(words, 40) for _ in range(4))
    items = "\n".join(f"- {_sentence(words, 8)}" for _ in range(5))
    rows = "\n".join(f"| {words.choice(WORDS)} | {words.randrange(10_000)} | {words.random():.3f} |" for _ in range(6))
    return (
        f"# Report {number}\n\n{paragraphs}\n\n## Items\n\n{items}\n\n## Figures\n\n"
        f"| item | count | share |\n| --- | --- | --- |\n{rows}\n"
    ).encode()


def pdf(number: int) -> bytes:
    """A page with a heading and a column of text; about 4 KB, not compressed."""
    words = Random(number)
    lines = [_sentence(words, 12) for _ in range(LINES)]
    shown = "".join(f"({line}) Tj T*\n" for line in lines)
    content = (f"BT /F2 18 Tf 72 770 Td (Report {number}) Tj ET\nBT /F1 10.5 Tf 14 TL 72 735 Td\n{shown}ET").encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
    ]
    data, places = b"%PDF-1.7\n", []
    for index, one in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (index, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, len(data))
    )


def _sentence(words: Random, count: int) -> str:
    return " ".join(words.choice(WORDS) for _ in range(count)).capitalize() + "."
