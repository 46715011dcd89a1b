"""The replay viewer: pages that work without scripts, and one module that makes stepping instant."""

from replay_web.app import create_app

__all__ = ["create_app"]
