import { describe, expect, it } from "vitest";
import { fold } from "../../src/log/fold";
import { Program } from "../builder";
import { pillText } from "../../src/graph/pill-text";
import { inputEdges } from "../../src/graph/draw/edges";
import type { Model, NodeRow } from "../../src/log/model";

/* What PyTorch records of `F.linear(x, weight, bias)`: AddmmBackward0's edges are those of the
   bias, of x and of the transposed weight, whose TBackward0 belongs to the same call. */
const X = 1;
const WEIGHT = 2;
const BIAS = 3;
const ADDMM = 13;
const T = 12;

const node = (
  id: number,
  call: number | null,
  next: [number | null, number][],
  variable?: number,
) => [id, { node: id, call, next, variable: variable ?? null }] as const;

const leaf = (value: number, requires_grad: boolean, version = 0, storage = value) =>
  [
    value,
    { value, storage, version, leaf: true, requires_grad, view_of: null, node: null, nr: 0 },
  ] as const;

function linear(...written: ReturnType<typeof leaf>[]): Model {
  const nodes = new Map([
    node(10, null, [], WEIGHT),
    node(11, null, [], BIAS),
    node(T, 1, [[10, 0]]),
    node(ADDMM, 1, [[11, 0], [null, 0], [T, 0]]),
  ]); // prettier-ignore
  const values = new Map([leaf(X, false), leaf(WEIGHT, true), leaf(BIAS, true), ...written]);
  return { nodes, values, calls: new Map() } as unknown as Model;
}

const addmm = (model: Model): NodeRow => {
  const found = model.nodes.get(ADDMM);
  if (!found) throw new Error("no such node");
  return found;
};

const EDGES = [null, { node: T, edge: 0 }, { node: ADDMM, edge: 0 }];

describe("the edges of a call's inputs", () => {
  it("follows what made them, not their order, and through nodes of the same call", () => {
    const model = linear();
    expect(inputEdges(model, addmm(model), [X, WEIGHT, BIAS])).toMatchObject(EDGES);
  });

  it("knows a leaf again that an optimizer has written into", () => {
    const model = linear(leaf(20, true, 1, WEIGHT), leaf(21, true, 1, BIAS));
    expect(inputEdges(model, addmm(model), [X, 20, 21])).toMatchObject(EDGES);
  });
});

/* What PyTorch records of `grad(u, x, create_graph=True)` where u is some value of another call: its
   MulBackward0 leads to a node of that and to one of its own, which leads to x. */
describe("the edges of what autograd.grad gave", () => {
  const U = 4;
  const model = {
    nodes: new Map([
      node(10, null, [], X),
      node(14, 1, [[10, 0]]),
      node(15, 2, [[10, 0]]),
      node(16, 2, [[14, 0], [15, 0]]),
    ]), // prettier-ignore
    values: new Map<number, unknown>([
      leaf(X, true),
      [U, { ...leaf(U, true)[1], leaf: false, node: 17 }],
    ]),
    calls: new Map([[2, { op: "grad" }]]),
  } as unknown as Model;

  it("lead to what it was derived by, and none to what was derived", () => {
    const last = model.nodes.get(16);
    expect(last && inputEdges(model, last, [U, X])).toEqual([
      null,
      { node: 15, edge: 0, input: 1 },
    ]);
  });
});

describe("the sign on a pill", () => {
  it("has room for the path of a module, and is cut beyond it", () => {
    const p = new Program();
    p.op("add", [p.leaf("x", [1]), p.leaf("w", [1])]);
    const model = fold(p.events());
    const [call] = model.calls.values();
    if (!call) throw new Error("no call");
    expect(pillText(model, { ...call, op: "encoder.projection" })).toBe("encoder.projection");
    expect(pillText(model, { ...call, op: "p".repeat(60) }).length).toBeLessThanOrEqual(24);
  });

  it("is the op's own where the formula names its only tensor twice", () => {
    const p = new Program();
    p.op("add", [p.leaf("x", [1]), p.leaf("w", [1])]);
    const model = fold(p.events());
    const [call] = model.calls.values();
    const op = { inputs: ["self"], sign: "gelu", text: "{self} · Φ({self})" };
    if (!call) throw new Error("no call");
    const known = { ...model, ops: new Map([["gelu", op]]) } as unknown as Model;
    expect(pillText(known, { ...call, op: "gelu", inputs: call.inputs.slice(1) })).toBe("gelu");
  });
});
