/*
 * Pictures over time: each is made from the one before, so that the picture stands still while
 * the graph grows and while the user travels through its history. Any remembered layout that has
 * a place for every box is used again; for a moment in the past that is the layout of the end of
 * its cell, so that the boxes appear where they will stay.
 */

import type { Graph } from "../graph/graph";
import type { Room } from "./fitting";
import { extents, NAMES, READING, type Direction } from "./flow";
import { layOut, NO_LEVELS, placeIn, piecesOf, type Levels } from "./nested";
import { buildScene, partOf, type Scene } from "./scene";
import { positionsOf } from "./positions";
import type { Work } from "../sliced-work";

/** What is to be drawn. */
export interface Wish {
  readonly graph: Graph;
  /** The graph at the end of the cell, of which `graph` is what stands already. */
  readonly whole: Graph;
  readonly direction: "auto" | Direction;
  /** What can be read at once, in units of the plane. */
  readonly room: Room;
  /** In another state than before it is laid out as if never seen: when it was tidied, say. */
  readonly state: string;
}

export interface Picture {
  readonly direction: Direction;
  readonly scene: Scene;
  readonly graph: Graph;
  readonly drawn: Drawn;
  readonly memory: Memory;
  /** The direction that suited a graph in some room. */
  readonly suited: { readonly direction: Direction; readonly whole: Graph; readonly room: Room };
  readonly state: string;
}

/** What each direction remembers: layouts, the newest last, and the graph drawn last. */
type Memory = Readonly<
  Record<Direction, { readonly layouts: readonly Levels[]; readonly drawn: Drawn }>
>;

interface Drawn {
  readonly graph: Graph;
  readonly layout: Levels;
  readonly scene: Scene;
}

const REMEMBERED = 12;

/** A box may outgrow the size it was placed with by so much before it needs a new place. */
const SLACK = 8;

/** Before the first picture. */
export const BLANK: Picture = blank();

function blank(): Picture {
  const none = new Map<string, never>();
  const graph: Graph = {
    boxes: none,
    wires: [],
    brackets: [],
    frames: none,
    homes: none,
    places: none,
    fresh: new Set(),
    gaps: "wide",
    left: 0,
  };
  const levels = layOut(graph, "LR", NO_LEVELS);
  const drawn = { graph, layout: levels, scene: buildScene(graph, levels, "LR") };
  const empty = { layouts: [], drawn };
  const suited = { direction: "LR", whole: graph, room: { w: 0, h: 0 } } as const;
  return {
    direction: "LR",
    scene: drawn.scene,
    graph,
    drawn,
    memory: { LR: empty, TD: empty },
    suited,
    state: "",
  };
}

/** The picture after `last`. */
export function nextPicture(last: Picture, wish: Wish): Picture {
  const { graph, whole, direction: wanted, room, state } = wish;
  const memory = { ...(state === last.state ? last.memory : BLANK.memory) };
  const suited = wanted === "auto" ? suit(memory, last.suited, whole, room) : last.suited;
  const direction = wanted === "auto" ? suited.direction : wanted;
  const part = graph !== whole && [...graph.boxes.keys()].every((key) => whole.boxes.has(key));
  const drawn = draw(memory, part ? whole : graph, whole, direction);
  const known = graph === last.graph && drawn === last.drawn;
  const scene = known ? last.scene : part ? partOf(drawn.scene, graph) : drawn.scene;
  return { direction, scene, graph, drawn, memory, suited, state };
}

/** The memory while a picture is made from it. */
type Draft = { -readonly [D in Direction]: Memory[D] };

/** Pictures drawn ahead: what a graph looks like that nothing was drawn before. */
const ahead = new WeakMap<Graph, Partial<Record<Direction, Drawn>>>();

/** Draws a graph ahead in the directions that its first picture will be tried in. */
export function* drawAhead(graph: Graph, wanted: "auto" | Direction, room: Room): Work {
  const made: Partial<Record<Direction, Drawn>> = {};
  for (const direction of wanted === "auto" ? (["LR", "TD"] as const) : [wanted]) {
    const layout = layOut(graph, direction, NO_LEVELS);
    yield;
    made[direction] = { graph, layout, scene: buildScene(graph, layout, direction) };
    yield;
    if (shareIn(room, made[direction].scene) === WHOLE) break;
  }
  ahead.set(graph, made);
}

/** How much of a scene can be read at once; more than 1 where the names of all of it can. */
function shareIn(room: Room, { bounds: { w, h } }: Scene): number {
  const [along, across] = [Math.min(1, room.w / w), Math.min(1, room.h / h)];
  const scale = Math.min(along, across);
  return scale >= NAMES / READING ? 1 + scale : along * across;
}

/** The share of a scene of which all can be read. */
const WHOLE = 2;

