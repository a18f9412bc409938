"""Hypothesis keeps nothing in the checkout."""

from hypothesis import settings

settings.register_profile("broadside", database=None, deadline=None)
settings.load_profile("broadside")
