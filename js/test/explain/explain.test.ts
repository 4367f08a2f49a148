import { describe, expect, it } from "vitest";
import { backwardEffects } from "../../src/explain/backward-effects";
import { explainNode } from "../../src/explain/node";
import { explainError, explainHazard } from "../../src/explain/problems";
import { toText } from "../../src/text/piece";
import { callKey } from "../../src/graph/keys";
import { fold } from "../../src/log/fold";
import { belongsTo } from "../../src/explain/scope";
import { versionWords } from "../../src/explain/version";
import { decode, PROTOCOL, type Finding, type Place } from "../../src/log/events";
import { summedOver, tidy, transposed } from "../../src/explain/formula";
import { hazards, type ErrorRow, type Model } from "../../src/log/model";
import { createStore } from "../../src/store/store";
import { Program } from "../builder";
import { load, told } from "./explained";
import { exampleA, exampleG } from "../examples";

/** The gradients of a finished node as of arrays too large to be told number by number. */
function large(grads: unknown): unknown {
  const stats = [-1, 1, 0.5, 0];
  return (grads as unknown[]).map((grad) => grad && [[32, 4], "float32", null, stats, null]);
}

const NO_ERROR: ErrorRow = {
  ...{ kind: "other", type: "RuntimeError", message: "m", help: [], run: null, node: null },
  ...{ slot: null, value: null, expected: null, found: null, writes: [], source: null },
  ...{ op: null, inputs: [], scope: null, finding: null, time: 0 },
};

/** What is told of an error before its message. */
function wordsOf(model: Model, error: ErrorRow): string[] {
  return explainError(model, error).lines.slice(0, -1).map(toText);
}

function lineOf(file: string, line: number, text: string): Place {
  return { file, line, text, function: "" };
}

