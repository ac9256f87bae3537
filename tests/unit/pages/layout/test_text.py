"""The text of a block: words joined, marks kept, emphasis and links."""

from __future__ import annotations

import pytest

import quire
from tests import documents
from tests.documents import Piece, listed, placed, prose, wrapped


def marked(block: quire.Block) -> list[tuple[str, set[str]]]:
    """The emphasised texts, each with its emphasis."""
    names = ("bold", "italic", "superscript", "subscript", "code", "link")
    return [(block.text[s.start : s.end], {name for name in names if getattr(s, name)}) for s in block.spans]


def text_of(*lines: str) -> str:
    (block,) = quire.read(placed(listed(lines, 72, 100))).blocks
    return block.text


def test_ligatures_are_read_as_their_letters():
    text = quire.read(documents.ligatures_and_soft_hyphens()).blocks[0].text
    assert "The office opens" in text
    assert "Ships flow into" in text


def test_a_soft_hyphen_at_a_line_end_joins_the_word():
    text = quire.read(documents.ligatures_and_soft_hyphens()).blocks[0].text
    assert "the harbour\nall day long." in text
    assert "\u00ad" not in text


def test_the_rest_of_a_broken_word_moves_up_and_the_line_breaks_after_it():
    assert text_of("The captain was remem-", "bered by all.") == "The captain was remembered\nby all."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("They saw the left-", "and right-hand quays."),
        ("in the years 1998-", "2004, every spring,"),
        ("It ended - as all things do -", "in the harbour."),
    ],
)
def test_a_hyphen_that_breaks_no_word_stays_at_the_line_end(first, second):
    assert text_of(first, second) == f"{first}\n{second}"


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("the crew was Anglo-", "Saxon by birth.", "Anglo-Saxon"),
        ("a crew of seventy-", "five men sailed.", "seventy-five"),
        ("a state-of-the-", "art ship sailed.", "state-of-the-art"),
    ],
)
def test_a_compound_broken_at_its_hyphen_keeps_it(first, second, joined):
    assert joined in text_of(first, second)


def test_a_compound_known_from_the_page_keeps_its_hyphen():
    text = quire.read(documents.broken_words()).blocks[0].text
    assert "well-known ship, well-known\nin every port" in text


def test_raised_and_lowered_type_is_kept_as_spans():
    block = quire.read(documents.superscripts()).blocks[0]
    assert block.text == "x2 grows, H2O flows on the 4th day."
    assert marked(block) == [("2", {"superscript"}), ("2", {"subscript"}), ("th", {"superscript"})]


def test_the_mark_of_a_footnote_is_a_superscript():
    block = quire.read(documents.footnotes()).blocks[1]
    assert block.text == "In that year 412 vessels1 entered the bay."
    assert marked(block) == [("1", {"superscript"})]


def test_emphasis_is_kept_as_spans():
    block = quire.read(documents.emphasis()).blocks[0]
    assert marked(block) == [
        ("grey heron", {"bold"}),
        ("at dawn", {"italic"}),
        ("log.txt", {"code"}),
        ("never late", {"bold", "italic"}),
    ]


def test_plain_text_has_no_spans():
    assert quire.read(documents.simple()).blocks[1].spans == ()


def test_a_link_is_a_span_with_its_address():
    block = next(block for block in quire.read(documents.links_and_outline()).blocks if "tide tables" in block.text)
    assert [span.link for span in block.spans] == ["https://example.org/tides"]
    assert marked(block)[0][0].startswith("See the tide tables")


def test_a_link_within_the_document_is_no_address():
    block = next(
        block for block in quire.read(documents.links_and_outline()).blocks if block.text == "Go to departure."
    )
    assert block.spans == ()


def test_spans_stand_right_after_a_joined_word():
    (block,) = quire.read(documents.link_after_broken_word()).blocks
    assert block.text == "All the pilots of the old town remembered\nthe storm and its tide tables well."
    assert marked(block) == [("storm", {"bold"}), ("tide tables", {"link"})]


def test_a_bold_word_broken_at_a_line_end_is_one_span():
    pieces = [
        Piece(72, 100, "The pilots all"),
        Piece(72 + 66, 100, "remem-", font="Times-Bold"),
        Piece(72, 113, "bered", font="Times-Bold"),
        Piece(72 + 32, 113, "the storm."),
    ]
    (block,) = quire.read(placed(pieces)).blocks
    assert block.text == "The pilots all remembered\nthe storm."
    assert marked(block) == [("remembered", {"bold"})]


def test_spans_stay_within_the_text():
    for build in (documents.emphasis, documents.superscripts, documents.link_after_broken_word, documents.formula):
        for block in quire.read(build()).blocks:
            ends = [(span.start, span.end) for span in block.spans]
            assert all(0 <= start < end <= len(block.text) for start, end in ends)
            assert ends == sorted(ends)


