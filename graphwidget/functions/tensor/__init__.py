"""Tensor's own members: operators, printing, exchange with numpy; methods are attached."""
