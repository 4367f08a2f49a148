/*
 * The tree of groups: modules, functions, loops and iterations as the log's scopes have them, equal
 * modules in a row folded to one group, long runs of ops cut into parts. `open.ts` opens groups.
 */

import { at, get } from "../../collections";
import { scopesAround, type CallRow, type Model, type ScopeRow } from "../../log/model";
import type { Work } from "../../sliced-work";
import { NO_PLACES, placesOf, type Places } from "../select/training-loops";
import { iterationsTitle, lineTitle, opsTitle, titleOf } from "./group-titles";
import { callKey, scopeKey } from "../keys";
import type { GroupKind } from "./group-kind";
import { isShort } from "./short-loops";
import { countBy, lineOf, titleOfRun } from "./line-titles";
import { signOf } from "./signs";
import { areCopies, callIn, isOfGradients } from "../select/library-calls";
import type { Selected } from "../select/select";
import { isOwn } from "../select/versions";

export interface Group {
  readonly key: string;
  /** What it is called in a loop, where the same structure comes with new keys in each iteration. */
  readonly place: string;
  readonly kind: GroupKind;
  readonly scope: ScopeRow | null;
  readonly parent: Group | null;
  /** Inner groups and, by number, the calls that stand in none of them; in order of time. */
  readonly items: readonly (Group | number)[];
  readonly title: string;
  /** The class of a module; else what helps to tell it. */
  readonly subtitle: string;
  /** A module that is drawn as one pill has its sign. */
  readonly sign: string | null;
  /** How many equal ones it stands for. */
  readonly times: number;
  /** How many calls are in it, also in its inner groups. */
  readonly ops: number;
}

/** A group while the tree is made. */
type Made = { -readonly [K in Exclude<keyof Group, "items" | "parent">]: Group[K] } & {
  parent: Made | null;
  items: (Made | number)[];
};

export interface Tree {
  readonly root: Group;
  /** Of a loop. */
  readonly places: Places;
  /** Functions whose call is the whole picture: their variables are what the reader looks at. */
  readonly functions: readonly string[];
}

/** More items than these side by side are cut into parts. */
const MOST_ITEMS = 60;
const PARTS = 8;

const DRAWN = new Set(["module", "function", "loop", "iteration", "fused", "library"]);

/** The tree of the groups that hold visible calls; `byLine`, what one line computes is one, too. */
export function* group(model: Model, seen: Selected, byLine = false): Work<Tree> {
  const calls: CallRow[] = [];
  for (const id of seen.calls) {
    const call = seen.steps.has(id) ? undefined : model.calls.get(id);
    if (call) calls.push(call);
  }
  calls.sort((a, b) => a.call - b.call);
  const places = placesOf(model, seen.loops);
  yield;
  const root = yield* sortInto(model, calls, seen.loops.unboxed, places);
  const functions: string[] = [];
  // A function that is the whole picture (a script's `main`) needs no frame around it.
  for (let [only] = root.items; only !== undefined; [only] = root.items) {
    if (root.items.length > 1 || typeof only === "number") break;
    if (only.kind !== "function" && only.scope?.kind !== "library") break;
    root.items = only.items;
    if (only.kind === "function") functions.push(only.scope?.name ?? "");
    for (const item of root.items) if (typeof item !== "number") item.parent = root;
  }
  yield;
  yield* finish(model, root, places, new Structures(model), byLine);
  return { root, places, functions };
}

/** A tree without groups. */
export function flatTree(seen: Selected): Tree {
  const root = draft("root", "", "module", null, null);
  root.items = [...seen.calls].filter((id) => !seen.steps.has(id)).sort((a, b) => a - b);
  return { root, places: NO_PLACES, functions: [] };
}

/** So many calls are sorted in before others may have their turn. */
const PART = 500;

