"""Mixins for what only some checks need; a check names them before its base class."""
