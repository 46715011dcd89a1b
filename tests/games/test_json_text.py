"""JSON as a text: what has two meanings or two spellings is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.json_text import DoubledKey, flaw, foreign_encoding, refuse_doubled
from games.core.serialization import read_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
EVENTS = st.dictionaries(TEXT, VALUES, max_size=4)


def python_writes(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(EVENTS)
def test_what_msgspec_and_python_write_is_compact(value: dict[str, Any]) -> None:
    for text in (msgspec.json.encode(value).decode(), python_writes(value)):
        assert flaw(text) is None
        refuse_doubled(text)


@given(EVENTS)
def test_blanks_and_escapes_are_found(value: dict[str, Any]) -> None:
    compact = python_writes(value)
    for text in (json.dumps(value, indent=1), json.dumps(value, separators=(",", ":"))):
        assert (flaw(text) is None) == (text == compact)
        refuse_doubled(text)


@given(EVENTS, VALUES, VALUES, st.integers(0, 3))
def test_a_doubled_key_is_found_at_any_depth(value: dict[str, Any], one: Any, two: Any, deep: int) -> None:
    inner = f'{{"at":{python_writes(one)},"\\u0061t":{python_writes(two)}}}'
    nested = '[{"in":' * deep + inner + "}]" * deep
    text = f"[{python_writes(value)},{nested}]"
    for sent in (text, text.encode(), f" {text}\n"):
        with pytest.raises(DoubledKey, match='the key "at" appears twice'):
            refuse_doubled(sent)
    assert flaw(text) == 'the key "at" appears twice'


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":1}', '\ufeff{"a":1,"a":1}', '[{"b":{"a":1,"c":2,"a":3}}]', '{"a":[],"\\u0061":9}']
)
def test_json_that_somebody_sends_has_each_key_once(text: str) -> None:
    for sent in (text, text.encode()):
        with pytest.raises(DoubledKey, match='the key "a" appears twice'):
            read_json(sent)
    assert read_json('[{"a":1}, {"a":{"a":2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("text", ["1e2", "1E5", "1.50", "-0", "100e-1", "1.0000000000000000001", "1e+5"])
def test_a_number_is_written_one_way(text: str) -> None:
    better = msgspec.json.encode(json.loads(text)).decode()
    assert flaw(f'{{"a":{text}}}') == (f"it is not written compactly: {text} at column 6 is written {better}")


@pytest.mark.parametrize("text", ["1e-7", "1e-07", "1e16", "1e+16", "-0.0", "9" * 5000, "-1", "0.1"])
def test_a_number_as_programs_write_it_stays(text: str) -> None:
    assert flaw(f'{{"a":{text}}}') is None


@pytest.mark.parametrize("text", ["{", "", "nonsense", '{"a":"\\ud800"}', '{"a":01}', "\ud800"])
def test_what_is_no_json_is_for_others_to_refuse(text: str) -> None:
    assert flaw(text) is None


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ['{"é":1}', "[]", ' {"a":1}', '"é"'])
def test_an_encoding_is_named(name: str, text: str) -> None:
    content = text.encode(name)
    assert foreign_encoding(content) == name[:6].upper()
    with pytest.raises(
        msgspec.DecodeError, match=rf"^it is written in {name[:6].upper()}; save it as UTF-8$"
    ):
        read_json(content)


@pytest.mark.parametrize(
    "content", [b"", b"{}", bytes(9), b"\x89PNG\r\n\x1a\n\x00\x00", b"\xef\xbb\xbf{}", b"\x00\xff" * 9]
)
def test_other_content_has_no_encoding_to_name(content: bytes) -> None:
    assert foreign_encoding(content) is None
