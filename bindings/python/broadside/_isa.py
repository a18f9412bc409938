"""The instruction set by name."""

from ._broadside import set_active_isa as _set_active_isa
from ._broadside import supported_isas


def set_active_isa(name: str) -> None:
    """Makes all calls run on one of `supported_isas()`; the results stay the same."""
    if not isinstance(name, str) or not _set_active_isa(name):
        raise ValueError(f"name: {name!r}; this machine has {', '.join(supported_isas())}")