describe("explanations", () => {
  it("work out what an operator wrote, and promise nothing of what .data wrote", () => {
    const p = new Program();
    const one = (value: number) => [[1], "float32", [value], null, null];
    p.tell("define", "sub_", "−", "{self} − {other}", ["self", "other"], []);
    p.tell("define", "zero_", "0", "0", ["self"], []);
    const [w, g] = [p.leaf("w", [2]), p.leaf("g", [-3])];
    p.tell("value", 90, w.storage, 1, false, true, false, null, one(5));
    p.tell("op", 90, "sub_", [w.id, g.id], {}, [90], null, true, null, null);
    p.tell("write", w.storage, 1, w.id, 90, null, null, 90, null);
    p.tell("value", 91, 91, 0, false, false, false, null, one(-3));
    p.tell("op", 91, "data", [g.id], {}, [91], null, false, null, null);
    p.tell("value", 92, 91, 1, false, false, false, null, one(0));
    p.tell("op", 92, "zero_", [91], {}, [92], null, true, null, null);
    p.tell("write", 91, 1, 91, 92, null, null, 92, null);
    const words = told(load(p));
    expect(words.at(-3)).toContain("written in place: version 0 → 1 | [2.] − [-3.] = [5.]");
    expect(words.at(-1)).toMatch(/^data\(g\) is written in place/);
    expect(words.at(-1)).toContain("which autograd does not notice");
    expect(words.at(-1)).not.toContain("Nothing that backward needs");
    p.tell("value", 93, g.storage, 0, false, true, false, null, one(0));
    p.tell("op", 93, "zero_", [92], {}, [94], null, true, null, null);
    p.tell("write", 91, 2, 92, 94, g.id, 93, 93, null);
    p.tell("op", 95, "data_", [93, 90], {}, [95], null, true, null, null);
    p.tell("write", g.storage, 0, 93, 95, null, null, 95, null);
    const more = told(load(p)).join();
    expect(more).toContain("g is written through .data: its version stays");
    expect(more).toContain("is given other data: its version stays");
  });

  it("tell of several nodes of one call which of them a gradient goes to", () => {
    const p = new Program();
    const [x, w] = [p.leaf("x", [2]), p.leaf("w", [3])];
    const one = [[1], "float32", [5], null, null];
    p.tell("value", 90, 90, 0, true, false, false, null, one);
    p.tell("op", 90, "loss", [x.id], {}, [90], null, false, null, null);
    p.tell("node", 80, "AccumulateGrad", null, [], [], [], x.id);
    p.tell("node", 79, "AccumulateGrad", null, [], [], [], w.id); // no input of the call
    p.tell("node", 81, "LogSoftmaxBackward0", 90, [], [[80, 0], [79, 0]], [], null); // prettier-ignore
    p.tell("node", 82, "NllLossBackward0", 90, [90], [[81, 0]], [], null);
    p.tell("name", 90, "y", "");
    p.tell("backward", 7, [[90, 82]], false, false, false, null, null);
    p.tell("start", 7, 82, [one]);
    p.tell("finish", 7, 82, [[[1], "float32", [6], null, null]], null);
    p.tell("start", 7, 81, [[[1], "float32", [6], null, null]]);
    p.tell("finish", 7, 81, [[[1], "float32", [7], null, null], one], null);
    const [first, second] = told(load(p)).slice(-2);
    expect(first).toContain("| → LogSoftmaxBackward0, a part of the same: [6.]");
    expect(first).not.toContain("∂x");
    expect(second).toBe(
      "LogSoftmaxBackward0 runs | It is a part of the derivative of y. Incoming gradient: [6.] | → x: [7.] | → w: [5.]",
    );
  });

  it("tell a forward op with names and numbers", () => {
    const lines = told(load(exampleA()));
    expect(lines[4]).toBe(
      "y = a × b | [3.] × [2.] = [6.] | " +
        "MulBackward0 is recorded for backward; saved a (version 0) and b (version 0).",
    );
  });

  it("tell of arrays too large for their numbers what came of them only", () => {
    const json = exampleA().json.map((row) =>
      row[0] === "value" && row[1] === 3
        ? row.map((field, i) => (i === 8 ? (large([1]) as unknown[])[0] : field))
        : row,
    );
    const store = createStore();
    store.load(JSON.stringify({ protocol: PROTOCOL, first: 0, events: json }));
    expect(told(store)[4]).toMatch(/^y = a × b \| = \[6\.\] \|/);
  });

  it("tell a node's derivatives like a textbook", () => {
    const lines = told(load(exampleA()));
    expect(lines[6]).toContain("MulBackward0 runs | It is the derivative of y = a × b.");
    expect(lines[6]).toContain("→ a: ∂y/∂a = b = 2, times the gradient: [1.] · 2 = [2.]");
    expect(lines[6]).toContain("a and b are no longer needed and are freed.");
    expect(lines[7]).toContain("∂y/∂w = ∂y/∂b · ∂b/∂w = [3.] · 1 = [3.]");
  });

  it("tell a number that an op takes as a parameter in its place", () => {
    const p = new Program();
    const x = p.leaf("x", [-2]);
    p.tell("define", "pow", "^", "{self} ^ {exponent}", ["self"], []);
    p.tell("value", 90, 90, 0, true, false, false, null, [[1], "float32", [-8], null, null]);
    p.tell("op", 90, "pow", [x.id], { exponent: "3" }, [90], null, false, null, null);
    expect(told(load(p)).at(-1)).toContain("[-2.] ^ 3 = [-8.]");
    p.tell("value", 91, 91, 0, true, true, false, null, [[], "float32", [-2], null, null]);
    p.tell("value", 92, 92, 0, true, false, false, null, [[], "float32", [-8], null, null]);
    p.tell("op", 91, "pow", [91], { exponent: "3" }, [92], null, false, null, null);
    expect(told(load(p)).at(-1)).toContain("(-2.) ^ 3 = -8.");
  });

  it("never write the derivative of a value by an earlier one of its name", () => {
    const p = new Program();
    const [h, w] = [p.leaf("h", [3]), p.leaf("w", [5])];
    const product = p.op("mul", [h, w], "h");
    p.backward(p.op("mul", [product, 2], "loss"));
    const line = told(load(p)).find((text) => text.includes("∂loss/∂w"));
    expect(line).toContain("→ h: w = 5, times the gradient: [2.] · 5 = [10.]");
    expect(line).toContain("→ w: ∂h/∂w = h = 3, so ∂loss/∂w = ∂loss/∂h · ∂h/∂w = [2.] · 3 = [6.]");

    const q = new Program();
    const first = q.op("mul", [q.leaf("x", [3]), 4], "loss");
    q.backward(q.op("mul", [first, 2], "loss"));
    const inner = told(load(q)).find((text) => text.includes("→ x"));
    expect(inner).toContain("Incoming gradient: [2.]");
    expect(inner).toContain("→ x: ∂loss/∂x = 4, times the gradient: [2.] · 4 = [8.]");
  });

  it("tell where gradients were added up", () => {
    const lines = told(load(exampleA()));
    const line = lines.find((text) => text.startsWith("AccumulateGrad adds to w.grad"));
    expect(line).toContain("2 wires and were added: [3.] + [2.] = [5.]");
    expect(line).toContain("w.grad = [5.]");
  });

  it("call gradients of which only the shapes are known no more than that", () => {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [1]);
    let y = p.op("add", [w, w], "y");
    for (let i = 0; i < 4; i += 1) y = p.op("add", [y, w], "y");
    p.backward(y);
    const line = (): string =>
      told(load(p)).find((text) => text.startsWith("AccumulateGrad")) ?? "";
    expect(line()).toContain("6 wires and were added: 6 equal contributions of [1.]");
    for (const event of p.json) if (event[0] === "finish") event[3] = large(event[3]);
    expect(line()).toContain("6 wires and were added: 6 gradients of shape (32, 4)");
  });

  it("give a long name whole in a sentence", () => {
    const p = new Program();
    p.cell();
    const own = "model.layers[0].self_attn.in_proj_weight";
    p.backward(p.op("mul", [p.parameter(own, [1]), 2], "y"));
    expect(told(load(p)).join("\n")).toContain(`AccumulateGrad adds to ${own}.grad |`);
  });

  it("say why a parameter does not begin at version 0", () => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [1]);
    const row = fold(p.events()).values.get(w.id);
    if (!row) throw new Error("no value");
    expect(versionWords(row)).toBeNull();
    expect(versionWords({ ...row, version: 1 })).toContain("initialisation");
    expect(versionWords({ ...row, version: 1, call: 3 })).toBeNull();
  });

  it("tell a hazard at once, with both lines, versions and a fix", () => {
    const model = fold(exampleG(false).events());
    const [hazard] = hazards(model);
    if (!hazard) throw new Error("no hazard");
    const { title, lines } = explainHazard(model, hazard);
    const text = [title, ...lines].map(toText).join(" ");
    expect(text).toContain("MulBackward0 saved b at version 0 (cell 1, line 3");
    expect(text).toContain("cell 1, line 5, b[0] = 1000. wrote into the same memory");
    expect(text).toContain("version 1");
    expect(text).toContain("instead of b[0] = 1000.");
    const pasted = lines.flat().filter((piece) => piece.copy);
    expect(pasted.map((piece) => piece.text)).toEqual(["b = b.clone()\nb[0] = 1000."]);
    const keys = lines.flat().flatMap((piece) => (piece.key === undefined ? [] : [piece.key]));
    expect(new Set(keys)).toEqual(new Set(["c2", "c4"]));
  });

  it("tell an error first in our words and last in PyTorch's", () => {
    const model = fold(exampleG().events());
    const [error] = model.errors;
    if (!error) throw new Error("no error");
    const { title, lines } = explainError(model, error);
    expect(toText(title)).toContain("Backward failed");
    expect(toText(lines[0] ?? [])).toContain("MulBackward0 saved b");
    expect(toText(lines.at(-1) ?? [])).toContain("modified by an inplace operation");
  });

  it("tell what was found of an error, with its fix to be pasted", () => {
    const model = fold(exampleG().events());
    const [error] = model.errors;
    if (!error) throw new Error("no error");
    const finding: Finding = {
      ...{ kind: "freed", reader: null, fix: "h = h.detach()\nh = cell(x, h)", tried: "" },
      ...{ text: "h is used again.", culprit: lineOf("/tmp/train.py", 2, "h = cell(x, h)") },
    };
    const told = (kind: string, more: Partial<Finding> = {}): string[] =>
      wordsOf(model, { ...error, kind, finding: { ...finding, ...more } });
    expect(told("freed")).toEqual([
      "h is used again.",
      "Caused by train.py, line 2, h = cell(x, h)",
      "Fix: h = h.detach()\nh = cell(x, h)",
    ]);
    const { lines } = explainError(model, { ...error, kind: "freed", finding });
    expect(lines.flat().filter((piece) => piece.copy)).toHaveLength(1);
    const [first, ...rest] = told("version");
    expect(first).toContain("MulBackward0 saved b");
    expect(rest).toEqual(["Fix: h = h.detach()\nh = cell(x, h)"]);
    const culprit = lineOf("cell 3", 2, "h *= 2");
    expect(told("version", { culprit, fix: "h = h * 2" })[1]).toBe(
      "Fix: instead of h *= 2 (cell 3, line 2) write h = h * 2",
    );
    const reader = lineOf("cell 3", 4, "loss.backward()");
    const more = { culprit: null, reader, fix: "", tried: "Tried: it runs." };
    expect(told("other", more)).toEqual([
      "h is used again.",
      "Needed by cell 3, line 4, loss.backward()",
      "Tried: it runs.",
    ]);
    expect(told("other", { ...more, culprit: reader })).toHaveLength(3); // one line, told once
    expect(told("freed", { culprit: null })[0]).toContain("The backward before this one released");
    expect(told("other", { culprit: null })).toEqual([finding.text, `Fix: ${finding.fix}`]);
  });

  it("link a finding's line to what it did, and set its code as code", () => {
    const model = fold(exampleG().events());
    const [error] = model.errors;
    const call = [...model.calls.values()].at(-1);
    const source = model.sources.get(call?.source ?? -1);
    if (!error || !call || !source) throw new Error("no example");
    const finding: Finding = {
      ...{ kind: "no_grad", reader: null, fix: "", tried: "" },
      text: "It was made under `torch.no_grad()`.",
      culprit: lineOf(`cell ${source.cell}`, source.line, source.text),
    };
    const { title, lines } = explainError(model, { ...error, kind: "other", finding });
    expect(toText(title)).toContain("no graph leads back");
    expect(lines[0]?.map(({ tone, text }) => [tone, text])).toEqual([
      ["plain", "It was made under "],
      ["code", "torch.no_grad()"],
      ["plain", "."],
    ]);
    expect(lines[1]?.find(({ key }) => key)?.key).toBe(callKey(call.call));
  });

  it("find where the graph was cut that a backward needs", () => {
    const p = new Program();
    const w = p.leaf("w", [1, 2]);
    const doubled = p.op("mul", [{ ...w, grad: false }, 2]); // as under no_grad
    const y = p.op("mean", [doubled], "y");
    const model = fold(p.events());
    const error = { ...NO_ERROR, kind: "no_grad", help: ["No way back."], value: y.id };
    expect(wordsOf(model, error)[0]).toMatch(/line \d+.*: w requires grad, and what was made/);
    expect(wordsOf(model, { ...error, value: w.id })).toEqual(["No way back."]);
  });

  it("tell an error in the sentences that came with it where nothing else is known", () => {
    const model = fold(exampleG().events());
    const [error] = model.errors;
    if (!error) throw new Error("no error");
    const help = ["no_grad: x needs no grad.", "  caused by  cell 3, line 2: x = x.detach()"];
    expect(wordsOf(model, { ...error, kind: "other", help })).toEqual(help);
  });

  it("say what backward would do before it is pressed", () => {
    const before = fold(exampleA(false).events());
    expect(toText(backwardEffects(before, 5))).toBe(
      "Backward from y runs 5 nodes, adds to .grad of w and x, and frees 2 saved values.",
    );
    const after = fold(exampleA().events());
    expect(toText(backwardEffects(after, 5))).toContain("will fail");
    const events = exampleA().events();
    const running = events.findIndex(({ event }) => event === "finish") + 2;
    expect(backwardEffects(fold(events.slice(0, running)), 5)).toEqual([]);
  });

  it("tell what came into a node that failed before it could say so", () => {
    const events = exampleA().events();
    const inner = events.filter(({ event }) => event === "start")[1];
    const untold = events.map((each) => (each === inner ? { ...each, grads: [] } : each));
    const words = (all: typeof events): string => {
      const model = fold(all);
      const node = inner?.event === "start" ? model.nodes.get(inner.node) : undefined;
      return node ? explainNode(model, node, []).lines.map(toText).join(" | ") : "";
    };
    expect(words(events)).toContain("Incoming gradient: ");
    expect(words(untold).split(" | ")[0]).toBe(words(events).split(" | ")[0]);
  });

  it("tell why shapes do not fit, and what would", () => {
    const p = new Program();
    p.cell();
    const h = p.leaf("h", new Array<number>(12).fill(1), true, [3, 4]);
    const w = p.leaf("w", new Array<number>(8).fill(1), true, [2, 4]);
    const b = p.leaf("b", [1, 2, 3], true, [3]);
    const v = p.leaf("v", new Array<number>(6).fill(1), true, [2, 3]);
    const summary = [[2, 3], "float32", [1, 2, 3, 4, 5, 6], null, null];
    p.tell("value", 90, 90, 0, true, true, false, null, summary);
    const failed = (op: string, inputs: number[]): ErrorRow => ({
      ...NO_ERROR,
      ...{ kind: "call", op, inputs },
    });
    const model = fold(p.events());
    const told = (op: string, inputs: number[]): string =>
      explainError(model, failed(op, inputs)).lines.map(toText).join(" | ");
    expect(told("mm", [h.id, w.id])).toBe(
      "mm was given h (3, 4) and w (2, 4). | A product takes rows of the first times columns of " +
        "the second: the rows of h have 4 items, the columns of w have 2. | Fix: h @ w.T | " +
        "RuntimeError: m",
    );
    expect(told("addmm", [b.id, h.id, w.id])).toContain("the rows of h have 4 items");
    expect(told("linear", [h.id, v.id, b.id])).toContain(
      "the rows of its input times the rows of its weight: those of h have 4 items, those of v have 3.",
    );
    expect(told("relu", [90])).toContain("relu was given the (2, 3) leaf without a name.");
    expect(told("add", [h.id, b.id])).toContain("Here h has 4 and b has 3. | Fix: b[:, None]");
    expect(told("add", [999])).toBe("RuntimeError: m");
  });
});

