/*
 * Where things stand when some groups are open and others closed: each call in the innermost open
 * group or inside a closed one, each value between what makes it and what reads it.
 */

import { push } from "../collections";
import type { Model, ValueRow } from "../log/model";
import { callsOf, type Group, type Tree } from "./groups";
import { userName } from "./names";

import type { Visible } from "./visible";

/**
 * How values without a name are drawn: as cards, as chips, or as the wire from the op that made
 * the value to the one that reads it. `airy` cards stand also between closed groups, and with the
 * parameters of small modules. In `groups` what a closed group makes has no card for its name.
 */
export type Values = "airy" | "cards" | "chips" | "wires" | "groups";

/** Where a call stands: in an open group, or swallowed by a closed one that stands there. */
export interface Site {
  readonly home: Group;
  readonly closed: Group | null;
}

export interface Nest {
  readonly sites: ReadonlyMap<number, Site>;
  /** Closed groups that are drawn, with the open group each stands in. */
  readonly closed: ReadonlyMap<Group, Group>;
  /** Open groups, outer ones before inner ones, without the root. */
  readonly frames: readonly Group[];
  /** Values that are drawn as cards, with the open group each stands in. */
  readonly cards: ReadonlyMap<number, Group>;
  /** For a value the call that made it, when that is drawn (also inside a closed group). */
  readonly makers: ReadonlyMap<number, number>;
  /** The visible calls that read a value. */
  readonly uses: ReadonlyMap<number, readonly number[]>;
}

/** Of what only one closed group reads, so much is drawn before it; more stands inside. */
const MOST_INPUTS = 6;

/** The nest of a tree in which some groups are open. */
export function nest(
  model: Model,
  { seen, tree }: { readonly seen: Visible; readonly tree: Tree },
  open: ReadonlySet<Group>,
  values: Values,
): Nest {
  const { root, functions } = tree;
  const { sites, closed, frames } = place(root, open);
  const { makers, uses } = relations(model, seen);
  const airy = values === "airy";
  const wired = values === "wires" || values === "groups";
  const isUsers = usersIn([...functions, ...frames.flatMap(functionOf)]);
  const cards = new Map<number, Group>();
  const inputs = new Map<Group, number[]>(); // what only this closed group reads
  for (const id of seen.values) {
    const value = model.values.get(id);
    if (!value) continue;
    const maker = makers.get(id);
    const made = maker === undefined ? undefined : sites.get(maker);
    const read = usedBy(model, value, uses.get(id) ?? []).flatMap((call) => sites.get(call) ?? []);
    const inside = values === "groups" && made?.closed != null;
    const named = !inside && isUsers(value);
    const written = !inside && (model.storages.get(value.storage)?.writes.length ?? 0) > 0;
    if (wired && made && read.length > 0 && !named && !written) continue;
    const home = made
      ? homeOfMade(named, made, read, maker ?? 0, airy)
      : homeOfSource(value, read, root, airy, (group) => takesMore(model, group, makers));
    if (!home) continue;
    cards.set(id, home);
    const [first] = read;
    if (made || !first?.closed || read.some((site) => site.closed !== first.closed)) continue;
    push(inputs, first.closed, id);
  }
  for (const ids of inputs.values()) {
    if (ids.length > MOST_INPUTS) for (const id of ids) cards.delete(id);
  }
  return { sites, closed, frames, cards, makers, uses };
}

/** The calls that use a value: of one with a history not those that only look (`y < 100`). */
function usedBy(model: Model, value: ValueRow, calls: readonly number[]): readonly number[] {
  if (!value.requires_grad) return calls;
  const differentiable = (id: number): boolean =>
    (model.calls.get(id)?.outputs ?? []).some((output) => model.values.get(output)?.requires_grad);
  return calls.some(differentiable) ? calls : [];
}

function functionOf({ kind, scope }: Group): string[] {
  return kind === "function" && scope ? [scope.name] : [];
}

function place(root: Group, open: ReadonlySet<Group>) {
  const sites = new Map<number, Site>();
  const closed = new Map<Group, Group>();
  const frames: Group[] = [];
  const stack: Group[] = [root];
  for (let home = stack.pop(); home; home = stack.pop()) {
    if (home !== root) frames.push(home);
    for (const item of home.items) {
      if (typeof item === "number") sites.set(item, { home, closed: null });
      else if (open.has(item)) stack.push(item);
      else {
        closed.set(item, home);
        for (const call of callsOf(item)) sites.set(call, { home, closed: item });
      }
    }
  }
  return { sites, closed, frames };
}

interface Relations {
  readonly makers: ReadonlyMap<number, number>;
  readonly uses: ReadonlyMap<number, readonly number[]>;
}

