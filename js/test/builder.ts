import { decode, type Event } from "../src/log/events";

/*
 * Writes logs as a kernel would, for tests: a few ops on small arrays of equal shape (or
 * scalars), their nodes, and a backward that runs them. Only as much as the tests need.
 */

type Numbers = readonly number[];

export interface Tensor {
  id: number;
  data: number[];
  shape: readonly number[];
  storage: number;
  version: number;
  grad: boolean;
  node: number | null;
  /** The value whose gradient it is. */
  of?: number;
}

interface Node {
  id: number;
  name: string;
  next: (number | null)[];
  variable: Tensor | null;
  saved: Tensor[];
  /** Local Jacobians, one for each edge. */
  local: Numbers[][];
  rows: number;
  values: { storage: number; version: number }[];
}

const DEFINES: Record<string, unknown[]> = {
  add: [
    "add",
    "+",
    "{self} + {other}",
    ["self", "other"],
    [
      ["self", "{grad}", "1"],
      ["other", "{grad}", "1"],
    ],
  ],
  detach: ["detach", "detach", "{self}", ["self"], []],
  mul: [
    "mul",
    "×",
    "{self} × {other}",
    ["self", "other"],
    [
      ["self", "{grad} × {other}", "{other}"],
      ["other", "{grad} × {self}", "{self}"],
    ],
  ],
  sub: ["sub", "−", "{self} − {other}", ["self", "other"], []],
  mean: ["mean", "mean", "mean({self})", ["self"], [["self", "{grad} / n", null]]],
  fill_: ["fill_", "←", "{self} ← {value}", ["self"], []],
};

export class Program {
  readonly json: unknown[][] = [];
  private next = { value: 1, call: 1, node: 1, run: 1, source: 1 };
  private cellCount = 0;
  private defined = new Set<string>();
  private nodes = new Map<number, Node>();
  private accumulators = new Map<number, number>();
  private grads = new Map<number, number[]>();
  private line = 0;
  private scopes: number[] = [];
  private scopeCount = 0;
  private lines = new Map<string, number>();

  /** A region of a kind: what the body does stands in it. Returns its number. */
  within(kind: string, name: string, text: string, body: () => void): number {
    this.scopeCount += 1;
    const id = this.scopeCount;
    this.tell("scope", id, this.scope, kind, name, text, null, true);
    this.scopes.push(id);
    body();
    this.scopes.pop();
    this.tell("scope", id, null, kind, name, text, null, false);
    return id;
  }

  private get scope(): number | null {
    return this.scopes.at(-1) ?? null;
  }

  /** A parameter of a module, by its path. */
  parameter(name: string, data: Numbers): Tensor {
    const t = this.fresh(data, [data.length], true);
    this.value(t, true, true);
    this.tell("name", t.id, name, "module");
    return t;
  }

  /** An optimizer's write: the parameter is now at the next version. */
  update(t: Tensor): void {
    this.define("add");
    const before = t.id;
    t.id = this.next.value++;
    t.version += 1;
    this.accumulators.delete(before);
    this.value(t, true, true);
    const call = this.next.call++;
    this.tell("op", call, "add_", [before, "0.1"], {}, [t.id], null, true, this.scope, null);
    this.tell("write", t.storage, t.version, before, t.id, null, null, call, null);
  }

  cell(source = ""): void {
    this.cellCount += 1;
    this.line = 0;
    this.tell("cell", this.cellCount, source);
  }

  leaf(name: string, data: Numbers, grad = true, shape: readonly number[] = [data.length]): Tensor {
    const t = this.fresh(data, shape, grad);
    this.source(`${name} = tensor(...)`);
    this.value(t, true);
    this.tell("name", t.id, name, "");
    return t;
  }

  /** A leaf without a name, as a gradient is one. */
  unnamed(data: Numbers): Tensor {
    const t = this.fresh(data, [data.length], false);
    this.value(t, true);
    return t;
  }

  /** What the `.grad` of a leaf holds. */
  gradient(leaf: Tensor, data: Numbers): Tensor {
    const t = { ...this.fresh(data, [data.length], false), of: leaf.id };
    this.value(t, true);
    return t;
  }