/** Groups as the scopes tell them. */
function* sortInto(
  model: Model,
  calls: readonly CallRow[],
  skipped: ReadonlySet<number>,
  places: Places,
): Work<Made> {
  const root = draft("root", "", "module", null, null);
  const byScope = new Map<number, Made>();
  let count = 0;
  for (const call of calls) {
    if ((count += 1) % PART === 0) yield;
    let home = root;
    for (const scope of scopesAround(model, call.scope).reverse()) {
      const id = scope.scope;
      if (skipped.has(id) || !DRAWN.has(scope.kind)) continue;
      let group = byScope.get(id);
      if (!group) {
        const place = places.groups.get(id) ?? scopeKey(id);
        const kind = scope.kind === "library" ? "part" : (scope.kind as GroupKind);
        group = draft(scopeKey(id), place, kind, scope, home);
        if (kind === "part") titleByLine(model, group, scope.source);
        byScope.set(id, group);
        home.items.push(group);
      }
      home = group;
    }
    home.items.push(call.call);
  }
  return root;
}

function draft(
  key: string,
  place: string,
  kind: GroupKind,
  scope: ScopeRow | null,
  parent: Made | null,
): Made {
  const [title, subtitle] = scope ? titleOf(scope) : ["", ""];
  const rest = { sign: null, times: 1, ops: 0 };
  return { key, place, kind, scope, parent, items: [], title, subtitle, ...rest };
}

/** What follows from the items of a group, from the inside out. */
function* finish(
  model: Model,
  group: Made,
  places: Places,
  alike: Structures,
  byLine: boolean,
): Work {
  for (const item of group.items) {
    if (typeof item !== "number") yield* finish(model, item, places, alike, byLine);
  }
  yield;
  if (group.kind === "loop") group.times = isOverModules(group) ? 1 : group.items.length;
  else joinCalls(model, group, places, byLine);
  group.items = group.items.flatMap((item) => {
    if (typeof item === "number" || !isIdle(item, group)) return [item];
    for (const inner of item.items) if (typeof inner !== "number") inner.parent = group;
    return item.items;
  });
  measure(group);
  if (group.kind !== "loop") yield* foldEqual(model, group, alike);
  while (group.items.length > MOST_ITEMS) {
    yield;
    cutUp(model, group, places);
  }
}

/** Ops of one call that make so many values are drawn as one thing: a call into a library. */
const MANY_OF_A_CALL = 16;

/**
 * Runs of ops of one call that make much become parts, when there is more beside them; and what a
 * library does with gradients, as to clip them. `byLine`, all runs of ops of one line do.
 */
function joinCalls(model: Model, group: Made, places: Places, byLine: boolean): void {
  const sourceOf = (item: Made | number | undefined): number | null =>
    typeof item === "number" ? get(model.calls, item).source : null;
  const isAlike = (item: Made | number | undefined, source: number): boolean =>
    byLine ? lineOf(model, sourceOf(item)) === lineOf(model, source) : sourceOf(item) === source;
  const ofLine = byLine ? countBy(group.items, (item) => lineOf(model, sourceOf(item))) : null;
  const items: (Made | number)[] = [];
  for (let from = 0; from < group.items.length;) {
    const source = sourceOf(group.items[from]);
    let to = from + 1;
    while (source !== null && isAlike(group.items[to], source)) to += 1;
    const run = group.items.slice(from, to);
    from = to;
    const first = run[0];
    const made = run.reduce<number>((sum, item) => sum + outputsOf(model, item), 0);
    const known = made >= MANY_OF_A_CALL || isOfGradients(model, run) || areCopies(model, run);
    const much = known || byLine;
    const many = much && run.length > 1 && run.length < group.items.length;
    if (!many || typeof first !== "number" || source === null) {
      items.push(...run);
      continue;
    }
    const place = places.calls.get(first) ?? callKey(first);
    const part = draft(`${callKey(first)}…`, `${place}…`, "part", null, group);
    part.items = run;
    if (known) titleByLine(model, part, source);
    else [part.title, part.subtitle] = titleOfRun(model, run, source, ofLine);
    measure(part);
    while (part.items.length > MOST_ITEMS) cutUp(model, part, places);
    items.push(part);
  }
  group.items = items;
}

