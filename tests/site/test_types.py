"""The page's types: they are what the library's classes say, and a class that changed is seen."""

from dataclasses import dataclass

import pytest

from yatzy.site import types
from yatzy.solver.advise import Advice


def test_the_page_has_the_types_of_the_library():
    types.main(["check"])


def test_a_field_that_is_added_is_in_the_types_and_the_old_ones_are_refused(monkeypatch):
    @dataclass(frozen=True, repr=False)
    class Noted(Advice):
        note: str | None = None

    monkeypatch.setitem(types.VALUES, "advice", Noted)
    said = types.shared_types().decode()
    noted = said[said.index("export interface Noted {") :]
    assert "  note?: string;\n" in noted[: noted.index("}")]
    with pytest.raises(SystemExit, match=r"shared\.ts is not what the library's classes say; run: make tables"):
        types.main(["check"])


def test_what_it_cannot_do_is_said():
    with pytest.raises(SystemExit, match="write or check"):
        types.main([])