  op(op: string, inputs: readonly (Tensor | number)[], name?: string, scope = ""): Tensor {
    this.define(op);
    const source = this.source(`${name ?? "_"} = ${op}(...)`);
    const tensors = inputs.filter((x) => typeof x !== "number");
    const n = Math.max(...tensors.map((t) => t.data.length));
    const at = (x: Tensor | number, i: number): number =>
      typeof x === "number" ? x : (x.data[x.data.length === 1 ? 0 : i] ?? 0);
    const data: number[] = [];
    const [a = 0, b = 0] = inputs;
    for (let i = 0; i < (op === "mean" ? 1 : n); i += 1) {
      if (op === "mean") data.push((a as Tensor).data.reduce((s, x) => s + x, 0) / n);
      else if (op === "sub") data.push(at(a, i) - at(b, i));
      else data.push(op === "add" ? at(a, i) + at(b, i) : at(a, i) * at(b, i));
    }
    const widest = tensors.find((t) => t.data.length === n);
    const grad = tensors.some((t) => t.grad);
    const result = this.fresh(data, op === "mean" ? [] : (widest?.shape ?? []), grad);
    this.value(result, !grad);
    const call = this.next.call++;
    const ids = inputs.map((x) => (typeof x === "number" ? String(x) : x.id));
    this.tell("op", call, op, ids, {}, [result.id], null, false, this.scope, source);
    if (grad) this.node(op, call, inputs, result);
    if (name !== undefined) this.tell("name", result.id, name, scope);
    else this.tell("dead", result.id);
    return result;
  }

  /** An in-place write of a number into every item. */
  fill(t: Tensor, x: number, code = "b[0] = 1000."): Tensor {
    this.define("fill_");
    const source = this.source(code);
    const after = {
      ...t,
      id: this.next.value++,
      version: t.version + 1,
      data: t.data.map(() => x),
    };
    this.value(after, !t.grad);
    const call = this.next.call++;
    this.tell(
      "op",
      call,
      "fill_",
      [t.id],
      { value: String(x) },
      [after.id],
      null,
      true,
      this.scope,
      source,
    );
    this.tell("write", t.storage, after.version, t.id, after.id, null, null, call, source);
    return after;
  }

  retain(t: Tensor): void {
    this.tell("flag", t.id, t.grad, true);
  }

  /** Runs backward from a scalar. Fails where a saved value is stale, as a kernel would. */
  backward(root: Tensor, current: readonly Tensor[] = [], live = false): void {
    const source = this.source("y.backward()");
    const run = this.next.run++;
    this.tell("backward", run, [[root.id, root.node]], false, false, live, null, source);
    const incoming = new Map<number, number[]>([[root.node ?? 0, root.data.map(() => 1)]]);
    const order = [...this.nodes.keys()].sort((a, b) => this.rank(b) - this.rank(a));
    for (const id of order) {
      const grad = incoming.get(id);
      const node = this.nodes.get(id);
      if (!grad || !node) continue;
      this.tell("start", run, id, [this.summary(grad, [grad.length])]);
      const stale = node.saved.findIndex((s, i) =>
        current.some((t) => t.storage === s.storage && t.version > (node.values[i]?.version ?? 0)),
      );
      if (stale >= 0) {
        this.fail(run, node, stale, current, source);
        return;
      }
      if (node.variable) this.accumulate(run, node, node.variable, grad);
      else this.finish(run, node, grad, incoming);
    }
    this.tell("done", run, "ok");
  }

  events(): Event[] {
    return this.json.map(decode);
  }

  packed(): string {
    return JSON.stringify({ protocol: 2, first: 0, events: this.json });
  }

  tell(...event: unknown[]): void {
    this.json.push(event);
  }

  private rank(id: number): number {
    return this.nodes.get(id)?.variable ? -id : id;
  }

  private finish(run: number, node: Node, grad: Numbers, incoming: Map<number, number[]>): void {
    const sent = node.local.map((jacobian, edge) => {
      if (node.next[edge] === null) return null;
      const columns = (jacobian[0] ?? []).length;
      return Array.from({ length: columns }, (_, c) =>
        grad.reduce((sum, g, r) => sum + g * (jacobian[r]?.[c] ?? 0), 0),
      );
    });
    const local = node.local.map((j, edge) =>
      node.next[edge] === null ? null : [j.length, j[0]?.length ?? 0, j.flat()],
    );
    this.tell(
      "finish",
      run,
      node.id,
      sent.map((s) => s && this.summary(s, [s.length])),
      local,
    );
    sent.forEach((s, edge) => {
      const to = node.next[edge];
      if (!s || to == null) return;
      const known = incoming.get(to);
      incoming.set(to, known ? known.map((x, i) => x + (s[i] ?? 0)) : s);
    });
    this.tell("free", node.id);
  }

  private accumulate(run: number, node: Node, leaf: Tensor, grad: Numbers): void {
    const before = this.grads.get(leaf.id);
    const total = grad.map((x, i) => x + (before?.[i] ?? 0));
    this.grads.set(leaf.id, total);
    const added = before ? this.summary(grad, leaf.shape) : null;
    this.tell("grad", leaf.id, "accumulated", this.summary(total, leaf.shape), added, run, null);
    this.tell("finish", run, node.id, [], null);
  }