/** What a library does is called as the user's line calls it. */
function titleByLine(model: Model, group: Made, source: number | null): void {
  const line = source === null ? undefined : model.sources.get(source);
  [group.title, group.subtitle] = [callIn(line?.text ?? ""), lineTitle(line)];
}

const outputsOf = (model: Model, item: Made | number): number =>
  typeof item === "number" ? Math.max(1, get(model.calls, item).outputs.length) : 0;

/** A group that says nothing by itself: the only iteration of a loop, a function around one op. */
function isIdle(inner: Made, outer: Made): boolean {
  if (inner.kind === "loop") return inner.times === 1;
  if (inner.kind === "iteration")
    return outer.kind === "loop" && (outer.times === 1 || isShort(outer));
  if (inner.scope?.kind === "library") return inner.items.length === 1;
  if (inner.kind !== "function") return false;
  return inner.items.length === 1 || (outer.parent !== null && outer.items.length === 1);
}

/** Whether a loop goes through modules (`for block in self.blocks`): each iteration is another one. */
function isOverModules({ items }: Made): boolean {
  const titles = new Set<string>();
  for (const iteration of items) {
    const [only, ...others] = typeof iteration === "number" ? [] : iteration.items;
    if (typeof only !== "object" || only.kind !== "module" || others.length > 0) return false;
    titles.add(only.title);
  }
  return titles.size === items.length;
}

function measure(group: Made): void {
  group.ops = 0;
  for (const item of group.items) group.ops += typeof item === "number" ? 1 : item.ops;
  const known = group.kind === "module" ? signOf(group.subtitle) : null;
  const single = group.kind === "module" && group.ops === 1 && group.parent !== null;
  group.sign = known ?? (single ? group.subtitle || group.title : null);
}

/** Tells for groups what they are like inside: equal numbers for equal structures. */
class Structures {
  private readonly known = new Map<Made, number>();
  private readonly numbers = new Map<string, number>();

  constructor(private readonly model: Model) {}

  of(group: Made): number {
    const known = this.known.get(group);
    if (known !== undefined) return known;
    const marks = group.items.map((item) =>
      typeof item === "number" ? markOf(this.model, get(this.model.calls, item)) : this.of(item),
    );
    const name = group.kind === "part" ? "" : group.subtitle; // that of a part tells its lines
    const text = `${group.kind} ${name}(${marks.join(" ")})`;
    const found = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, found);
    this.known.set(group, found);
    return found;
  }
}

const marked = new WeakMap<CallRow, string>();

/** What a call does: its op, and the shapes that it makes. */
function markOf(model: Model, call: CallRow): string {
  const known = marked.get(call);
  if (known !== undefined) return known;
  const shapes = call.outputs.map((id) => model.values.get(id)?.summary.shape.join());
  const mark = `${call.op}:${shapes.join(";")}`;
  marked.set(call, mark);
  return mark;
}

/** Modules equal in structure, each reading what the one before made, become one group. */
function* foldEqual(model: Model, group: Made, alike: Structures): Work {
  const folded: (Made | number)[] = [];
  let run: Made[] = [];
  const close = (): void => {
    const [first] = run;
    const last = run.at(-1);
    if (first && last && run.length >= (first.sign === null ? 2 : 4)) {
      const repeat = draft(`${first.key}×`, `${first.place}×`, "repeat", null, group);
      repeat.items = [...run];
      repeat.title = between(first.title, last.title);
      repeat.subtitle = first.subtitle;
      repeat.times = run.length;
      for (const item of run) item.parent = repeat;
      measure(repeat);
      folded.push(repeat);
    } else folded.push(...run);
    run = [];
  };
  for (const item of group.items) {
    const last = run.at(-1);
    if (typeof item === "number" || item.kind !== "module") {
      close();
      folded.push(item);
      continue;
    }
    if (last && (alike.of(last) !== alike.of(item) || !feeds(model, last, item))) close();
    run.push(item);
    if (run.length % PART === 0) yield;
  }
  close();
  group.items = folded;
}

