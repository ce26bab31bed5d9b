"""Samples and an expectation make a verdict; all verdicts make a sign-off."""
