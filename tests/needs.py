"""What some tests need from the machine: a browser, a C compiler, a mount.

Without it these tests are left out, and the last line of the run says so. They fail instead if the variable
of that need is `required`, as in the gate: `TABLETAPE_BROWSER`, `TABLETAPE_COMPILER`, `TABLETAPE_MOUNT`.
"""

from __future__ import annotations

import os
from typing import Literal

import pytest

Need = Literal["BROWSER", "COMPILER", "MOUNT"]

LEFT_OUT = "Left out: "
"""The reason of each skipped test begins with this; `tests/conftest.py` counts them."""


def is_required(need: Need) -> bool:
    """Tell whether tests must fail where the machine lacks what they need."""
    return os.environ.get(f"TABLETAPE_{need}") == "required"


def left_out(why: str) -> pytest.MarkDecorator:
    """Mark a test that cannot run on this machine; `why` is a sentence."""
    return pytest.mark.skip(reason=f"{LEFT_OUT}{why}")


def leave_out(need: Need, why: str) -> None:
    """Leave the running test out, or fail it if its need is required."""
    if is_required(need):
        pytest.fail(why, pytrace=False)
    pytest.skip(f"{LEFT_OUT}{why}")
