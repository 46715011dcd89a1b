"""Print how often pages read the log, and how often a POST of a move passes from one module to another.

`game` counts openings of a game, `opening` and `head` looks at its head, `payload_array` and `events` loads
of steps.  What a page asks before it is warm is not counted.
"""

from __future__ import annotations

from tests.replay_web.torn import figures


def main() -> None:
    """Count and print."""
    with figures.site() as on:
        print("POST of a move:", figures.looks_of_post(on))  # noqa: T201 - it is what this is for
        for address, looks in figures.looks_of_pages(on).items():
            print(f"GET {address}:", looks)  # noqa: T201 - as above
    with figures.site() as on:
        found = figures.changes_of_post(on)
        print(f"POST of a move: {found.changes} changes of module in {found.modules} modules")  # noqa: T201 - as above


if __name__ == "__main__":
    main()
