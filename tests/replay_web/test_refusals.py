"""The README's table of refusals is that of the code: each code with its status, and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import eventstore
import games
import replay_web
from eventstore.errors import TabletapeError
from replay_web.http import errors
from tests.replay_web.test_keys import table

REFUSE = {"Refusal", "_refusal", "_as_json", "answer"}
"""What is called with a status and a code."""
ABOVE = {"Forbidden": 403, "NeedsAll": 403, "NotFound": 404, "ServiceUnavailable": 503, "BadRequest": 400}
"""The framework's refusals, and ours that have others below them."""


def modules(*packages: object) -> Iterator[Path]:
    for package in packages:
        yield from Path(str(package.__file__)).parent.rglob("*.py")  # type: ignore[attr-defined]


def named(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def constants(call: ast.Call) -> list[object]:
    return [part.value for part in call.args if isinstance(part, ast.Constant)]


def own(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Give the codes that a module of the pages refuses with, and their statuses."""
    for node in ast.walk(tree):
        match node:
            case ast.Call() if named(node) == "seeing_all" and len(constants(node)) > 1:
                yield str(constants(node)[1]), ABOVE["Forbidden"]
            case ast.Call() if named(node) == "Unanswered" and constants(node):
                yield str(constants(node)[0]), 422
            case ast.Call() if named(node) in REFUSE:
                match constants(node):
                    case [int() as status, str() as code, *_]:
                        yield code, status
            case ast.ClassDef():
                said = {
                    part.targets[0].id: part.value.value
                    for part in node.body
                    if isinstance(part, ast.Assign)
                    and isinstance(part.targets[0], ast.Name)
                    and isinstance(part.value, ast.Constant)
                }
                if "code_word" in said:
                    yield str(said["code_word"]), int(str(said.get("code") or inherited(node)))


def inherited(made: ast.ClassDef) -> int:
    """Give the status of the class above."""
    return ABOVE[ast.unparse(made.bases[0]).rpartition(".")[2]]


def documented() -> dict[str, int]:
    found: dict[str, int] = {}
    for codes, status, _ in table("Refusals"):
        found |= {code.strip("` "): int(status) for code in codes.split(",")}
    return found


def ours() -> dict[str, int]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules(replay_web)]
    return {code: status for status, code in errors._CODES.items()} | dict(
        found for tree in trees for found in own(tree)
    )


def test_every_refusal_of_the_pages_is_in_the_readme_with_its_status() -> None:
    said = documented()
    assert {code: said.get(code) for code in ours()} == ours()


def test_what_else_the_readme_names_the_store_or_the_rules_refuse() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in modules(eventstore, games))
    others = documented().keys() - ours().keys()
    assert len(others) > 5
    for code in others:
        assert f'"{code}"' in sources, code


def test_status_of_what_the_store_refuses_is_that_of_the_readme() -> None:
    said = documented()
    refused = {one.code for one in _below(TabletapeError) if "code" in vars(one)}
    assert errors._STATUS.keys() <= refused, "a status of a code that is never refused with"
    wrong = {
        code: (errors._STATUS.get(code, 422), said[code])
        for code in refused & said.keys()
        if errors._STATUS.get(code, 422) != said[code]
    }
    assert wrong == {}


def _below(kind: type[TabletapeError]) -> Iterator[type[TabletapeError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
