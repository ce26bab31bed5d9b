"""The rules that make expectations, a module a layer."""
