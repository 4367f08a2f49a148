"""Exporters: the same picture outside of the widget."""
