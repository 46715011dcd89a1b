"""A page of a damaged database says what is wrong and what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from eventstore.errors import REPAIR
from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.samples import opened, registry


def test_an_unreadable_list_names_verify_and_repair(filled: Path, tmp_path: Path) -> None:
    with opened(filled, tmp_path) as store:
        store.catalogue.list()
        path = Path(store.log.path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root, size = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema"
            " WHERE name = 'catalogue'"
        ).fetchone()
    raw = bytearray(path.read_bytes())
    raw[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(raw)
    with Store.open(path, registry=registry()) as store:
        client = create_app(store).test_client()
        page = client.get("/games")
        assert (page.status_code, page.headers["X-Error-Code"]) == (500, "damaged-database")
        assert f"`tabletape verify` lists what is damaged. {REPAIR}" in page.text
        assert client.get("/games/star/steps/2.txt").status_code == 200
