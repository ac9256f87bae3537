"""Documents of kinds that have no words of their own in the rules: a payslip, a delivery note, a lab report."""

from __future__ import annotations

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

import quire
from quire.evidence.extract.values import Extraction
from tests.documents import Pen, drawn

pytestmark = pytest.mark.both_readers

GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
RULED = [("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)]


def payslip(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for row, (label, value) in enumerate(
        (("Employee", "Maria Okafor"), ("Tax Code", "1257L"), ("Department", "Quay"), ("Notice", "30 days"))
    ):
        canvas.drawString(50, 740 - 15 * row, label)
        canvas.drawString(160, 740 - 15 * row, value)
    rows = [["Payments", "Hours", "Amount"], ["Basic pay", "160.00", "2,800.00"], ["Overtime", "8.00", "210.00"]]
    Pen(canvas, top=160).table(rows, RULED, [200, 80, 100])
    for row, (label, value) in enumerate((("Gross pay", "£3,010.00"), ("Net pay", "£2,309.86"))):
        canvas.setFont("Helvetica", 10)
        canvas.drawString(320, 460 - 15 * row, label)
        canvas.drawRightString(510, 460 - 15 * row, value)


def delivery(canvas: Canvas) -> None:
    for left, label, value in ((50, "Shipper", "Nordwind Werke"), (300, "Gross weight (kg)", "1 284,5")):
        canvas.rect(left, 700, 200, 50)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(left + 4, 738, label)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(left + 6, 720, value)
    Pen(canvas, top=160).table([["Pos", "Article", "Qty"], ["1", "NW-100", "4"], ["2", "NW-220", "12"]], GRID)


def laboratory(canvas: Canvas) -> None:
    rows = [["Test", "Result", "Unit"], ["Hemoglobin", "12.9", "g/dL"], ["Ferritin", "9", "ng/mL"]]
    Pen(canvas, top=160).table(rows, RULED, [140, 80, 80])


def order(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawString(50, 770, "Vendor")
    canvas.drawString(300, 770, "Ship to")
    canvas.setFont("Helvetica", 10)
    for row, (left, right) in enumerate(
        (
            ("Cobalt Tools Inc.", "Riverside Workshop"),
            ("400 Mill Rd", "77 Dock St"),
            ("Akron, OH 44308", "Elyria, OH 44035"),
        )
    ):
        canvas.drawString(50, 756 - 12 * row, left)
        canvas.drawString(300, 756 - 12 * row, right)
    canvas.drawString(
        50, 700, "Order date: 10/02/2025    Required by: 10/20/2025    Terms: Net 30    Buyer: J. Alvarez"
    )
    canvas.drawString(50, 660, "Our insurance - Policy No. HR 4471-220-9")
    canvas.drawString(50, 640, "Sincerely, call 0800 123 4567.")


def letter(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    canvas.drawString(400, 740, "3 November 2025")
    canvas.drawString(50, 700, "Dear Dr Brandt,")
    canvas.drawString(50, 670, "Your cover starts on 1 January 2026 and ends on 31 December 2026. The sum insured is")
    canvas.drawString(50, 656, "£85,000. The annual premium of £214.80 is due in January.")


def account(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for row, (label, value) in enumerate((("Account holder:", "Jonas Lindqvist"), ("BIC:", "ESSESESS"))):
        canvas.drawString(50, 740 - 15 * row, label)
        canvas.drawString(180, 740 - 15 * row, value)
    rows = [["Date", "Description", "Debit"], ["01.08.2025", "Rent", "9,500.00"], ["25.08.2025", "Card", "17.75"]]
    Pen(canvas, top=160).table(rows, RULED, [100, 200, 80])


def found(draw, fields: str) -> dict[str, object]:
    return dict(quire.extract(drawn(draw), fields=fields).values)


def rows_of(draw, *names: str) -> list[tuple[object, ...]]:
    row = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    extraction: Extraction = quire.extract(drawn(draw), schema)
    return [tuple(row.values()) for row in extraction.values["rows"]]


def test_a_field_whose_name_has_one_word_of_another_is_not_taken_for_that():
    assert found(payslip, "tax code, gross pay, net pay, department") == {
        "tax_code": "1257L",
        "gross_pay": "£3,010.00",
        "net_pay": "£2,309.86",
        "department": "Quay",
    }
    assert found(payslip, "notice") == {"notice": "30 days"}, "all of it"
    assert found(payslip, "employer") == {"employer": None}, "the employee"
    assert found(account, "account holder, bic") == {"account_holder": "Jonas Lindqvist", "bic": "ESSESESS"}


def test_labels_above_values_in_boxes_are_found_with_their_unit():
    assert found(delivery, "shipper, gross weight") == {"shipper": "Nordwind Werke", "gross_weight": "1 284,5"}


def test_labels_that_share_a_line_have_their_own_values():
    assert found(order, "order date, required by, terms, buyer") == {
        "order_date": "2025-10-02",
        "required_by": "2025-10-20",
        "terms": "Net 30",
        "buyer": "J. Alvarez",
    }


def test_an_address_beside_another_is_found_line_by_line():
    (address,) = quire.extract(drawn(order), fields="vendor address").evidence.values()
    assert (address.status, address.quote) == ("found", "400 Mill Rd\nAkron, OH 44308")


def test_a_code_with_letters_before_it_is_whole_and_no_label_of_the_next_line():
    assert found(order, "policy number, phone") == {"policy_number": "HR 4471-220-9", "phone": "0800 123 4567"}


def test_values_in_the_sentences_of_a_letter_are_those_that_their_words_name():
    assert found(letter, "start date, end date, sum insured, annual premium") == {
        "start_date": "2026-01-01",
        "end_date": "2026-12-31",
        "sum_insured": "£85,000",
        "annual_premium": "£214.80",
    }


def test_the_value_of_a_row_is_the_one_beside_its_head():
    assert found(laboratory, "hemoglobin, ferritin") == {"hemoglobin": "12.9", "ferritin": "9"}


def test_columns_are_understood_by_abbreviations_and_by_what_they_hold():
    assert rows_of(delivery, "position", "article", "quantity") == [("1", "NW-100", "4"), ("2", "NW-220", "12")]
    assert rows_of(payslip, "description", "hours", "amount")[0] == ("Basic pay", "160.00", "2,800.00")


def test_the_dates_of_a_column_are_read_in_one_way():
    assert [row[0] for row in rows_of(account, "date", "description")] == ["2025-08-01", "2025-08-25"]
