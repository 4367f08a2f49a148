"""Recording: events, their log, and what they fold to. Standard library and numpy only.

Four words say where a program is. A *site* (``sites.py``) is one call in its text: a code object
and the offset of an instruction. A *position* (``positions.py``) is the whole row of calls that the
program is in the middle of; the user's innermost one is its site, and the others distinguish
functions, loops and their iterations. A *line* is the number of a line in a file or cell. A *place*
(``findings.py``) is a site as people read it: file, line, function and what is written there. The
page gets sites by the event ``Source``; of positions it sees the scopes and iterations.
"""
