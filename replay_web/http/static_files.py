"""The style sheets and modules of the pages, from the `static` folders of all rooms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flask import Flask, Response, abort, send_from_directory

from replay_web.http.policy import Policy, declared

PACKAGE: Final = Path(__file__).parents[1]
FOLDERS: Final = {file.name: file.parent for file in PACKAGE.rglob("static/*")}
"""File → the folder that has it.  An address names the file alone, so no two rooms have one of a name."""
HOUR: Final = 3600
"""Seconds that a browser keeps a file."""


def init_app(app: Flask) -> None:
    """Serve them at `/static/`, packed."""
    policy = Policy("/static/<path:filename>", packed=True, store=False)
    app.add_url_rule(policy.address, "static", declared(_file, policy))


def _file(filename: str) -> Response:
    folder = FOLDERS.get(filename)
    return abort(404) if folder is None else send_from_directory(folder, filename, max_age=HOUR)
