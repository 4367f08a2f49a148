"""The functions and methods that users call, by family.

Each is public where it is written, by ``@offer`` (``dispatch/offer.py``).
"""
