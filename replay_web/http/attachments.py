"""The names of files that are saved."""

from __future__ import annotations

from urllib.parse import quote


def disposition(plain: str, name: str) -> str:
    """Write a file name for old programs and the full one as RFC 5987 has it.

    >>> disposition("k3m9.csv", 'Ann "the fox" – Bø.csv')
    "attachment; filename=k3m9.csv; filename*=UTF-8''Ann%20%22the%20fox%22%20%E2%80%93%20B%C3%B8.csv"
    """
    safe = "".join(letter if letter.isprintable() and letter not in "/\\:*?<>|" else "_" for letter in name)
    return f"attachment; filename={plain}; filename*=UTF-8''{quote(safe, safe='')}"