const related = new WeakMap<Visible, Relations>();

/** Which call made each value and which ones read it, among those that are visible; found once. */
function relations(model: Model, seen: Visible): Relations {
  const known = related.get(seen) ?? findRelations(model, seen);
  related.set(seen, known);
  return known;
}

function findRelations(model: Model, seen: Visible): Relations {
  const makers = new Map<number, number>();
  const uses = new Map<number, number[]>();
  for (const id of seen.calls) {
    if (seen.steps.has(id)) continue;
    const call = model.calls.get(id);
    for (const output of call?.outputs ?? []) makers.set(output, id);
    for (const input of call?.inputs ?? []) {
      if (typeof input === "number") push(uses, seen.standIn(input), id);
    }
  }
  for (const { writes } of model.storages.values()) {
    for (const { call, base, base_before } of writes) {
      if (call === null || !seen.calls.has(call) || seen.steps.has(call)) continue;
      if (base !== null) makers.set(base, call);
      if (base_before !== null) push(uses, base_before, call);
    }
  }
  return { makers, uses };
}

/** The innermost open group that holds all of them. */
function common(homes: readonly Group[]): Group | null {
  const [first, ...others] = homes;
  if (!first) return null;
  let shared: Group | null = first;
  for (const other of others) {
    const around = new Set<Group>();
    for (let up: Group | null = other; up; up = up.parent) around.add(up);
    while (shared && !around.has(shared)) shared = shared.parent;
  }
  return shared;
}

function homeOfMade(
  named: boolean,
  made: Site,
  read: readonly Site[],
  maker: number,
  airy: boolean,
): Group | null {
  if (read.length === 0) {
    // What a group made last is what it gives; the rest of what nobody reads stays inside.
    let [group, home] = made.closed ? [made.closed, made.home] : [made.home, made.home];
    if (made.closed && callsOf(group).at(-1) !== maker && !named) return null;
    while (group === home && home.parent && callsOf(home).at(-1) === maker) {
      home = home.parent;
      group = home;
    }
    return home;
  }
  const inside = made.closed !== null && read.every((site) => site.closed === made.closed);
  if (inside) return null;
  if (!airy && made.closed && !named) return null;
  return common([made.home, ...read.map((site) => site.home)]);
}

function homeOfSource(
  value: ValueRow,
  read: readonly Site[],
  root: Group,
  airy: boolean,
  takes: (group: Group) => boolean,
): Group | null {
  const [first] = read;
  if (!first) return root;
  const home = common(read.map((site) => site.home)) ?? root;
  const inside = read.every((site) => site.closed === first.closed) ? first.closed : null;
  if (isOwn(value)) {
    // Parameters and buffers stand inside the module, or the modules, that use them.
    if (!airy && read.every((site) => site.closed)) return null;
    return inside && !(airy && isSmall(inside)) ? null : home;
  }
  // What a module takes in stands before it, also when only the module reads it. A tensor that
  // it makes for itself (the mask of a dropout) has no name, and others come in from outside.
  let outside: Group = home;
  for (let up = inside ?? home; up.parent; up = up.parent) {
    if (value.names.length === 0 && takes(up)) return up === inside ? null : outside;
    if (up.kind === "module") outside = up.parent;
  }
  return outside;
}

const taking = new WeakMap<Group, boolean>();

/** Whether something comes into a group that was computed before it or that has a name. */
function takesMore(model: Model, group: Group, makers: ReadonlyMap<number, number>): boolean {
  const known = taking.get(group);
  if (known !== undefined) return known;
  const calls = callsOf(group);
  const inside = new Set(calls);
  const answer = calls.some((call) =>
    (model.calls.get(call)?.inputs ?? []).some((input) => {
      const value = typeof input === "number" ? model.values.get(input) : undefined;
      if (!value || isOwn(value)) return false;
      const maker = makers.get(value.value);
      return maker === undefined ? value.names.length > 0 : !inside.has(maker);
    }),
  );
  taking.set(group, answer);
  return answer;
}

/** A pill with few parameters: they can stand beside it. */
function isSmall(group: Group | null): boolean {
  return group?.sign != null && group.items.every((item) => typeof item === "number");
}

function isOwn(value: ValueRow): boolean {
  return value.parameter || value.names.some(([scope]) => scope === "module");
}

/** Whether the user has a name for a value: in the notebook, or in a function that stands open. */
function usersIn(functions: readonly string[]): (value: ValueRow) => boolean {
  const own = new Set(["", ...functions]);
  return (value) => userName(value) !== null && value.names.some(([scope]) => own.has(scope));
}