describe("where a call belongs", () => {
  const scope = (id: number, parent: number | null, kind: string, name: string, text: string) =>
    decode(["scope", id, parent, kind, name, text, null, true]);
  const model = fold([
    scope(1, null, "module", "net", "Sequential"),
    scope(2, 1, "module", "net[0]", "Linear"),
    scope(3, 2, "no_grad", "no_grad", ""),
    scope(4, null, "step", "SGD", "lr=0.1"),
    scope(5, 9, "iteration", "1", ""),
    scope(6, null, "step", "SGD", "lr=0.1, momentum=0.9"),
    scope(7, null, "step", "SGD", "lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True"),
  ]);

  it("is told with its formula or rule", () => {
    expect(toText(belongsTo(model, 3))).toBe("It is part of net[0] (Linear): x @ weightᵀ + bias");
    expect(toText(belongsTo(model, 4))).toBe(
      "It is part of a step of SGD (lr=0.1): w ← w − lr · g",
    );
    expect(toText(belongsTo(model, 6))).toContain("v ← momentum · v + g, then w ← w − lr · v");
    expect(toText(belongsTo(model, 7))).toContain("lr · (g + weight_decay · w + momentum · v)");
    expect(belongsTo(model, 5)).toEqual([]);
    expect(belongsTo(model, null)).toEqual([]);
  });
});

