"""Files that a person names, to be read or written: anything but a file is refused, before any work."""

import os
from importlib import import_module
from pathlib import Path

import pytest

from yatzy import storage
from yatzy.storage import ReadError, read_user_file, read_user_text

# Every option and argument that is a file to read: FILE stands for it.
READ = (
    "review FILE",
    "play --review FILE",
    "play --resume FILE",
    "leaks FILE",
    "practice FILE",
    "practice --deck FILE",
    "profile FILE",
    "profile --answers FILE",
    "profile --quiz FILE",
    "sweep FILE",
    "solve --rules FILE.toml",
    "evaluate FILE.json",
    "evaluate FILE.safetensors",
    "simulate --compare FILE.json",
    "play --against FILE.safetensors",
    "lists show FILE.json",
    "lists explain 13356 --policy FILE.json",
    "distribution FILE.safetensors",
)
# Every option that is a file to write.
WRITTEN = (
    "simulate --games 10 --out FILE",
    "simulate --games 10 --logs FILE",
    "play --save FILE",
    "practice --deck FILE",
    "practice --anki FILE",
    "profile --answers FILE",
    "profile --choose FILE",
)
FOLDERS = (
    "sweep --out FILE",
    "dataset --games 10 --out FILE",
    "distill value --name value-18 --out FILE",
    "lists induce --out FILE",
    "reproduce statespace --out FILE",
    "treatise build --out FILE",
)
# Written over what they read, or over each other.
TWICE = (
    ("simulate --games 10 --out s --logs s", "logs: s is also written by out; allowed is a file of its own"),
    ("simulate --games 10 --out ./s --logs sub/../s", "logs: sub/../s is also written by out"),
    ("simulate --games 10 chart.json --logs chart.json", "logs: chart.json is read by this command"),
    ("simulate --games 10 --rules mine.toml --out mine.toml", "out: mine.toml is read by this command"),
    ("practice game.json --deck game.json", "deck: game.json is read by this command"),
    ("practice game.json --deck deck.json --anki deck.json", "anki: deck.json is also written by deck"),
    ("profile --quiz quiz.json --answers quiz.json", "answers: quiz.json is read by this command"),
    ("play --rules mine.toml --save mine.toml", "save: mine.toml is read by this command"),
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder of one's own, and files that only have to be there."""
    monkeypatch.chdir(tmp_path)
    for name in ("chart.json", "mine.toml", "game.json", "quiz.json", "s"):
        Path(name).write_text("{}")
    Path("sub").mkdir()


@pytest.fixture
def odd(request, tmp_path):
    """Something that is no file, under the name that a command is given."""
    kind, name = request.param, "odd"

    def make(suffix: str) -> tuple[str, str]:
        path = tmp_path / f"{name}{suffix}"
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "large":
            path.touch()
            os.truncate(path, 1 << 40)
        return str(path), {"folder": "is a folder", "missing": "", "large": "is too large"}.get(
            kind, "is a device or a pipe"
        )

    return make


@pytest.mark.parametrize("odd", ["folder", "pipe", "device", "large"], indirect=True)
@pytest.mark.parametrize("words", READ)
def test_only_files_are_read(told, odd, words):
    """A device without end was read until memory ended; a pipe to which nobody writes was waited for."""
    suffix = Path(next(word for word in words.split() if word.startswith("FILE"))).suffix
    path, problem = odd(suffix)
    sentence = told(*(path if word.startswith("FILE") else word for word in words.split()))
    assert f"{path} {problem}" in sentence
    assert "; allowed is a" in sentence


@pytest.mark.parametrize("words", [words for words in READ if "--deck" not in words and "--answers" not in words])
def test_a_file_that_is_not_there(told, words):
    sentence = told(*words.replace("FILE", "nowhere").split())
    assert "nowhere" in sentence


@pytest.mark.parametrize("words", ["review -", "sweep -", "solve --rules -", "evaluate -"])
def test_stdin_has_a_limit_too(yatzy, monkeypatch, words):
    monkeypatch.setattr("yatzy.cli.stdin.MAX_BYTES", 1000)
    status, _, err = yatzy(*words.split(), stdin=b" " * 1001)
    assert (status, err.count("\n")) == (2, 1)
    assert "stdin is too large; allowed is at most 1,000 bytes" in err


@pytest.mark.parametrize("odd", ["folder", "pipe", "device"], indirect=True)
@pytest.mark.parametrize("words", WRITTEN)
def test_nothing_but_a_file_is_written_over(told, odd, words):
    path, problem = odd("")
    assert f"{path} {problem}; allowed is a file" in told(*words.replace("FILE", path).split())


@pytest.mark.parametrize("words", FOLDERS)
def test_a_file_where_a_folder_is_wanted(told, words, monkeypatch):
    """Some of these solved a game first."""
    # Modules that have the name by now keep the true one.
    import_module("yatzy.measure.duels")
    monkeypatch.setattr("yatzy.solver.store.stored_table", pytest.fail)
    assert told(*words.replace("FILE", "s").split()) == "out: s is a file; allowed is a folder"
    assert told(*words.replace("FILE", "s/inside").split()) == "out: s is a file; allowed is a folder"


@pytest.mark.parametrize(("words", "sentence"), TWICE)
def test_nothing_is_written_over_what_is_needed(told, words, sentence):
    """One of two outputs with one name was silently lost."""
    before = {file: file.read_bytes() for file in Path().iterdir() if file.is_file()}
    assert told(*words.split()).startswith(sentence)
    assert {file: file.read_bytes() for file in Path().iterdir() if file.is_file()} == before


def test_what_is_read_is_all_of_a_file(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_user_file(file, "field", 5) == b"12345"
    with pytest.raises(ReadError, match=r"^field: .*file is too large; allowed is at most 4 bytes$") as refused:
        read_user_file(file, "field", 4)
    assert (refused.value.field, refused.value.given) == ("field", file)
    file.write_bytes(b"\xff")
    with pytest.raises(ReadError, match=r"^field: .*file is not text in UTF-8$"):
        read_user_text(file, "field")
    file.unlink()
    with pytest.raises(ReadError, match=r"^field: there is no file .*file$"):
        read_user_file(file, "field")


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    """Between the look at a file and its opening, it can be exchanged."""
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    file.touch()
    os.mkfifo(pipe)
    opening = os.open
    monkeypatch.setattr(storage.os, "open", lambda path, *how: opening(pipe, *how))
    with pytest.raises(ReadError, match="is a device or a pipe"):
        read_user_file(file, "field")
