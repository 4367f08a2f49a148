"""Adapters: what turns live tensors and graphs into events."""
