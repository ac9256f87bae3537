"""Make the receipts that the guide to learning and its tests read: `python scripts/make_receipts.py [FOLDER]`.

Twenty receipts of two invented shops, with their values in `values.jsonl`. What they call things is unusual on purpose:
what is paid is "to settle", the number of the ticket stands alone at the bottom. The same files every time.
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from random import Random
from typing import NamedTuple

from reportlab.pdfgen.canvas import Canvas

RECEIPTS = Path(__file__).parent.parent / "examples" / "receipts"
NUMBER = 20
SIZE = (230.0, 380.0)
GOODS = ("Rope", "Lamp oil", "Tar", "Sail cloth", "Biscuits", "Tea", "Candles", "Twine")
PEOPLE = ("Anna Berg", "Ole Lind", "Mia Strand", "Tom Falk", "Ida Holm", "Per Dahl")


class Receipt(NamedTuple):
    name: str
    content: bytes
    values: dict[str, str]


def receipts() -> list[Receipt]:
    return [_receipt(number) for number in range(1, NUMBER + 1)]


def _receipt(number: int) -> Receipt:
    random = Random(number)
    shop = ("Northlight Chandlers", "The Lantern Pantry")[number % 2]
    goods = [(name, random.randint(100, 3000)) for name in random.sample(GOODS, random.randint(2, 5))]
    crates = random.randint(1, 9) * 50
    total = sum(price for _, price in goods) + crates
    given = total + random.randint(1, 40) * 25
    day = f"2031-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    clerk, ticket = random.choice(PEOPLE), f"{random.choice('KLMR')}{random.randint(1000, 9999)}-{number:02}"
    year, month, date = day.split("-")
    lines = [(shop, ""), ("Harbour Street 4, Port Aurora", ""), (f"{date}.{month}.{year}", f"{9 + number % 8}:15")]
    lines += [(name, _amount(price)) for name, price in goods]
    if number % 2:
        lines += [("Goods", _amount(total - crates)), ("Crates lent", _amount(crates)), ("To settle", _amount(total))]
        lines += [("You gave", _amount(given)), ("You got back", _amount(given - total))]
        lines += [(f"{clerk} looked after you", "")]
    else:
        lines += [("Crates", _amount(crates)), ("You gave", _amount(given)), ("We settle at", _amount(total))]
        lines += [("Back", _amount(given - total)), (f"At your service: {clerk}", "")]
    lines += [(ticket, "")]
    values = {"shop": shop, "date": day, "total": _amount(total), "clerk": clerk, "ticket": ticket}
    return Receipt(f"receipt-{number:02}.pdf", _printed(lines), values)


def _amount(cents: int) -> str:
    return f"{cents / 100:.2f}"


def _printed(lines: list[tuple[str, str]]) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=SIZE, invariant=1)
    for at, (left, right) in enumerate(lines):
        y = SIZE[1] - 40 - 22 * at
        canvas.setFont("Helvetica-Bold" if at == 0 else "Helvetica", 13 if at == 0 else 10)
        canvas.drawString(20, y, left)
        canvas.drawRightString(SIZE[0] - 20, y, right)
    canvas.save()
    return buffer.getvalue()


def main(folder: Path = RECEIPTS) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = receipts()
    for one in made:
        (folder / one.name).write_bytes(one.content)
    rows = [json.dumps({"file": one.name, "values": one.values}) for one in made]
    (folder / "values.jsonl").write_text("".join(f"{row}\n" for row in rows))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
