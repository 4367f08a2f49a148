/*
 * What joins the calls of a tree: which made a value and which read it, and the innermost group
 * around them. Only where that group stands open can the value be drawn.
 */

import { push } from "../../collections";
import type { Model, ValueRow } from "../../log/model";
import { atOnce, type Work } from "../../sliced-work";
import { callsOf, type Group, type Tree } from "../group/groups";
import { isOwn } from "../select/versions";
import { baseWrites, type Selected } from "../select/select";

export interface Relations {
  /** For a value the call that made it, when that is drawn (also inside a closed group). */
  readonly makers: ReadonlyMap<number, number>;
  /** The visible calls that read a value. */
  readonly uses: ReadonlyMap<number, readonly number[]>;
  /** For a call the group that it stands in, none between. */
  readonly inner: ReadonlyMap<number, Group>;
  /** The groups with calls in them, none between, that use a value. */
  readonly readers: ReadonlyMap<number, readonly Group[]>;
  /** The values that matter only where a group stands open, as all that concerns them is in it. */
  readonly within: ReadonlyMap<Group, readonly number[]>;
  /** The other values. */
  readonly loose: readonly number[];
  /** The calls of a group that may have wires out of it. */
  readonly crossing: (group: Group) => readonly number[];
}

/** So many values are related before others may have their turn. */
const PART = 500;

const related = new WeakMap<Tree, Relations>();

/** The relations among what is visible; found once. */
export function relations(model: Model, seen: Selected, tree: Tree): Relations {
  return related.get(tree) ?? atOnce(relate(model, seen, tree));
}

/** Finds the relations, for `relations` to know. */
export function* relate(model: Model, seen: Selected, tree: Tree): Work<Relations> {
  const { makers, uses } = yield* makersAndUses(model, seen);
  yield;
  const inner = innermost(tree.root);
  const homes = new Map<number, Group>();
  const readers = new Map<number, readonly Group[]>();
  const within = new Map<Group, number[]>();
  const loose: number[] = [];
  for (const id of seen.values) {
    const value = model.values.get(id);
    if (!value) continue;
    const maker = inner.get(makers.get(id) ?? -1);
    const read = groupsOf(inner, usedBy(model, value, uses.get(id) ?? []));
    readers.set(id, read);
    const homed = read.length > 0 && (maker !== undefined || isOwn(value));
    const home = homed ? common(maker ? [maker, ...read] : read) : null;
    if (home) {
      homes.set(id, home);
      push(within, home, id);
    } else loose.push(id);
    if ((homes.size + loose.length) % PART === 0) yield;
  }
  const crossing = crossings(model, homes);
  const found = { makers, uses, inner, readers, within, loose, crossing };
  related.set(tree, found);
  return found;
}

function* makersAndUses(model: Model, seen: Selected): Work<Pick<Relations, "makers" | "uses">> {
  const makers = new Map<number, number>();
  const uses = new Map<number, number[]>();
  let count = 0;
  for (const id of seen.calls) {
    if ((count += 1) % PART === 0) yield;
    if (seen.steps.has(id)) continue;
    const call = model.calls.get(id);
    for (const output of call?.outputs ?? []) makers.set(output, id);
    for (const input of call?.inputs ?? []) {
      if (typeof input === "number") push(uses, input, id);
    }
  }
  for (const { call, base, base_before } of baseWrites(model).values()) {
    if (call === null || !seen.calls.has(call) || seen.steps.has(call)) continue;
    makers.set(base, call);
    if (base_before !== null) push(uses, base_before, call);
  }
  return { makers, uses };
}

/** For each call the group that it stands in. */
function innermost(root: Group): ReadonlyMap<number, Group> {
  const found = new Map<number, Group>();
  const stack = [root];
  for (let group = stack.pop(); group; group = stack.pop()) {
    for (const item of group.items) {
      if (typeof item === "number") found.set(item, group);
      else stack.push(item);
    }
  }
  return found;
}

/** The groups that some calls stand in, each once. */
function groupsOf(inner: ReadonlyMap<number, Group>, calls: readonly number[]): readonly Group[] {
  const found = new Set<Group>();
  for (const call of calls) {
    const group = inner.get(call);
    if (group) found.add(group);
  }
  return [...found];
}

/** The innermost group that holds all of them. */
export function common(homes: readonly Group[]): Group | null {
  const [first, ...others] = homes;
  let shared: Group | null = first ?? null;
  for (const other of others) {
    while (shared && !holds(shared, other)) shared = shared.parent;
  }
  return shared;
}

/** Whether a group is another, or is around it. */
export function holds(outer: Group, inner: Group): boolean {
  let up: Group | null = inner;
  while (up && up !== outer) up = up.parent;
  return up !== null;
}

/** The calls that use a value: of one with a history not those that only look (`y < 100`). */
function usedBy(model: Model, value: ValueRow, calls: readonly number[]): readonly number[] {
  if (!value.requires_grad || value.leaf) return calls;
  const differentiable = (id: number): boolean =>
    (model.calls.get(id)?.outputs ?? []).some((output) => model.values.get(output)?.requires_grad);
  return calls.some(differentiable) ? calls : [];
}

/** A pill with few parameters: they can stand beside it. */
export function isSmall(group: Group): boolean {
  return group.sign !== null && group.items.every((item) => typeof item === "number");
}

function crossings(model: Model, homes: ReadonlyMap<number, Group>) {
  const known = new Map<Group, readonly number[]>();
  const find = (group: Group): readonly number[] => {
    if (isSmall(group)) return callsOf(group);
    const stays = (id: number): boolean => {
      const home = homes.get(id);
      const storage = model.values.get(id)?.storage;
      const { writes } = model.storages.get(storage ?? -1) ?? { writes: [] };
      // Of what is written another version may be the one that is drawn at an earlier moment.
      return home !== undefined && writes.length === 0 && holds(group, home);
    };
    return callsOf(group).filter((id) => {
      const { inputs, outputs } = model.calls.get(id) ?? { inputs: [], outputs: [] };
      return (
        inputs.some((input) => typeof input === "number" && !stays(input)) || !outputs.every(stays)
      );
    });
  };
  return (group: Group): readonly number[] => {
    const calls = known.get(group) ?? find(group);
    known.set(group, calls);
    return calls;
  };
}
