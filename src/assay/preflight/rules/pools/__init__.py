"""Pools and containers: properties, object classes, space."""
