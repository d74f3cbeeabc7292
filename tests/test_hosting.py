"""The files that put the site on a host say what the project's own commands do."""

import json
import re
from pathlib import Path

import typer
import yaml

from yatzy.cli.app import app
from yatzy.server.static_files import IMMUTABLE, REVALIDATE

ROOT = Path(__file__).parents[1]


def makefile(name: str) -> str:
    return re.search(rf"^{name} := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]


def test_the_workflow_publishes_what_make_site_builds():
    steps = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text())["jobs"]["publish"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ["make site"]
    (uploaded,) = [step["with"]["path"] for step in steps if "upload-pages-artifact" in step.get("uses", "")]
    assert uploaded == makefile("SITE")


def test_the_container_runs_a_command_of_ours(monkeypatch, tmp_path):
    lines = (ROOT / "Containerfile").read_text().splitlines()
    (entry,) = [json.loads(line.split(" ", 1)[1]) for line in lines if line.startswith("ENTRYPOINT")]
    (words,) = [json.loads(line.split(" ", 1)[1]) for line in lines if line.startswith("CMD")]
    assert entry == ["yatzy"]
    context = typer.main.get_command(app).get_command(None, words[0]).make_context(words[0], words[1:])
    assert (context.params["host"], context.params["port"]) == ("0.0.0.0", 8000)
    assert "EXPOSE 8000" in lines


def test_nothing_that_was_built_here_goes_into_the_container():
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {makefile("SITE"), "build", "dist", "**/node_modules", "web/dist", ".venv*"} <= set(ignored)


def test_the_headers_of_the_docs_are_those_that_the_server_sends():
    text = (ROOT / "docs" / "hosting.md").read_text()
    for value in (IMMUTABLE, REVALIDATE):
        assert f"`Cache-Control: {value}`" in text
