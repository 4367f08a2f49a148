"""How a call computes and is recorded: functions and nodes generated from the op table, promotion
of types, and writes in place.
"""