/** Left to right, unless clearly more of the picture can be read at once top down. */
function suit(memory: Draft, last: Picture["suited"], whole: Graph, room: Room): Picture["suited"] {
  if (last.whole === whole && last.room === room) return last;
  const share = (direction: Direction): number =>
    shareIn(room, draw(memory, whole, whole, direction).scene);
  const across = share("LR");
  if (across === WHOLE) return { direction: "LR", whole, room };
  const down = share("TD");
  const better = last.direction === "TD" ? 1 : 1.25; // no to and fro
  return { direction: down === WHOLE || down > across * better ? "TD" : "LR", whole, room };
}

/** Draws a graph in a layout, both of which the memory then holds. */
function draw(memory: Draft, graph: Graph, whole: Graph, direction: Direction): Drawn {
  const { layouts, drawn: last } = memory[direction];
  const first = layouts.length === 0 ? ahead.get(graph)?.[direction] : undefined;
  if (first) {
    memory[direction] = { layouts: [first.layout], drawn: first };
    return first;
  }
  const [known, remembered] = layoutOf(layouts, graph, whole, last, direction);
  const drawn =
    last.graph === graph && last.layout === known
      ? last
      : { graph, layout: known, scene: buildScene(graph, known, direction) };
  memory[direction] = { layouts: remembered, drawn };
  return drawn;
}

/** A layout for a graph; new ones are made for the whole, so that what comes has its place. */
function layoutOf(
  remembered: readonly Levels[],
  graph: Graph,
  whole: Graph,
  drawn: Drawn,
  direction: Direction,
): [Levels, readonly Levels[]] {
  const known = remembered.findLast((old) => covers(old, graph, direction));
  if (known) return [known, remembered];
  const last = remembered.at(-1) ?? NO_LEVELS;
  const later = whole === graph ? null : layOut(whole, direction, last);
  const fits = later !== null && covers(later, graph, direction);
  const fresh = fits ? later : layOut(graph, direction, last);
  const made = holdStill(fresh, fits ? whole : graph, drawn, direction);
  return [made, [...remembered, made].slice(-REMEMBERED)];
}

/** The group that the reader opened or closed keeps its corner. */
function holdStill(made: Levels, graph: Graph, drawn: Drawn, direction: Direction): Levels {
  const outermost = made.get("");
  const touched = touchedIn(drawn.graph, graph);
  const before =
    touched === null ? undefined : cornerOf(drawn.graph, drawn.layout, touched, direction);
  const after = touched === null ? undefined : cornerOf(graph, made, touched, direction);
  if (!outermost || !before || !after) return made;
  const [main, cross] = outermost.origin;
  const origin = [main + before[0] - after[0], cross + before[1] - after[1]] as const;
  return new Map(made).set("", { ...outermost, origin });
}

/** The place of a group that is open in one of two graphs and closed in the other. */
function touchedIn(before: Graph, after: Graph): string | null {
  const frames = (graph: Graph) => new Set([...graph.frames.values()].map((f) => f.facts.place));
  const closed = (graph: Graph) =>
    new Set([...graph.boxes.values()].flatMap((b) => (b.kind === "group" ? [b.facts.place] : [])));
  const [was, is] = [frames(before), frames(after)];
  for (const place of closed(before)) if (is.has(place)) return place;
  for (const place of closed(after)) if (was.has(place)) return place;
  return null;
}

/** Where a group stands in the flow, open or closed. */
function cornerOf(
  graph: Graph,
  levels: Levels,
  place: string,
  direction: Direction,
): readonly [number, number] | undefined {
  const { boxes, frames } = positionsOf(graph, levels, direction);
  for (const [key, position] of [...frames, ...boxes]) {
    if (placeIn(graph, key) === place) return [position.main, position.cross];
  }
  return undefined;
}

/** Whether a layout has room for every box of a graph, in the groups that it stands in. */
function covers(old: Levels, graph: Graph, direction: Direction): boolean {
  const joined = new Set<string>();
  for (const wire of graph.wires) joined.add(wire.from).add(wire.to);
  const levelOf = (key: string) => old.get(key === "" ? "" : placeIn(graph, key))?.layout.places;
  for (const [key, box] of graph.boxes) {
    const home = graph.homes.get(key) ?? "";
    const level = old.get(home === "" ? "" : placeIn(graph, home));
    const own = placeIn(graph, key);
    const size = level?.sizes.get(own);
    const place = level?.layout.places.get(own);
    if (!size || !place || (place.rank < 0 && joined.has(key))) return false;
    const [, before, after] = extents(box, direction);
    if (before > size[1] + SLACK || after > size[2] + SLACK) return false;
  }
  for (const [key, frame] of graph.frames) {
    if (!old.has(placeIn(graph, key)) || !levelOf(frame.home)?.has(placeIn(graph, key)))
      return false;
  }
  // Wires through the edges of frames need their gates.
  return graph.wires.every((wire) => {
    const pieces = piecesOf(graph, wire.from, wire.to);
    return (
      pieces.length === 1 ||
      pieces.every(({ level, from, to }) => {
        const places = levelOf(level);
        return places !== undefined && places.has(from) && places.has(to);
      })
    );
  });
}
