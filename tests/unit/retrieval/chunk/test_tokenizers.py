"""Tokenizers by name and file, without network."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Loaded
from tokenizers import models, normalizers, pre_tokenizers

from quire.core.errors import UsageError
from quire.retrieval.chunk import DEFAULT_TOKENIZER, find_tokenizer
from quire.retrieval.chunk.tokenizers import _HOMES, BUNDLED
from quire.system.packaged_files import find_packaged, path_of


@pytest.fixture(scope="module")
def bert() -> Loaded:
    """The same vocabulary in the package that the models are trained with."""
    found = find_packaged(_HOMES, "vocab.txt")
    assert found is not None
    lines = path_of(found[0]).read_text(encoding="utf-8").split("\n")
    vocabulary = {word: number for number, word in enumerate(lines) if word}
    assert len(vocabulary) == 30522
    loaded = Loaded(models.WordPiece(vocabulary, unk_token="[UNK]"))
    loaded.normalizer = normalizers.BertNormalizer(lowercase=True)
    loaded.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    loaded.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return loaded


@pytest.mark.slow
def test_the_bundled_one_counts_like_the_package(bert):
    count = find_tokenizer(DEFAULT_TOKENIZER).count
    assigned = [chr(c) for c in range(1, 0xFFFF) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")]
    characters = [*assigned, *"etaoin ETAOIN\n\t.,-[]#'1234 " * 1500]
    chosen = random.Random(7)
    texts = ["".join(chosen.choices(characters, k=60)) for _ in range(1000)]
    texts += ["", "a" * 101, "[CLS] and [SEP] [mask]", "naïve café, ﬁne – 東京へ行く", "unaffable" * 12]
    wrong = [text for text in texts if count(text) != len(bert.encode(text, add_special_tokens=False).ids)]
    assert not wrong


def test_the_default_takes_256_tokens():
    assert find_tokenizer(DEFAULT_TOKENIZER).max_tokens == 256
    assert {find_tokenizer(name).id for name in BUNDLED} == {"bert-uncased"}


def saved(folder: Path, bert: Loaded, **beside: dict[str, int]) -> Path:
    folder.mkdir(parents=True)
    bert.save(str(folder / "tokenizer.json"))
    for name, content in beside.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_a_file_and_its_folder_are_the_same_tokenizer(tmp_path, bert):
    bert.enable_truncation(4)
    folder = saved(tmp_path / "model", bert, sentence_bert_config={"max_seq_length": 77})
    bert.no_truncation()
    by_folder, by_file = find_tokenizer(str(folder)), find_tokenizer(str(folder / "tokenizer.json"))
    assert by_folder.id == by_file.id != "bert-uncased"
    assert by_folder.max_tokens == by_file.max_tokens == 77
    assert by_file.count("one two three four five six") == 6  # the truncation in the file does not matter


def test_a_model_in_the_huggingface_cache_is_found_by_name(tmp_path, bert, monkeypatch):
    model = tmp_path / "hub" / "models--acme--embedder"
    saved(model / "snapshots" / "abc", bert, tokenizer_config={"model_max_length": 99})
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("abc")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    assert find_tokenizer("acme/embedder", paths=False).max_tokens == 99


def test_what_is_not_here_is_refused_with_what_works(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"nothing is downloaded; use one of .*all-MiniLM-L6-v2.* tokenizer\.json"):
        find_tokenizer("acme/absent")
    with pytest.raises(UsageError, match="nothing is downloaded"):
        find_tokenizer("../../absent")


def test_paths_are_refused_where_only_names_may_be_given(tmp_path, bert):
    folder = saved(tmp_path / "model", bert)
    with pytest.raises(UsageError, match="nothing is downloaded"):
        find_tokenizer(str(folder), paths=False)


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UsageError, match=r"is not a tokenizer\.json"):
        find_tokenizer(str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"no tokenizer\.json in"):
        find_tokenizer(str(tmp_path / "empty"))
