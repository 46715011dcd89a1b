"""What each page declares, and that the site does not start without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Blueprint, Flask

from eventstore.store import Store
from replay_web import app as site
from replay_web.app import create_app
from replay_web.http.policy import NotDeclaredError, PageForm, Pages, fields, policies
from tests.replay_web.test_policy_forms import HERE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def with_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """Give the site with a form of our own, for programs."""
    extra = Pages("extra", __name__)

    @extra.page("/extra", form=PageForm, json="always")
    def take() -> str:
        return "taken"

    monkeypatch.setattr(site, "SUBJECTS", (*site.SUBJECTS, extra))
    return create_app(store, guarded=True)


def test_view_without_a_policy_stops_the_site(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Blueprint("bare", __name__)
    bare.add_url_rule("/bare", view_func=lambda: "bare", endpoint="view")
    monkeypatch.setattr(site, "SUBJECTS", (*site.SUBJECTS, bare))
    with pytest.raises(NotDeclaredError, match=r"bare\.view"):
        create_app(store)


def test_guards_read_what_a_new_page_declares(with_page: Flask) -> None:
    answer = with_page.test_client().post("/extra", headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "key-needed")
    assert answer.is_json


def test_every_address_of_the_site_has_the_policy_of_its_view(store: Store) -> None:
    app = create_app(store)
    declared = policies(app)
    for rule in app.url_map.iter_rules():
        policy = declared[rule.endpoint]
        assert rule.rule == policy.address
        assert policy.method in (rule.methods or ())


def test_every_number_of_every_form_has_bounds(store: Store) -> None:
    numbers = [
        field.type
        for policy in policies(create_app(store)).values()
        for field in fields(policy.form or PageForm)
        if type(field.type).__name__ in {"IntType", "FloatType"}
    ]
    assert len(numbers) > 10
    for number in numbers:
        assert number.ge is not None  # type: ignore[attr-defined]
        assert number.le is not None  # type: ignore[attr-defined]
