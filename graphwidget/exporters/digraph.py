"""The drawing that ``to_graphviz`` returns. Importing this needs the package ``graphviz``."""

from __future__ import annotations

from typing import Any

import graphviz

from .dot import NO_DOT, has_dot, require_dot


class Graph(graphviz.Digraph):  # type: ignore[misc]  # graphviz ships no types
    """A ``graphviz.Digraph`` that says what is missing if it cannot be rendered."""

    counts = (0, 0)
    """Numbers of values and pills drawn."""

    def __repr__(self) -> str:
        values, pills = self.counts
        return f"<graph of {values} values and {pills} operations>"

    def pipe(self, *args: Any, **kwargs: Any) -> Any:
        require_dot()
        return super().pipe(*args, **kwargs)

    def render(self, *args: Any, **kwargs: Any) -> Any:
        require_dot()
        return super().render(*args, **kwargs)

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if not has_dot():
            return {"text/plain": NO_DOT}
        return {**super()._repr_mimebundle_(*args, **kwargs), "text/plain": repr(self)}
