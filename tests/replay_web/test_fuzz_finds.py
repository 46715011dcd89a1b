"""The fuzz finds faults: those that the site had, and new ones in routes that it was never told of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from flask import Flask, request

from replay_web.access import sign_in
from replay_web.http import security
from tests.replay_web.fuzz_rounds import PAGES, ROUND, made, played, visited
from tests.replay_web.fuzzing import Maker

SEED: Final = "1"


def searched(maker: Maker, pages: int) -> None:
    visited(maker, pages, "planted")
    played(maker, 12 * ROUND, "planted")  # most are found in a third of this


def number_read_by_hand(app: Flask) -> None:
    app.add_url_rule("/games/<game>/planted", "planted", lambda game: str(int(request.args.get("n", "1"))))


def fault_with_a_rare_header(app: Flask) -> None:
    def planted(game: str) -> str:
        if request.headers.get("X-Rare") is not None:
            raise LookupError(game)
        return game

    app.add_url_rule("/games/<game>/planted", "planted", planted)


def markup_of_an_argument(app: Flask) -> None:
    app.add_url_rule("/planted", "planted", lambda: f"<p>{request.args.get('said', '')}</p>")


def refusal_without_a_code(app: Flask) -> None:
    app.add_url_rule("/planted", "planted", lambda: ("no", 418 if request.args.get("n") else 200))


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (number_read_by_hand, "status 500"),
        (fault_with_a_rare_header, "status 500"),
        (markup_of_an_argument, "as markup"),
        (refusal_without_a_code, "no stable code"),
    ],
)
def test_fault_planted_in_a_new_route_is_found(
    mixed: Path, tmp_path: Path, plant: Callable[[Flask], None], found: str
) -> None:
    with made(mixed, tmp_path, SEED, plant) as maker, pytest.raises(AssertionError, match=found) as caught:
        searched(maker, 1)
    assert "/planted" in str(caught.value)


def referer_read_by_hand(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sign_in, "_without_site", lambda address: urlsplit(address)._replace(netloc="").geturl())


def origin_read_by_hand(patch: pytest.MonkeyPatch) -> None:
    def same() -> bool:
        said = request.headers.get("Sec-Fetch-Site")
        return said == "same-origin" or urlsplit(request.headers.get("Origin", "")).netloc == request.host

    patch.setattr(security, "_same_site", same)


def control_characters_let_in(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(security, "_parts_of_address", list)


def any_host_let_in(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(security, "is_host", bool)


@pytest.mark.parametrize(
    "plant", [referer_read_by_hand, origin_read_by_hand, control_characters_let_in, any_host_let_in]
)
def test_fault_that_the_site_had_is_found(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)
    with made(mixed, tmp_path, SEED) as maker, pytest.raises((AssertionError, UnicodeError, AttributeError)):
        searched(maker, PAGES)