/** Whether a call of the second group reads what a call of the first made. */
function feeds(model: Model, first: Made, second: Made): boolean {
  const made = new Set(callsIn(first).flatMap((id) => get(model.calls, id).outputs));
  const isFed = (input: number | string): boolean => {
    const value = typeof input === "number" && made.has(input) ? model.values.get(input) : null;
    return value != null && !isOwn(value); // a buffer that both write joins them in no chain
  };
  return callsIn(second).some((id) => get(model.calls, id).inputs.some(isFed));
}

/** `layers[0]` and `layers[5]` as `layers[0…5]`. */
function between(first: string, last: string): string {
  if (first === last) return first;
  let head = 0;
  while (head < first.length && first[head] === last[head]) head += 1;
  let tail = 0;
  while (tail < first.length - head && first.at(-1 - tail) === last.at(-1 - tail)) tail += 1;
  while (head > 0 && /\d/.test(first[head - 1] ?? "")) head -= 1;
  const end = first.slice(first.length - tail);
  return `${first.slice(0, first.length - tail)}…${last.slice(head, last.length - tail)}${end}`;
}

/** Items side by side, too many to draw, become the items of a few parts. */
function cutUp(model: Model, group: Made, places: Places): void {
  // In steps, so that what is full stays as it is while more comes.
  let size = 8;
  while (group.items.length > size * PARTS) size *= 2;
  const parts: Made[] = [];
  for (let from = 0; from < group.items.length; from += size) {
    const items = group.items.slice(from, from + size);
    const first = at(items, 0);
    const key = typeof first === "number" ? callKey(first) : first.key;
    const place = typeof first === "number" ? (places.calls.get(first) ?? key) : first.place;
    // A part of a part begins as that does, and is another group.
    const [outer, around] = group.kind === "part" ? [group.key, group.place] : ["", ""];
    const part = draft(`${outer}${key}…`, `${around}${place}…`, "part", null, group);
    part.items = items;
    [part.title, part.subtitle] = partTitle(model, items, from);
    for (const item of items) if (typeof item !== "number") item.parent = part;
    measure(part);
    while (part.items.length > MOST_ITEMS) cutUp(model, part, places);
    parts.push(part);
  }
  group.items = parts;
}

/** What a part holds, and of which lines its ops are. */
function partTitle(
  model: Model,
  items: readonly (Made | number)[],
  from: number,
): [string, string] {
  const first = at(items, 0);
  const last = at(items, items.length - 1);
  if (typeof first !== "number" && typeof last !== "number") {
    if (first.kind !== "iteration") return [`${first.title} … ${last.title}`, ""];
    return [iterationsTitle(first.scope, last.scope), ""];
  }
  const calls = items.filter((item) => typeof item === "number");
  return opsTitle(model, calls, from + 1, from + items.length);
}

/** The calls of a group and its inner groups, in order. */
export function callsIn(group: Pick<Group, "items">): number[] {
  const found: number[] = [];
  const stack: (Pick<Group, "items"> | number)[] = [group];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item === "number") found.push(item);
    else for (let i = item.items.length - 1; i >= 0; i -= 1) stack.push(at(item.items, i));
  }
  return found;
}

const calls = new WeakMap<Group, readonly number[]>();

/** The same of a group that is finished: found once. */
export function callsOf(group: Group): readonly number[] {
  const known = calls.get(group);
  if (known) return known;
  const found = callsIn(group);
  calls.set(group, found);
  return found;
}
