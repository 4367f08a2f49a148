/*
 * Where things stand when some groups are open and others closed: each call in the innermost open
 * group or inside a closed one, each value between what makes it and what reads it.
 */

import { push } from "../../collections";
import { hazards, scopesAround, type Model, type ValueRow } from "../../log/model";
import { callsOf, type Group, type Tree } from "../group/groups";
import { userName } from "../names";
import { common, holds, isSmall, relations, type Relations } from "./relations";
import { isNameless, isOwn } from "../select/versions";
import type { Selected } from "../select/select";

/**
 * How values without a name are drawn: as cards, as chips, or as the wire from the op that made
 * the value to the one that reads it. `roomy` cards stand also between closed groups, and with the
 * parameters of small modules. Of `names` little more is drawn than what things are called. In `groups` what a closed group makes has no card for its name.
 */
export type Values = "roomy" | "cards" | "chips" | "wires" | "names" | "groups";

/** Where a call stands: in an open group, or swallowed by a closed one that stands there. */
export interface Site {
  readonly home: Group;
  readonly closed: Group | null;
}

export interface Placement extends Pick<Relations, "makers" | "uses" | "crossing"> {
  /** Where a visible call stands. */
  readonly siteOf: (call: number) => Site | undefined;
  /** Calls that stand in an open group. */
  readonly calls: readonly number[];
  /** Closed groups that are drawn, with the open group each stands in. */
  readonly closed: ReadonlyMap<Group, Group>;
  /** Open groups, outer ones before inner ones, without the root. */
  readonly frames: readonly Group[];
  /** Values that are drawn as cards, with the open group each stands in. */
  readonly cards: ReadonlyMap<number, Group>;
}

/** Of what only one closed group reads, or gives to nobody, so much is drawn; more stands inside. */
const MOST_INPUTS = 6;

/** Places what is drawn of a tree in which some groups are open; with more than `most` cards a part. */
export function place(
  model: Model,
  { seen, tree }: { readonly seen: Selected; readonly tree: Tree },
  open: ReadonlySet<Group>,
  values: Values,
  most = Infinity,
): Placement {
  const { root, functions } = tree;
  const { makers, uses, inner, readers, within, loose, crossing } = relations(model, seen, tree);
  const { siteIn, calls, closed, frames } = sitesOf(root, open);
  const siteOf = (call: number): Site | undefined => siteIn(inner.get(call));
  const roomy = values === "roomy";
  const wired = !roomy && values !== "cards" && values !== "chips";
  const isUsers = usersIn([...functions, ...frames.flatMap(functionOf)]);
  const cards = new Map<number, Group>();
  const stepped = stepsByResult(model, seen);
  const namesOnly = values === "names" && seen.calls.size > 0;
  const inputs = new Map<Group, number[]>(); // what only this closed group reads
  const beside = roomy ? [...closed.keys()].filter(isSmall) : [];
  const drawn = [root, ...frames, ...beside].flatMap((group) => within.get(group) ?? []);
  let results = 0;
  for (const id of [...loose, ...drawn]) {
    const value = model.values.get(id);
    if (!value || (stepped.has(id) && !uses.has(id))) continue;
    const maker = makers.get(id);
    // Among names only there is no room for what no call makes or reads.
    if (namesOnly && maker === undefined && !uses.has(id)) continue;
    const made = maker === undefined ? undefined : siteOf(maker);
    const read = (readers.get(id) ?? []).flatMap((group) => siteIn(group) ?? []);
    const inside = values === "groups" && made?.closed != null;
    const named = !inside && isUsers(value);
    const written = !inside && (model.storages.get(value.storage)?.writes.length ?? 0) > 0;
    if (wired && made && read.length > 0 && !named && !written) continue;
    if (maker !== undefined && isGoneThrough(model, maker, read)) continue;
    const all = model.calls.get(maker ?? -1)?.outputs.length ?? 0;
    if (made?.closed && read.length === 0 && !named && all > MOST_INPUTS) continue;
    const home = made
      ? homeOfMade(named, made, read, maker ?? 0, roomy)
      : homeOfSource(model, value, read, root, roomy, (group) => {
          const first = model.calls.get(callsOf(group)[0] ?? -1)?.time ?? Infinity;
          return value.time > first || takesMore(model, group, makers);
        });
    if (!home) continue;
    cards.set(id, home);
    if (made && (results += 1) > most) break;
    const [first] = read;
    if (made || !first?.closed || read.some((site) => site.closed !== first.closed)) continue;
    push(inputs, first.closed, id);
  }
  for (const ids of inputs.values()) {
    if (ids.length > MOST_INPUTS) for (const id of ids) cards.delete(id);
  }
  // What a step made stands with the version that it began with, where there is room for more than
  // names; always where it overwrote what backward needs.
  const overwritten = new Set(hazards(model).map(({ slot }) => slot.storage));
  for (const [id, first] of stepped) {
    const storage = model.values.get(id)?.storage ?? null;
    if (values === "names" && (storage === null || !overwritten.has(storage))) continue;
    const home = cards.get(first);
    if (home && !cards.has(id)) cards.set(id, home);
  }
  return { siteOf, calls, closed, frames, cards, makers, uses, crossing };
}

