/*
 * What is drawn of a model, found in four stages, each a function of the model and the one before:
 *
 *   select  which values and calls, and which of them the newest cell worked on   -> Selected
 *   group   the tree of modules, functions and loops around these calls           -> Tree
 *   open    which groups stand open: the reader's choice, else as many as fit     -> set of Group
 *   place   in which open group each call, closed group and value is drawn        -> Placement
 *
 * `graph.ts` makes boxes and wires of the result, a Plan.
 */

import { hazards, isProgram, type Model } from "../log/model";
import { atOnce, type Work } from "../sliced-work";
import { placesBefore } from "./select/training-loops";
import { focus } from "./select/focus";
import type { Plan } from "./graph";
import { group, type Group, type Tree } from "./group/groups";
import { place, type Placement, type Values } from "./place/place";
import { groupsAround, openByDepth, open } from "./group/open";
import { RAISED } from "./select/raised";
import { relate } from "./place/relations";
import { baseWrites, overwriteOf, select, type Selected } from "./select/select";

/** What there is to draw, before anything is opened or closed. */
export interface Content {
  readonly seen: Selected;
  readonly tree: Tree;
  /** How many other graphs are left out. */
  readonly others: number;
  /** The number of the cell that worked last on what is drawn. */
  readonly latest: number;
  /** The places of the iteration before the one shown, when a loop is. */
  readonly before: ReadonlySet<string> | null;
}

/** How much of a content is shown: the more room there is, the more. */
export interface Detail {
  /** The places of the groups that are open by themselves. */
  readonly open: ReadonlySet<string>;
  readonly values: Values;
  /** How deep groups are open. */
  readonly depth: number;
  /** Whether what one line computes is drawn as one box. */
  readonly byLine?: boolean;
}

export interface Planned {
  readonly plan: Plan;
  /** How many other graphs are left out. */
  readonly others: number;
}

/** What the reader chose. */
export interface Choices {
  /** Also graphs that the newest cell did not touch. */
  readonly everything: boolean;
  /** Groups that the reader opened or closed, by place. */
  readonly opened: ReadonlyMap<string, boolean>;
}

/** Up to so many boxes there is room for values between groups and for parameters beside them. */
const ROOMY = 26;

const contents = new WeakMap<Model, Map<boolean, Content>>();

/** What there is to draw of a model, which is never changed; found once. */
export function contentOf(model: Model, everything: boolean): Content {
  return contents.get(model)?.get(everything) ?? atOnce(findContent(model, everything));
}

/** The same work in slices. */
export function* findContent(model: Model, everything: boolean): Work<Content> {
  const known = contents.get(model) ?? new Map<boolean, Content>();
  contents.set(model, known);
  const same = known.get(everything);
  if (same) return same;
  const writes = baseWrites(model);
  const all = yield* select(model, writes);
  const { seen, others, latest } = yield* focus(model, all, writes, everything);
  const tree = yield* group(model, seen);
  yield* relate(model, seen, tree);
  const made = { seen, tree, others, latest, before: placesBefore(model, seen.loops) };
  known.set(everything, made);
  return made;
}

const byLine = new WeakMap<Content, Tree>();

/** The tree in which what one line computes is one group; made when it is asked for. */
function treeByLine(model: Model, content: Content): Tree {
  const known = byLine.get(content);
  if (known) return known;
  const tree = atOnce(group(model, content.seen, true));
  byLine.set(content, tree);
  return tree;
}

/** A content as a detail groups it. */
function grouped(model: Model, content: Content, detail: Detail): Content {
  return detail.byLine === true ? { ...content, tree: treeByLine(model, content) } : content;
}

/** A program of more calls is drawn in parts, whatever its lines are. */
const MANY_CALLS = 2000;

/** The details in which lines are boxes, the richest first: where all others are too large. */
export function* detailsByLine(model: Model, content: Content, budget?: number): Generator<Detail> {
  if (content.seen.calls.size > MANY_CALLS) return;
  const depths = openByDepth(treeByLine(model, content).root, budget);
  for (let depth = depths.length; depth >= 0; depth -= 1) {
    const open = new Set(depths.slice(0, depth).flat());
    for (const values of ["cards", "chips", "names"] as const) {
      yield { open, values, depth, byLine: true };
    }
  }
}

/** All details that a content can be shown in, the richest first. */
export function* detailsOf({ tree }: Content, budget?: number): Generator<Detail> {
  const depths = openByDepth(tree.root, budget);
  for (let depth = depths.length; depth >= 0; depth -= 1) {
    const open = new Set(depths.slice(0, depth).flat());
    for (const values of ["roomy", "cards", "chips"] as const) yield { open, values, depth };
    if (depth > 0) yield { open, values: "names", depth };
  }
  for (const values of ["wires", "names", "groups"] as const)
    yield { open: new Set(), values, depth: 0 };
}

