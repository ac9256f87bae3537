"""What a language model wrote, against its passages: quotes, numbers and citations that are wrong, and some that are
right in another spelling."""

from __future__ import annotations

import pytest

from quire.evidence.cite.citation_checks import CitedSentence, checked

PASSAGES = [
    "Sailings\nThe inner harbour carried 1,163 thousand passengers in 2031, up 10.5% on the year before.",
    "Fares\nA crossing costs 4,50 €. The board said: “fares will not rise before 2033”.",
]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("The inner harbour carried 1163 thousand passengers in 2031.", [1]),
        ("The inner harbour carried 1,163 thousand passengers [1].", [1]),
        ("Passengers were up 10.50% on the year before.", [1]),
        ("A crossing costs 4.50 €.", [2]),
        ('The board said that "Fares  will not rise before 2033."', [2]),
        ("A crossing costs 4,50 € and the inner harbour carried 1,163 thousand passengers.", [2, 1, 1]),
    ],
)
def test_what_its_passages_say_stands(text, passages):
    answer = checked([CitedSentence(text, tuple(passages))], PASSAGES)
    assert answer.dropped == ()
    assert answer.sentences[0].passages == tuple(dict.fromkeys(passages))
    assert "[1]" not in answer.sentences[0].text


@pytest.mark.parametrize(
    ("text", "passages", "reason"),
    [
        ("The inner harbour carried 1,164 thousand passengers.", [1], "it says 1,164, which is not in passage 1"),
        ("The inner harbour carried 1,163 thousand passengers in 2031.", [2], "it says 1,163, which is not in"),
        ("Fares will not rise before 2033.", [], "it cites no passage"),
        ("Fares will not rise before 2033.", [2, 3], "it cites passage 3, which does not exist"),
        ("Fares will not rise before 2033.", [0], "it cites passage 0, which does not exist"),
        ("The board said “fares will never rise”.", [2], "it quotes “fares will never rise”, which is not in"),
        ("The director resigned after an argument about money.", [1, 2], "most of its words are not in passage 1, 2"),
        (" [1] ", [1], "it is empty"),
        ("Passengers were up 105% on the year before.", [1], "it says 105, which is not in passage 1"),
    ],
)
def test_what_they_do_not_say_is_dropped_with_the_reason(text, passages, reason):
    answer = checked([CitedSentence(text, tuple(passages))], PASSAGES)
    assert answer.sentences == ()
    assert answer.dropped[0].reason.startswith(reason)
