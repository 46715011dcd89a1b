"""The reference of the addresses, from what each page declares; `make golden` puts it into docs/http.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Final

from msgspec import inspect

from games.words import joined
from replay_web.app import addresses
from replay_web.http.policy import FormField, Policy, fields, policies

PATH: Final = "docs/http.md"
"""Where it stands in the repository."""
HEAD: Final = """\
# Addresses

Written from what each page declares at its view, by `make golden`. Do not edit it.

Addresses below `/games/<game>` take `?as=` with `everything`, `table` or a seat. A refusal has a status, a \
stable code in the header `X-Error-Code`, and a sentence. It is a page, or JSON for a program that sends \
`Accept: application/json`.

Every address may answer `bad-address`, `unknown-host` and `bad-query` (400), `method-not-allowed` (405), \
and 503 while the store cannot be used. An address with a game may answer `unknown-game` and \
`unknown-viewer` (404) and `view-closed` (403). A form may answer `from-elsewhere` (403), `bad-form` (400), \
`not-a-form` (415) and `too-large` (413); one with `after` answers `conflict` (409) if the game has moved on.

Numbers are written in ASCII digits. A name that ends with `*` stands for all names that begin so.
"""
_WHO: Final = {
    "nothing": "anybody",
    "a key": "with a key",
    "a table key": "with a table key",
    "a view of everything": "seeing everything",
}
_SPOILERS: Final = {"hidden": "hides spoilers", "shown": "refuses `?later=hidden` (`later-not-hidden`)"}
_JSON: Final = {"refusals": "", "asked": "answers JSON if asked", "always": "for programs"}


def render() -> str:
    """Write the reference."""
    app = addresses()
    declared = policies(app)
    known = sorted((policy.address, policy.method, endpoint) for endpoint, policy in declared.items())
    parts = (_part(declared[endpoint], app.view_functions[endpoint].__doc__ or "") for *_, endpoint in known)
    return "\n".join((HEAD, *parts))


def _part(policy: Policy, doc: str) -> str:
    lines = [
        f"## {policy.method} {policy.address}",
        "",
        _first(doc),
        "",
        f"{'; '.join(_traits(policy))}.",
        "",
    ]
    rows = [_row(policy, field) for field in fields(policy.form)] if policy.form is not None else []
    if rows:
        lines += ["| field | takes | |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _first(doc: str) -> str:
    """Give the first paragraph of a docstring on one line."""
    return re.sub(r"\s+", " ", cleandoc(doc).partition("\n\n")[0]) or "Modules and style sheets."


def _traits(policy: Policy) -> Iterator[str]:
    who = policy.who
    keyed = ", and with a key where the site asks for keys" if _needs_key_too(policy) else ""
    codes = [who.code] if who.code else []
    if keyed or (policy.form is not None and who.needs == "a table key"):
        codes.append("key-needed")
    refused = f" (else 403 {', '.join(f'`{code}`' for code in codes)})" if codes else ""
    yield f"For: {_WHO[who.needs]}{keyed}{refused}"
    if "<game>" in policy.address or policy.spoilers == "hidden":
        yield _SPOILERS[policy.spoilers]
    if policy.json != "refusals":
        yield _JSON[policy.json]
    if policy.packed:
        yield "packed with gzip, and kept for an hour"
    if not policy.store:
        yield "answers without the store"
    if policy.form is not None and policy.shape.files:
        yield policy.shape.limit()


def _needs_key_too(policy: Policy) -> bool:
    return policy.form is not None and policy.who.needs == "a view of everything"


def _row(policy: Policy, field: FormField) -> str:
    said = [_takes(field)]
    if field.many:
        said.append("may come several times")
    notes = ["needed"] if field.required else []
    if "way" in field.extra:
        notes.append(f"one of {', '.join(f'`{name}`' for name in policy.shape.ways)}")
    if "beside" in field.extra:
        notes.append(f"beside `{field.extra['beside']}`")
    return f"| `{field.name}` | {', '.join(said)} | {'; '.join(notes)} |"


def _takes(field: FormField) -> str:
    match field.type:
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}"
        case inspect.LiteralType(values=values):
            return joined((f"`{value}`" for value in values), "or")
        case inspect.BytesType():
            return "a file"
        case inspect.StrType(pattern=str(pattern)):
            return f"a key like `{pattern.removeprefix('^').removesuffix(chr(92) + 'Z')}`"
        case _:
            return "text"