const ORDER: readonly Values[] = ["roomy", "cards", "chips", "wires", "names", "groups"];

/** Whether one detail shows more than another. */
export function isRicher(one: Detail, other: Detail): boolean {
  if (one.byLine !== other.byLine) return other.byLine === true;
  if (one.depth !== other.depth) return one.depth > other.depth;
  return ORDER.indexOf(one.values) < ORDER.indexOf(other.values);
}

/**
 * What is drawn of a model: in a detail, else in the richest that suits its number of boxes. What
 * a `later` moment of the same picture has no card for has none now: it would come only to go.
 * Where more than `most` cards would be drawn, it is only a part.
 */
export function planOf(
  model: Model,
  { everything, opened }: Choices,
  detail: Detail | null = null,
  later: Placement | null = null,
  most = Infinity,
): Planned {
  const content = contentOf(model, everything);
  const rich = detail ?? richest(model, content);
  const { others, ...rest } = grouped(model, content, rich);
  // A program is about calls: what has no name is the wire from one to the next.
  const wished: Detail = isProgram(model) ? { ...rich, values: "wires" } : rich;
  const wanted = new Map([...groupsAroundError(model, rest.tree.root), ...opened]);
  const openGroups = open(rest.tree.root, wanted, wished.open);
  const placement = place(model, rest, openGroups, wished.values, most);
  const comes = ([id]: readonly [number, Group]) => !later?.makers.has(id) || later.cards.has(id);
  const cards = later ? new Map([...placement.cards].filter(comes)) : placement.cards;
  // What is on the way to something later is drawn so from the beginning.
  const uses = later?.uses ?? placement.uses;
  return {
    plan: { ...rest, placement: { ...placement, cards, uses }, values: wished.values },
    others,
  };
}

/**
 * The plan of a later moment for an earlier one: what stands already stands where it will. What
 * is still to be written stands in the version that it has by then.
 */
export function planAt(model: Model, plan: Plan, later: Model): Plan {
  const fixed = (id: number): number => {
    let at = id;
    while (!model.values.has(at)) {
      const row = later.values.get(at);
      const writes = row ? (later.storages.get(row.storage)?.writes ?? []) : [];
      const before = writes.findLast(({ value }) => value === at)?.before;
      if (before === undefined || before >= at) return id;
      at = before;
    }
    return at;
  };
  const { placement } = plan;
  const cards = new Map<number, Group>();
  for (const [id, home] of placement.cards) {
    const now = fixed(id);
    if (now === id || !placement.cards.has(now)) cards.set(now, home);
  }
  return { ...plan, placement: { ...placement, cards } };
}

/** The richest detail, without cards between groups where there are many boxes. */
function richest(model: Model, content: Content): Detail {
  const { root } = content.tree;
  const [roomy, cards] = detailsOf(content);
  if (!roomy || !cards) throw new Error("a content has details");
  const full = place(model, content, open(root, new Map(), roomy.open), "roomy");
  return full.closed.size === 0 || boxesIn(full) <= ROOMY ? roomy : cards;
}

/**
 * The groups around the call that raised in the newest cell, or around the node that failed and the
 * write that spoiled what it had saved, stand open: these are looked at first.
 */
function groupsAroundError(model: Model, root: Group): ReadonlyMap<string, boolean> {
  const error = model.errors.at(-1);
  if (!error || error.time < (model.cellTimes.at(-1) ?? 0)) return NONE;
  const opened = (calls: readonly number[]): ReadonlyMap<string, boolean> => {
    const around = calls.flatMap((call) => groupsAround(root, (item) => item === call));
    return new Map(around.map(({ place }) => [place, true]));
  };
  if (error.kind === "call") return opened([RAISED]);
  if (error.node === null) return NONE;
  const failed = error.node;
  const hazard = hazards(model).find(
    ({ node, slot }) => node.node === failed && slot.slot === error.slot,
  );
  const calls = [
    model.nodes.get(failed)?.call ?? null,
    (hazard && overwriteOf(model, hazard)?.call) ?? null,
  ];
  return opened(calls.filter((call) => call !== null));
}

const NONE: ReadonlyMap<string, boolean> = new Map();

/** How many boxes are drawn of a placement. */
export function boxesIn({ cards, closed, calls }: Placement): number {
  return cards.size + closed.size + calls.length;
}
