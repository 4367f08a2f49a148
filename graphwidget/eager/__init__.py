"""Eager execution: generated functions and nodes, promotion, in-place writes."""
