"""Refusals and their words: TensorFlow 2.21's, in its compat.v1 mode."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwidget.static as tf

Case = tuple[Callable[[], Any], type[Exception], str]


def build(*shape: int | None) -> Any:
    return tf.placeholder(tf.float32, shape, name="x")


def run(fetch: Any, feed: Any = None) -> Any:
    with tf.Session() as sess:
        return sess.run(fetch, feed)


CASES: dict[str, Case] = {
    "wrong feed": (
        lambda: run(build(None, 3) * 2, {"x:0": np.zeros(2)}), ValueError,
        "Cannot feed value of shape (2,) for Tensor x:0, which has shape (?, 3)",
    ),
    "feed key": (
        lambda: run(build(), {3: 1}), TypeError,
        "Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor.",
    ),
    "feed operation": (
        lambda: run(build(), {"x": 1}), TypeError,
        "Cannot interpret feed_dict key as Tensor: The name 'x' refers to an Operation, not a "
        'Tensor. Tensor names must be of the form "<op_name>:<output_index>".',
    ),
    "empty graph": (
        lambda: run([]), RuntimeError,
        "The Session graph is empty. Add operations to the graph before calling run().",
    ),
    "fetch a number": (
        lambda: (build(), run(3)), TypeError,
        'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor. (Can not convert '
        "a int into a Tensor or Operation.)",
    ),
    "fetch None": (
        lambda: (build(), run(None)), TypeError,
        'Argument `fetch` = None has invalid type "NoneType". Cannot be None',
    ),
    "fetch a name": (
        lambda: (build(), run("z:0")), ValueError,
        "Argument `fetch` = z:0 cannot be interpreted as a Tensor. (\"The name 'z:0' refers to a "
        "Tensor which does not exist. The operation, 'z', does not exist in the graph.\")",
    ),
    "len": (
        lambda: len(build(2)), TypeError,
        "len is not well defined for a symbolic Tensor (x:0). Please call `x.shape` rather than "
        "`len(x)` for shape information.",
    ),
    "numpy": (
        lambda: np.sin(np.array(build(2))), NotImplementedError,
        "Cannot convert a symbolic tf.Tensor (x:0) to a numpy array. This error may indicate that "
        "you're trying to pass a Tensor to a NumPy call, which is not supported.",
    ),
    "shapes of matrices": (
        lambda: tf.matmul(tf.placeholder(tf.float32, [2, 3], "a"),
                          tf.placeholder(tf.float32, [2, 3], "b")), ValueError,
        "Dimensions must be equal, but are 3 and 2 for '{{node MatMul}} = MatMul[T=DT_FLOAT, "
        "grad_a=false, grad_b=false, transpose_a=false, transpose_b=false](a, b)' with input "
        "shapes: [2,3], [2,3].",
    ),
    "shapes": (
        lambda: tf.add(build(2, 3), tf.ones([2, 2])), ValueError,
        "Dimensions must be equal, but are 3 and 2 for '{{node Add}} = AddV2[T=DT_FLOAT](x, ones)' "
        "with input shapes: [2,3], [2,2].",
    ),
    "types": (
        lambda: tf.add(tf.constant(1), tf.constant(1.0)), TypeError,
        "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'.",
    ),
    "type of a number": (
        lambda: tf.constant(2) * 1.5, TypeError,
        "Expected int32 passed to parameter 'y' of op 'Mul', got 1.5 of type 'float' instead. "
        "Error: Expected int32, but got 1.5 of type 'float'.",
    ),
    "integers": (
        lambda: tf.exp(tf.constant(1)), TypeError,
        "Value passed to parameter 'x' has DataType int32 not in list of allowed values: bfloat16, "
        "float16, float32, float64, complex64, complex128",
    ),
    "quotient": (
        lambda: tf.constant(1) / tf.constant(1.0), TypeError,
        "`x` and `y` must have the same dtype, got tf.int32 != tf.float32.",
    ),
    "axis": (
        lambda: tf.reduce_sum(build(2, 3), 5), ValueError,
        "Invalid reduction dimension 5 for input with 2 dimensions. for '{{node Sum}} = "
        "Sum[T=DT_FLOAT, Tidx=DT_INT32, keep_dims=false](x, Sum/reduction_indices)' with input "
        "shapes: [2,3], [] and with computed input tensors: input[1] = <5>.",
    ),
    "reshape": (
        lambda: tf.reshape(build(2, 3), [4]), ValueError,
        "Cannot reshape a tensor with 6 elements to shape [4] (4 elements) for '{{node Reshape}} = "
        "Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, Reshape/shape)' with input shapes: [2,3], [1] and "
        "with input tensors computed as partial shapes: input[1] = [4].",
    ),
    "no tensor of the name": (
        lambda: tf.get_default_graph().get_tensor_by_name("z:0"), KeyError,
        "\"The name 'z:0' refers to a Tensor which does not exist. The operation, 'z', does not "
        'exist in the graph."',
    ),
    "an operation's name": (
        lambda: (build(), tf.get_default_graph().get_tensor_by_name("x")), ValueError,
        "The name 'x' refers to an Operation, not a Tensor. Tensor names must be of the form "
        '"<op_name>:<output_index>".',
    ),
    "eval": (
        lambda: build().eval(), ValueError,
        "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
        "sess.as_default()` or pass an explicit session to `eval(session=sess)`",
    ),
    "a loop variable grows": (
        lambda: tf.while_loop(lambda i, c: i < 3, lambda i, c: (i + 1, tf.concat([c, c], 0)),
                              [0, tf.constant([1.0], name="c")]), ValueError,
        "Input tensor 'c:0' enters the loop with shape (1,), but has shape (2,) after one "
        "iteration. To allow the shape to vary across iterations, use the `shape_invariants` "
        "argument of tf.while_loop to specify a less-specific shape.",
    ),
    "cond of a bool": (
        lambda: tf.cond(True, lambda: 1, lambda: 2), TypeError,
        "'pred' must not be a Python bool.",
    ),
    "branches of two types": (
        lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 1.0), ValueError,
        "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received int32 from "
        "'true_fn' and float32 from 'false_fn'.",
    ),
    "no gradients": (
        lambda: tf.train.GradientDescentOptimizer(0.1).minimize(
            tf.constant(1.0), var_list=[tf.Variable(1.0, name="w")]), ValueError,
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables [\"<tf.Variable 'w:0' shape=() dtype=float32_ref>\"] and "
        'loss Tensor("Const:0", shape=(), dtype=float32).',
    ),
    "too many weights": (
        lambda: tf.gradients([build()], [build()], grad_ys=[None, None]), ValueError,
        "Length mismatch. Passed 2 grad_ys for 1 ys",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_is_refused_in_tensorflows_words(name: str) -> None:
    call, kind, text = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (bool, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed."),
        (list, "Iterating over a symbolic `tf.Tensor` is not allowed."),
    ],
)
def test_python_cannot_look_at_a_symbol(use: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as caught:
        use(tf.constant([1.0]))
    assert str(caught.value).startswith(text)


def test_a_missing_feed_names_the_placeholder_and_its_line() -> None:
    x = build(None, 3)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(x * 2)
    text = str(caught.value)
    assert text.startswith("Graph execution error:\n\nDetected at node 'x' defined at")
    assert f'File "{__file__}", line {line}, in test_a_missing_feed' in text
    assert (
        "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]" in text
    )


def test_an_uninitialised_variable_is_named() -> None:
    v = tf.Variable(1.0, name="v")
    for fetch in (v, v * 2):
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            run(fetch)
        assert "\nAttempting to use uninitialized value v\n" in str(caught.value)


def test_another_graphs_symbols() -> None:
    with tf.Graph().as_default():
        b = tf.constant(1.0, name="b")
    a = tf.constant(1.0, name="a")
    with pytest.raises(ValueError) as caught:
        tf.add(a, b)
    assert str(caught.value) == (
        'Tensor("b:0", shape=(), dtype=float32) must be from the same graph as Tensor("a:0", '
        f"shape=(), dtype=float32) (graphs are {b.graph} and {a.graph})."
    )
    with pytest.raises(ValueError) as caught:
        run(b)
    assert str(caught.value) == (
        'Argument `fetch` = Tensor("b:0", shape=(), dtype=float32) cannot be interpreted as a '
        'Tensor. (Tensor Tensor("b:0", shape=(), dtype=float32) is not an element of this graph.)'
    )


def test_a_feed_is_no_symbol() -> None:
    x = build()
    with pytest.raises(TypeError, match=r"^The value of a feed cannot be a tf\.Tensor object\. "):
        run(x, {x: x})


def test_shapes_that_only_the_run_tells_are_refused_by_it() -> None:
    x = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(tf.add(x, [1.0, 2.0], name="sum"), {x: np.ones(3)})
    assert "Node: 'sum'\nIncompatible shapes: [3] vs. [2]\n" in str(caught.value)


def test_what_lies_in_a_loop_is_not_for_outside() -> None:
    tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="inner"), [0])
    inner = tf.get_default_graph().get_tensor_by_name("while/inner:0")
    with pytest.raises(ValueError, match="Cannot use 'while/inner' as input to 'mul' because"):
        _ = inner * 2
    with pytest.raises(tf.errors.InaccessibleTensorError, match="marked as not fetchable"):
        run(inner)


def test_variables_of_a_name() -> None:
    with tf.variable_scope("a"):
        tf.get_variable("w", [2])
    with pytest.raises(ValueError, match="Variable a/w already exists, disallowed"), \
            tf.variable_scope("a"):  # fmt: skip
        tf.get_variable("w", [2])
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("w").name == "a/w:0"
        with pytest.raises(ValueError, match="Trying to share variable a/w, but specified shape"):
            tf.get_variable("w", [3])
        with pytest.raises(ValueError, match="Variable a/z does not exist"):
            tf.get_variable("z", [3])


@pytest.mark.parametrize(
    "name", ["map_fn", "nn.moments", "train.MomentumOptimizer", "losses.huber"]
)
def test_what_is_not_here_names_tensorflow(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"tf\.{name} is not part .* use TensorFlow itself"):
        functools.reduce(getattr, name.split("."), tf)