it("a step of plain SGD is told in numbers, if they are what happened", () => {
  const step = (text: string, made: number): string => {
    const p = new Program();
    p.cell();
    const w = p.parameter("w", [1]);
    p.tell("grad", w.id, "accumulated", [[1], "float32", [4], null, null], null, null, null);
    p.within("step", "SGD", text, () => {
      w.data = [made];
      p.update(w);
    });
    return told(load(p)).at(-1) ?? "";
  };
  expect(step("lr=0.1", 1 - 0.1 * 4)).toContain("| [1.] − 0.1 · [4.] = [0.6] |");
  expect(step("lr=0.1", 1 + 0.1 * 4)).toContain("| Its value is now [1.4] |");
  expect(step("lr=0.1, momentum=0.9", 1 - 0.1 * 4)).toContain("| Its value is now [0.6] |");
});

it("a second name is told with the first", () => {
  const p = new Program();
  p.cell();
  const h = p.leaf("h", [1]);
  p.op("add", [h, 1], "y");
  p.cell("alias = h");
  p.tell("name", h.id, "alias", "");
  const store = createStore();
  store.load(p.packed());
  expect(toText(store.explanation.value?.title ?? [])).toBe("alias is now another name of h");
});

describe("formulas", () => {
  it("are made plain", () => {
    expect(tidy("2 × x ^ (2 − 1)")).toBe("2 × x");
    expect(tidy("gradient @ weightᵀᵀ")).toBe("gradient @ weight");
    expect(tidy("gradient @ (weightᵀ)ᵀ")).toBe("gradient @ weight");
    expect(transposed("(8, 3)ᵀ @ (8, 5)")).toBe("(3, 8) @ (8, 5)");
  });

  it("say what a sum went over", () => {
    expect(summedOver([8, 3], [3])).toBe("summed over the 8 rows of the batch");
    expect(summedOver([2, 5, 3], [3])).toBe("summed over the 10 rows of all batches");
    expect(summedOver([8, 3], [])).toBe("summed over all 24 items");
    expect(summedOver([8, 3], [8, 1])).toBe("summed along dim 1 (3 items)");
    expect(summedOver([8, 3], [8, 3])).toBeNull();
  });
});