  private fail(
    run: number,
    node: Node,
    slot: number,
    current: readonly Tensor[],
    source: number,
  ): void {
    const saved = node.saved[slot];
    const found = current.find((t) => t.storage === saved?.storage)?.version ?? 1;
    const expected = node.values[slot]?.version ?? 0;
    const message =
      "one of the variables needed for gradient computation has been modified by an inplace operation";
    const times = this.json.flatMap((e, t) =>
      e[0] === "write" && e[1] === saved?.storage ? [t] : [],
    );
    this.tell(
      "error",
      "version",
      "RuntimeError",
      message,
      [],
      run,
      node.id,
      ["self", "other"][slot],
      saved?.id ?? null,
      expected,
      found,
      times,
      source,
      null,
      [],
      null,
    );
    this.tell("done", run, "failed");
  }

  private node(
    op: string,
    call: number,
    inputs: readonly (Tensor | number)[],
    result: Tensor,
  ): void {
    const tensors = inputs.filter((x) => typeof x !== "number");
    const next = tensors.map((t) => this.edge(t));
    const id = this.next.node++;
    result.node = id;
    const saved = op === "mul" ? tensors.filter((t) => t.grad || tensors.length > 1) : [];
    const local = tensors.map((t, i) =>
      jacobian(op, tensors, inputs, i, result.data.length, t.data.length),
    );
    const name = `${op[0]?.toUpperCase() ?? ""}${op.slice(1)}Backward0`;
    const values = saved.map(({ storage, version }) => ({ storage, version }));
    this.nodes.set(id, {
      id,
      name,
      next,
      variable: null,
      saved,
      local,
      rows: result.data.length,
      values,
    });
    const slots = saved.map((t, i) => [["self", "other"][i], t.id, t.storage, t.version, null]);
    this.tell(
      "node",
      id,
      name,
      call,
      [result.id],
      next.map((n) => [n, 0]),
      slots,
      null,
    );
  }

  private edge(t: Tensor): number | null {
    if (!t.grad) return null;
    if (t.node !== null) return t.node;
    const known = this.accumulators.get(t.id);
    if (known !== undefined) return known;
    const id = this.next.node++;
    this.accumulators.set(t.id, id);
    const node = {
      id,
      name: "AccumulateGrad",
      next: [],
      variable: t,
      saved: [],
      local: [],
      rows: 0,
      values: [],
    };
    this.nodes.set(id, node);
    this.tell("node", id, "AccumulateGrad", null, [], [], [], t.id);
    return id;
  }

  private fresh(data: Numbers, shape: readonly number[], grad: boolean): Tensor {
    const id = this.next.value++;
    return { id, data: [...data], shape, storage: id, version: 0, grad, node: null };
  }

  private value(t: Tensor, leaf: boolean, parameter = false): void {
    this.tell(
      "value",
      t.id,
      t.storage,
      t.version,
      t.grad,
      leaf,
      parameter,
      null,
      this.summary(t.data, t.shape),
      t.of ?? null,
    );
  }

  private summary(data: Numbers, shape: readonly number[]): unknown[] {
    if (data.length <= 32) return [shape, "float32", data, null, null];
    const stats = [
      Math.min(...data),
      Math.max(...data),
      data.reduce((s, x) => s + x, 0) / data.length,
      0,
    ];
    return [shape, "float32", null, stats, null];
  }

  private define(op: string): void {
    if (this.defined.has(op)) return;
    this.defined.add(op);
    this.tell("define", ...(DEFINES[op] ?? []));
  }

  private source(text: string): number {
    // The same line in a later iteration of a loop is the same source.
    const key = `${this.cellCount} ${text}`;
    const known = this.scopes.length > 0 ? this.lines.get(key) : undefined;
    if (known !== undefined) return known;
    const id = this.next.source++;
    this.lines.set(key, id);
    this.line += 1;
    this.tell("source", id, this.cellCount || null, null, this.line, "", text);
    return id;
  }
}

function jacobian(
  op: string,
  tensors: readonly Tensor[],
  inputs: readonly (Tensor | number)[],
  i: number,
  rows: number,
  columns: number,
): number[][] {
  const other = tensors.length > 1 ? tensors[1 - i] : inputs.find((x) => typeof x === "number");
  return Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (__, c) => {
      if (op === "mean") return 1 / columns;
      if (columns > 1 && r !== c) return 0;
      if (op === "add") return 1;
      if (typeof other === "number") return other;
      return other?.data[other.data.length === 1 ? 0 : r] ?? 0;
    }),
  );
}
