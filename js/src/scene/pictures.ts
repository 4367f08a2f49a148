/*
 * Pictures over time: each is made from the one before, so that the picture stands still while
 * the graph grows and while the user travels through its history. Any remembered layout that has
 * a place for every box is used again; for a moment in the past that is the layout of the end of
 * its cell, so that the boxes appear where they will stay.
 */

import type { Graph } from "../graph/graph";
import { EMPTY, layout } from "../layout/layout";
import type { Layout, LayoutBox } from "../layout/types";
import { extents, type Direction } from "./flow";
import { buildScene, partOf, type Scene } from "./scene";
import type { Sizes } from "./seats";

/** What is to be drawn. */
export interface Wish {
  readonly graph: Graph;
  /** The graph at the end of the cell, of which `graph` is what stands already. */
  readonly whole: Graph;
  readonly direction: "auto" | Direction;
  /** Room for the picture, in pixels. */
  readonly width: number;
  /** How often the picture was tidied: when that rises, it is laid out as if never seen. */
  readonly tidied: number;
}

export interface Picture {
  readonly direction: Direction;
  readonly scene: Scene;
  readonly graph: Graph;
  readonly drawn: Drawn;
  readonly memory: Memory;
  /** The direction that suited a graph in some width. */
  readonly suited: { readonly direction: Direction; readonly whole: Graph; readonly width: number };
  readonly tidied: number;
}

/** What each direction remembers: layouts, the newest last, and the graph drawn last. */
type Memory = Readonly<
  Record<Direction, { readonly layouts: readonly SizedLayout[]; readonly drawn: Drawn }>
>;

/** A layout with the sizes that it was made for. */
interface SizedLayout {
  readonly layout: Layout;
  readonly sizes: Sizes;
}

interface Drawn {
  readonly graph: Graph;
  readonly layout: SizedLayout;
  readonly scene: Scene;
}

const REMEMBERED = 12;

/** A box may outgrow the size it was placed with by so much before it needs a new place. */
const SLACK = 8;

/** Text is still easy to read at this scale. */
const READABLE = 0.62;

/** Before the first picture. */
export const BLANK: Picture = blank();

function blank(): Picture {
  const graph = { boxes: new Map(), wires: [], brackets: [], left: 0 };
  const sizes = new Map();
  const scene = buildScene(graph, EMPTY, sizes, "LR");
  const drawn = { graph, layout: { layout: EMPTY, sizes }, scene };
  const none = { layouts: [], drawn };
  const suited = { direction: "LR", whole: graph, width: 0 } as const;
  return {
    direction: "LR",
    scene,
    graph,
    drawn,
    memory: { LR: none, TD: none },
    suited,
    tidied: 0,
  };
}

/** The picture after `last`. */
export function nextPicture(last: Picture, wish: Wish): Picture {
  const { graph, whole, direction: wanted, width, tidied } = wish;
  const memory = { ...(tidied === last.tidied ? last.memory : BLANK.memory) };
  const suited = wanted === "auto" ? suit(memory, last.suited, whole, width) : last.suited;
  const direction = wanted === "auto" ? suited.direction : wanted;
  const part = graph !== whole && [...graph.boxes.keys()].every((key) => whole.boxes.has(key));
  const drawn = draw(memory, part ? whole : graph, whole, direction);
  const known = graph === last.graph && drawn === last.drawn;
  const scene = known ? last.scene : part ? partOf(drawn.scene, graph) : drawn.scene;
  return { direction, scene, graph, drawn, memory, suited, tidied };
}

/** The memory while a picture is made from it. */
type Draft = { -readonly [D in Direction]: Memory[D] };

/** Left to right while that fits the width readably, top down beyond. */
function suit(
  memory: Draft,
  last: Picture["suited"],
  whole: Graph,
  width: number,
): Picture["suited"] {
  if (last.whole === whole && last.width === width) return last;
  const wide = draw(memory, whole, whole, "LR").scene.bounds.w;
  const needed = last.direction === "LR" ? READABLE * 0.8 : READABLE; // no to and fro
  if (wide * needed <= width) return { direction: "LR", whole, width };
  const tall = draw(memory, whole, whole, "TD").scene.bounds.w;
  return { direction: tall > wide * 0.8 ? "LR" : "TD", whole, width };
}

/** Draws a graph in a layout, both of which the memory then holds. */
function draw(memory: Draft, graph: Graph, whole: Graph, direction: Direction): Drawn {
  const { layouts, drawn: last } = memory[direction];
  const [known, remembered] = layoutOf(layouts, graph, whole, direction);
  const drawn =
    last.graph === graph && last.layout === known
      ? last
      : { graph, layout: known, scene: buildScene(graph, known.layout, known.sizes, direction) };
  memory[direction] = { layouts: remembered, drawn };
  return drawn;
}

/** A layout for a graph; new ones are made for the whole, so that what comes has its place. */
function layoutOf(
  remembered: readonly SizedLayout[],
  graph: Graph,
  whole: Graph,
  direction: Direction,
): [SizedLayout, readonly SizedLayout[]] {
  const known = remembered.findLast((old) => covers(old, graph, direction));
  if (known) return [known, remembered];
  const last = remembered.at(-1)?.layout ?? EMPTY;
  const later = whole === graph ? null : layOut(whole, direction, last);
  const made = later && covers(later, graph, direction) ? later : layOut(graph, direction, last);
  return [made, [...remembered, made].slice(-REMEMBERED)];
}

function layOut(graph: Graph, direction: Direction, previous: Layout): SizedLayout {
  const sizes = new Map<string, readonly [number, number, number]>();
  const boxes: LayoutBox[] = [];
  for (const box of graph.boxes.values()) {
    const size = extents(box, direction);
    sizes.set(box.key, size);
    const [main, before, after] = size;
    const age = box.kind === "card" ? box.value.time : box.call.time;
    boxes.push({ key: box.key, kind: box.kind, main, before, after, age });
  }
  boxes.sort((a, b) => a.age - b.age);
  return { layout: layout(boxes, graph.wires, previous), sizes };
}

/** Whether a layout has room for every box of a graph. */
function covers(old: SizedLayout, graph: Graph, direction: Direction): boolean {
  const joined = new Set<string>();
  for (const wire of graph.wires) joined.add(wire.from).add(wire.to);
  for (const [key, box] of graph.boxes) {
    const size = old.sizes.get(key);
    const place = old.layout.places.get(key);
    if (!size || !place || (place.rank < 0 && joined.has(key))) return false;
    const [, before, after] = extents(box, direction);
    if (before > size[1] + SLACK || after > size[2] + SLACK) return false;
  }
  return true;
}
