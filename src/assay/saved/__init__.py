"""Saved outputs of benchmarks, from wherever: which program wrote them, and what they say."""
