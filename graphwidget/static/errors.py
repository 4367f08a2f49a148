"""Errors of building or running a graph, under TensorFlow's names (``tf.errors``)."""

from __future__ import annotations

from typing import Any

ADVICE = (
    " You can attempt the following resolutions to the problem: If you are running in Graph mode, "
    "use Eager execution mode or decorate this function with @tf.function. If you are using "
    "AutoGraph, you can try decorating this function with @tf.function. If that does not work, "
    "then you may be using an unsupported feature or your source code may not be visible to "
    "AutoGraph. See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/"
    "autograph/g3doc/reference/limitations.md#access-to-source-code for more information."
)


def not_here(what: str) -> str:
    """Return the sentence that refuses, for a name such as ``tf.map_fn``."""
    return (
        f"{what} is not part of graphwidget.static, which has what teaching define-and-run "
        "needs; use TensorFlow itself (tf.compat.v1)."
    )


class OpError(Exception):
    """An operation failed while the graph ran; ``op`` is which, ``message`` says what."""

    def __init__(self, node: Any, op: Any, message: str) -> None:
        super().__init__(node, op, message)
        self.node_def, self.op, self.message = node, op, message

    def __str__(self) -> str:
        return self.message


class InvalidArgumentError(OpError):
    """An operation got something that it cannot compute with; a placeholder got nothing."""


class FailedPreconditionError(OpError):
    """A variable was read before it had a value."""


class OperatorNotAllowedInGraphError(TypeError):
    """A symbol was used where Python needs a value."""


class InaccessibleTensorError(ValueError):
    """Something inside a loop or branch was asked for from outside."""


def while_running(kind: type[OpError], operation: Any, message: str, where: str = "") -> OpError:
    """The error for an operation that failed, with the lines of the user's that made it."""
    lines = ["Graph execution error:", ""]
    if not where:
        lines.append(f"Detected at node '{operation.name}' defined at (most recent call last):")
        lines += [f'    File "{file}", line {line}, in {name}' for file, line, name in
                  operation.traceback]  # fmt: skip
        lines.append(f"Node: '{operation.name}'")
    lines += [message, f"\t [[{{{{node {where or operation.name}}}}}]]"]
    return kind(None, operation, "\n".join(lines))
