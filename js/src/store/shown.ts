import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Graph } from "../graph/graph";
import type { ErrorRow, Hazard, Model } from "../log/model";
import { findPaths, type Paths } from "../graph/paths";
import type { Store } from "./store";

/** The paths between a value and an output that are spoken of. */
export interface ShownPaths {
  readonly from: number;
  readonly to: number;
  readonly found: Paths;
}

/** What the picture stresses at the moment shown: errors, stale slots, runs, paths. */
export class Shown {
  /** The other end that the user chose for the paths of the selected value. */
  readonly other = signal<number | null>(null);
  /** The one path that the user points at. */
  readonly onePath = signal<number | null>(null);

  readonly error: ReadonlySignal<ErrorRow | null>;
  readonly hazards: ReadonlySignal<readonly Hazard[]>;
  /** Nodes that failed; an error that only speaks of a node (a None gradient) is no failure. */
  readonly failed: ReadonlySignal<ReadonlySet<number>>;
  /** The newest run, whose gradients are drawn strongly. */
  readonly run: ReadonlySignal<number | null>;
  /** Values at the end of the graph, from which backward can be run. */
  readonly roots: ReadonlySignal<ReadonlySet<number>>;
  /** The values that paths of the selected one lead to, or come from when it is an end. */
  readonly others: ReadonlySignal<readonly number[]>;
  readonly paths: ReadonlySignal<ShownPaths | null>;
  /** Numbers of the shown paths that use a wire, by wire, as "1 2". */
  readonly pathsByWire: ReadonlySignal<ReadonlyMap<string, string>>;
  /** The boxes on the paths shown; null when none are. */
  readonly lit: ReadonlySignal<ReadonlySet<string> | null>;

  constructor(store: Store) {
    this.error = computed(() => {
      const model = store.model.value;
      const last = model.errors.at(-1);
      return last && last.time >= (model.cellTimes.at(-1) ?? 0) ? last : null;
    });
    this.hazards = computed(() => {
      const { boxes } = store.graph.value;
      const drawn = new Set<number>();
      for (const box of boxes.values()) {
        if (box.kind === "pill") for (const { node } of box.nodes) drawn.add(node);
      }
      return store.hazards.value.filter(({ node }) => drawn.has(node.node));
    });
    this.failed = computed(() => failedNodes(store.model.value));
    this.run = computed(() => [...store.model.value.runs.keys()].at(-1) ?? null);
    this.roots = computed(() => ends(store.graph.value));
    this.others = computed(() => {
      const id = store.selected.value;
      return id === null ? [] : otherEnds(store.model.value, id, [...this.roots.value]);
    });
    this.paths = computed(() => {
      const id = store.selected.value;
      const [first] = this.others.value;
      if (id === null || first === undefined) return null;
      const wanted = this.other.value;
      const end = wanted !== null && this.others.value.includes(wanted) ? wanted : first;
      const found = findPaths(store.model.value, id, end);
      if (found.count > 0) return { from: id, to: end, found };
      if (end !== wanted) return null; // of an output, the reader chooses the leaf
      return { from: end, to: id, found: findPaths(store.model.value, end, id) };
    });
    this.pathsByWire = computed(() => wiresOn(store, this.paths.value, this.onePath.value));
    this.lit = computed(() => {
      if (this.pathsByWire.value.size === 0) return null;
      const lit = new Set<string>();
      for (const wire of store.graph.value.wires) {
        if (this.pathsByWire.value.has(wire.key)) lit.add(wire.from).add(wire.to);
      }
      return lit;
    });
  }
}

function failedNodes(model: Model): ReadonlySet<number> {
  const failed = new Set<number>();
  for (const { kind, node } of model.errors) {
    const state = node === null ? null : model.nodes.get(node)?.state;
    if (node !== null && state === "failed" && !/^(none|leaf)$/.test(kind)) failed.add(node);
  }
  return failed;
}

/** Values that have a node and that nothing drawn reads. */
function ends({ boxes, wires }: Graph): ReadonlySet<number> {
  const used = new Set(wires.filter((wire) => wire.way === "in").map((wire) => wire.value));
  const found = new Set<number>();
  for (const box of boxes.values()) {
    if (box.kind !== "card" || box.copy || box.value.node === null) continue;
    if (box.value.requires_grad && !used.has(box.value.value)) found.add(box.value.value);
  }
  return found;
}

/** At most this many other ends are offered. */
const MOST_ENDS = 6;

function otherEnds(model: Model, id: number, roots: readonly number[]): number[] {
  const value = model.values.get(id);
  if (!value?.requires_grad) return [];
  const runs = [...model.runs.values()].at(-1)?.roots ?? [];
  const outputs = [...new Set([...runs.flatMap(([v]) => (v === null ? [] : [v])), ...roots])];
  const down = outputs.filter((end) => end !== id && findPaths(model, id, end, 1).count > 0);
  if (down.length > 0) return down.slice(0, MOST_ENDS);
  const leaves: number[] = [];
  for (const node of model.nodes.values()) {
    const leaf = node.variable;
    if (leaf === null || leaf === id || leaves.includes(leaf)) continue;
    if (leaves.length < MOST_ENDS && findPaths(model, leaf, id, 1).count > 0) leaves.push(leaf);
  }
  return leaves;
}

function wiresOn(
  store: Store,
  paths: ShownPaths | null,
  only: number | null,
): ReadonlyMap<string, string> {
  const on = new Map<string, string>();
  if (!paths || paths.found.paths.length === 0) return on;
  const model = store.model.value;
  const mark = (
    test: (w: { way: string; node: number | null; edge: number }) => boolean,
    n: number,
  ) => {
    for (const wire of store.graph.value.wires) {
      if (!test(wire)) continue;
      const known = on.get(wire.key);
      const colour = String((n % 4) + 1);
      if (!known?.includes(colour)) on.set(wire.key, known ? `${known} ${colour}` : colour);
    }
  };
  paths.found.paths.slice(0, 8).forEach(({ hops }, n) => {
    if (only !== null && only !== n) return;
    let nr = model.values.get(paths.to)?.nr ?? 0;
    for (const { node, edge } of hops) {
      const output = nr;
      mark((w) => w.way === "out" && w.node === node && w.edge === output, n);
      mark((w) => w.way === "in" && w.node === node && w.edge === edge, n);
      nr = model.nodes.get(node)?.next[edge]?.[1] ?? 0;
    }
  });
  return on;
}
