"""The site: pages that record, replay and correct games, and work without scripts."""

from replay_web.app import create_app

__all__ = ["create_app"]