def test_paragraphs_end_at_white_space():
    pieces = wrapped(prose(5), 72, 90, 450) + wrapped(prose(5, start=2), 72, 170, 450)
    assert len(quire.read(placed(pieces)).blocks) == 2


def test_paragraphs_begin_with_an_indented_line():
    first, second = wrapped(prose(5), 72, 90, 450), wrapped(prose(6, start=2), 72, 0, 450)
    below = first[-1].y + 13.125
    second = [piece._replace(y=below + piece.y, x=90 if i == 0 else 72) for i, piece in enumerate(second)]
    blocks = quire.read(placed([*first, *second])).blocks
    assert [block.text.split()[0] for block in blocks] == ["The", "When"]


def test_a_ragged_line_in_a_narrow_column_does_not_end_its_paragraph():
    pieces = wrapped("Four begins. " + prose(6, start=3), 60, 100, 145)
    assert len(quire.read(placed(pieces)).blocks) == 1


def test_the_last_short_line_stays_with_its_paragraph():
    text = prose(5, start=6) + " Then it was over."
    pieces = wrapped("Columns. " + prose(5), 60, 100, 145) + wrapped("More. " + prose(5), 225, 100, 300)
    blocks = quire.read(placed([*pieces, *wrapped(text, 60, 300, 470)])).blocks
    assert " ".join(blocks[-1].text.split()) == text


def test_the_words_of_a_line_written_in_pieces_are_joined():
    pieces = [Piece(72, 100, "The harbour"), Piece(130, 100, "office keeps"), Piece(192, 100, "a ledger.")]
    assert quire.read(placed(pieces)).blocks[0].text == "The harbour office keeps a ledger."


def test_a_drop_cap_begins_the_first_word_of_its_paragraph():
    text = quire.read(documents.drop_cap()).to_text()
    assert text.startswith("The harbour office")


def test_a_paragraph_with_a_drop_cap_is_one_block():
    assert [block.kind for block in quire.read(documents.drop_cap()).blocks] == ["paragraph"]


def _clause(number: str, top: float) -> list[Piece]:
    """A clause of a contract: the number is indented and followed by a tab, the lines below it are not indented."""
    text = prose(8)
    first = wrapped(text, 144, top, 378)[0]
    rest = wrapped(text.removeprefix(first.text).strip(), 72, top + 13, 450)
    return [Piece(108, top, number), first, *rest]


def test_a_clause_whose_first_line_is_indented_is_one_block():
    tops = (90, 240, 390)
    pieces = [piece for number, top in enumerate(tops, start=1) for piece in _clause(f"{number}.", top)]
    blocks = quire.read(placed(pieces)).blocks
    assert [block.marker for block in blocks] == ["1.", "2.", "3."]


def test_a_clause_goes_on_at_the_margin_after_a_sentence_that_fills_its_line():
    def clause(marker: str, top: float) -> list[Piece]:
        first = wrapped(f"{marker} {prose(8)}", 108, top, 414)[0]
        return [first._replace(text=f"{first.text.rstrip('.,')}."), *wrapped(prose(6), 72, top + 13, 450)]

    blocks = quire.read(placed([*clause("(a)", 90), *clause("(b)", 240)])).blocks
    assert [block.marker for block in blocks] == ["(a)", "(b)"]


def test_double_spaced_lines_are_one_paragraph():
    lines = wrapped(prose(10), 72, 90, 450)
    spaced = [piece._replace(y=90 + 20 * number) for number, piece in enumerate(lines)]
    below = [piece._replace(y=piece.y + 20 * len(lines) + 20) for piece in spaced]
    assert [block.kind for block in quire.read(placed([*spaced, *below])).blocks] == ["paragraph", "paragraph"]


def test_a_prefix_of_one_letter_keeps_its_hyphen():
    assert text_of("The solvent in the lamps of the pier is t-", "butanol, says the keeper.").startswith(
        "The solvent in the lamps of the pier is t-butanol,"
    )


def test_a_greek_letter_of_the_symbol_font_in_a_word_is_no_formula():
    pieces = [Piece(72, 100, "The leaves of the plant have much "), Piece(214, 100, "\u03b2", font="Symbol")]
    (block,) = quire.read(placed([*pieces, Piece(220, 100, "-carotene, says the keeper of the pier.")])).blocks
    assert "\u03b2-carotene" in block.text
    assert not any(span.latex for span in block.spans)


def test_a_small_gap_between_two_sentences_parts_evenly_set_paragraphs():
    first, second = wrapped(prose(6), 72, 90, 430), prose(6, start=2)
    below = first[-1].y + 1.2 * 1.25 * 10.5
    blocks = quire.read(placed([*first, *wrapped(second, 72, below, 430)])).blocks
    assert [block.kind for block in blocks] == ["paragraph"] * 2
