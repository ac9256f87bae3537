"""Settings: who wins, what is wrong and where, and which file counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.core.config import SETTINGS, Configuration, Settings, configure, option, variable, without_password
from quire.core.errors import ConfigurationError, UsageError
from quire.pages.recognize.options import EFFORTS, OCR_MODES

FILE = """\
[quire]
workers = 3
to = ["md", "json"]
store = "kept"

[preset.night]
workers = 8
retry_backoff_s = 2
effort = "accurate"
"""


@pytest.fixture
def desk(tmp_path: Path):
    """Writes a `quire.toml` and gives the settings that hold beside it."""

    def settings(text: str | None = FILE, *, environment: dict[str, str] | None = None, **given: object):
        if text is not None:
            (tmp_path / "quire.toml").write_text(text)
        return configure(given, environment=environment or {}, folder=tmp_path)

    return settings


def found(configuration: Configuration, name: str) -> tuple[object, str]:
    return getattr(configuration.settings, name), configuration.sources[name]


def test_without_anything_the_defaults_hold(desk):
    configuration = desk(None)
    assert configuration.settings == Settings()
    assert set(configuration.sources.values()) == {"default"}
    assert (configuration.preset, configuration.file) == (None, None)


def test_command_line_over_environment_over_preset_over_file_over_default(desk, tmp_path):
    environment = {"QUIRE_WORKERS": "5"}
    preset = {"preset": "night"}
    where = tmp_path / "quire.toml"
    assert found(desk(None), "workers") == (None, "default")
    assert found(desk(), "workers") == (3, f"{where}:2 [quire]")
    assert found(desk(**preset), "workers") == (8, f"{where}:7 [preset.night]")
    assert found(desk(environment=environment, **preset), "workers") == (5, "environment, QUIRE_WORKERS")
    assert found(desk(environment=environment, workers=7, **preset), "workers") == (7, "--workers")


def test_a_preset_is_named_on_the_command_line_in_the_environment_or_in_the_file(desk):
    named = FILE.replace("[quire]", '[quire]\npreset = "night"')
    assert desk(preset="night").settings.effort == "accurate"
    assert desk(environment={"QUIRE_PRESET": "night"}).settings.effort == "accurate"
    assert desk(named).settings.effort == "accurate"
    other = f"{named}[preset.day]\nworkers = 1\n"
    assert desk(other, environment={"QUIRE_PRESET": "night"}, preset="day").preset == "day"


def test_choices_are_those_of_the_recognition():
    assert SETTINGS["effort"].choices == EFFORTS
    assert SETTINGS["ocr"].choices == OCR_MODES


def test_an_unknown_preset_is_refused_with_the_known_ones(desk):
    with pytest.raises(UsageError, match=r"no preset 'nigth'.*choose from night"):
        desk(preset="nigth")
    with pytest.raises(UsageError, match=r"no preset 'fast'.*write --effort fast"):
        desk(None, preset="fast")


def test_paths_of_a_file_are_meant_from_its_folder_and_addresses_stay(desk, tmp_path):
    assert desk().settings.store == str(tmp_path / "kept")
    assert desk('[quire]\nstore = "s3://bucket/kept"\n').settings.store == "s3://bucket/kept"
    assert desk(store="here").settings.store == "here"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[quire]\n\nretry = 3\n", r"quire.toml:3: there is no setting 'retry'; did you mean 'retries'\?"),
        ("[preset.night]\nworker = 3\n", r"quire.toml:2: there is no setting 'worker'; did you mean 'workers'\?"),
        ("[presets.night]\n", r"quire.toml:1: there is no table 'presets'; did you mean 'preset'\?"),
        ("[quire]\nworkers = 'three'\n", r"quire.toml:2: workers is 'three'; it must be a whole number"),
        ("[quire]\nworkers = true\n", r"quire.toml:2: workers is True; it must be a whole number"),
        ("[quire]\nworkers = 0\n", r"quire.toml:2: workers is 0; it must be at least 1"),
        ("[quire]\ntimeout_s = -1\n", r"quire.toml:2: timeout_s is -1; it must be at least 0"),
        ("[quire]\nto = 'md'\n", r"quire.toml:2: to is 'md'; it must be a list of texts"),
        ("[quire]\neffort = 'quick'\n", r"quire.toml:2: effort is 'quick'; choose from fast, balanced, accurate"),
        ("[quire]\nworkers = \n", r"quire.toml: Invalid value \(at line 2"),
        ("preset = 'night'\n", r"quire.toml:1: presets are tables: write \[preset.NAME\]"),
        ("quire = 3\n", r"quire.toml:1: \[quire\] must be a table"),
        ("[preset.a]\npreset = 'b'\n", r"quire.toml:2: a preset cannot name another"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_line(desk, text, said):
    with pytest.raises(ConfigurationError, match=said):
        desk(text)


def test_a_mistake_of_the_environment_names_the_variable(desk):
    with pytest.raises(UsageError, match="QUIRE_RETRIES is 'often'; it must be a whole number"):
        desk(None, environment={"QUIRE_RETRIES": "often"})


def test_a_mistake_of_the_command_line_names_the_option(desk):
    with pytest.raises(UsageError, match="--schedule is 'lifo'; choose from fifo, sjf, ljf"):
        desk(None, schedule="lifo")


def test_variables_say_lists_flags_and_numbers_and_empty_ones_say_nothing(desk):
    environment = {"QUIRE_TO": "md, json", "QUIRE_FIGURES": "yes", "QUIRE_TIMEOUT_S": "1.5", "QUIRE_LANG": ""}
    settings = desk(None, environment=environment).settings
    assert (settings.to, settings.figures, settings.timeout_s) == (("md", "json"), True, 1.5)
    assert settings.lang == ()


def test_a_file_is_looked_for_up_to_the_root_of_the_repository(tmp_path):
    inner = tmp_path / "repository" / "papers" / "old"
    inner.mkdir(parents=True)
    (tmp_path / "quire.toml").write_text("[quire]\nworkers = 1\n")
    (tmp_path / "repository" / ".git").mkdir()
    assert configure({}, environment={}, folder=inner).file is None
    (tmp_path / "repository" / "quire.toml").write_text("[quire]\nworkers = 2\n")
    assert configure({}, environment={}, folder=inner).settings.workers == 2


def test_a_file_is_looked_for_up_to_the_home_folder(tmp_path):
    inner = tmp_path / "papers"
    inner.mkdir()
    (tmp_path / "quire.toml").write_text("[quire]\nworkers = 2\n")
    assert configure({}, environment={"HOME": str(tmp_path)}, folder=inner).settings.workers == 2
    assert configure({}, environment={"HOME": "/elsewhere"}, folder=inner).file is None, "a shared folder"


def test_a_file_can_be_named_and_must_be_there(tmp_path):
    (tmp_path / "other.toml").write_text("[quire]\nworkers = 4\n")
    environment = {"QUIRE_CONFIG": str(tmp_path / "other.toml")}
    assert configure({}, environment=environment, folder=tmp_path).settings.workers == 4
    with pytest.raises(ConfigurationError, match="QUIRE_CONFIG is"):
        configure({}, environment={"QUIRE_CONFIG": "missing.toml"}, folder=tmp_path)


def test_a_setting_has_one_name_everywhere():
    assert (option("retry_backoff_s"), variable("retry_backoff_s")) == ("--retry-backoff-s", "QUIRE_RETRY_BACKOFF_S")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://quire:secret@db/facts", "postgresql://quire:***@db/facts"),
        ("postgresql://db/facts", "postgresql://db/facts"),
        ("s3://bucket/a:b@c", "s3://bucket/a:b@c"),
        ("plain/folder", "plain/folder"),
    ],
)
def test_passwords_are_taken_out_of_addresses(text, shown):
    assert without_password(text) == shown