/** By what a step made the version that it began with. */
function stepsByResult(model: Model, { steps }: Selected): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [id, first] of steps) {
    const [output] = model.calls.get(id)?.outputs ?? [];
    if (output !== undefined) found.set(output, first);
  }
  return found;
}

/** Whether a value is one of many that a closed loop takes in turn: it is part of one wire. */
function isGoneThrough(model: Model, maker: number, [first, ...others]: readonly Site[]): boolean {
  if (first?.closed?.kind !== "loop" || others.some(({ closed }) => closed !== first.closed)) {
    return false;
  }
  return (model.calls.get(maker)?.outputs.length ?? 0) > 1;
}

function functionOf({ kind, scope }: Group): string[] {
  return kind === "function" && scope ? [scope.name] : [];
}

/** What stands in the open groups, and where that is which stands in closed ones. */
function sitesOf(root: Group, open: ReadonlySet<Group>) {
  const sites = new Map<Group, Site>();
  const calls: number[] = [];
  const closed = new Map<Group, Group>();
  const frames: Group[] = [];
  const stack: Group[] = [root];
  for (let home = stack.pop(); home; home = stack.pop()) {
    sites.set(home, { home, closed: null });
    if (home !== root) frames.push(home);
    for (const item of home.items) {
      if (typeof item === "number") calls.push(item);
      else if (open.has(item)) stack.push(item);
      else {
        closed.set(item, home);
        sites.set(item, { home, closed: item });
      }
    }
  }
  const siteIn = (group: Group | undefined): Site | undefined => {
    let up: Group | null = group ?? null;
    while (up && !sites.has(up)) up = up.parent;
    const site = up ? sites.get(up) : undefined;
    if (group && site) sites.set(group, site);
    return site;
  };
  return { siteIn, calls, closed, frames };
}

function homeOfMade(
  named: boolean,
  made: Site,
  read: readonly Site[],
  maker: number,
  roomy: boolean,
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
  const others = read.filter(({ closed }) => closed === null || closed !== made.closed);
  if (others.length === 0) return null;
  if (!roomy && made.closed && !named) return null;
  // The reader nearest to the maker decides: outside of a frame in which it is both made and read
  // the card would stand after that frame, and before it.
  const shared = others.flatMap((site) => common([made.home, site.home]) ?? []);
  return shared.reduce((outer, home) => (holds(outer, home) ? home : outer));
}

function homeOfSource(
  model: Model,
  value: ValueRow,
  read: readonly Site[],
  root: Group,
  roomy: boolean,
  takes: (group: Group) => boolean,
): Group | null {
  const [first] = read;
  if (!first) return root;
  const home = common(read.map((site) => site.home)) ?? root;
  const inside = read.every((site) => site.closed === first.closed) ? first.closed : null;
  if (isOwn(value)) {
    // Parameters and buffers stand inside the module, or the modules, that use them.
    if (!roomy && read.every((site) => site.closed)) return null;
    return inside && !(roomy && isSmall(inside)) ? null : home;
  }
  if (inside?.kind === "part" && isNameless(model, value)) return null; // a gradient, say
  // What a module takes in stands before it, also when only the module reads it. A tensor that
  // it makes for itself (positions, a mask) stands inside. Where it was made is known of one with a
  // name; one without (the mask of a dropout) is its own if others come in from outside.
  const made = scopesAround(model, value.made_in).map(({ scope }) => scope);
  const own = made.length > 0 ? (group: Group) => isOneOf(group, made) : takes;
  let outside: Group = home;
  for (let up = inside ?? home; up.parent; up = up.parent) {
    if ((made.length > 0 || value.names.length === 0) && own(up)) {
      return up === inside ? null : outside;
    }
    if (up.kind === "module") outside = up.parent;
  }
  return outside;
}

/** Whether a group is one of these scopes, or stands for several of which one is. */
function isOneOf({ scope, items }: Group, scopes: readonly number[]): boolean {
  if (scope !== null) return scopes.includes(scope.scope);
  return items.some((item) => typeof item !== "number" && isOneOf(item, scopes));
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

/** Whether the user has a name for a value: in the notebook, or in a function that stands open. */
function usersIn(functions: readonly string[]): (value: ValueRow) => boolean {
  const own = new Set(["", ...functions]);
  return (value) => userName(value) !== null && value.names.some(([scope]) => own.has(scope));
}
