"""Tabletape measured against its peers."""
