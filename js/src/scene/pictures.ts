import { extents } from "../graph/boxes";
import type { Graph } from "../graph/graph";
import { EMPTY, layout } from "../layout/layout";
import type { Layout, LayoutBox } from "../layout/types";
import { buildScene, partOf, type Direction, type Scene, type Sizes } from "./scene";

/** A layout with the sizes that it was made for. */
interface Drawn {
  readonly layout: Layout;
  readonly sizes: Sizes;
}

const REMEMBERED = 12;

/** A box may outgrow the size it was placed with by so much before it needs a new place. */
const SLACK = 8;

/** Text is still easy to read at this scale. */
const READABLE = 0.62;

/**
 * Layouts over time: the picture stands still while the graph grows and while the user travels
 * through its history. Any remembered layout that has a place for every box is used again;
 * for a moment in the past that is the layout of the end of its cell, so that the boxes appear
 * where they will stay.
 */
export class Pictures {
  private drawn: Record<Direction, Drawn[]> = { LR: [], TD: [] };
  private chosen: Direction = "LR";
  private decided: { whole: Graph; width: number } | null = null;
  private last: Partial<Record<Direction, { graph: Graph; drawn: Drawn; scene: Scene }>> = {};

  forget(): void {
    this.decided = null;
    this.drawn = { LR: [], TD: [] };
  }

  /** `whole` is the graph at the end of the cell, of which `graph` is what stands already. */
  scene(graph: Graph, whole: Graph, direction: Direction): Scene {
    const inside = [...graph.boxes.keys()].every((key) => whole.boxes.has(key));
    if (!inside || graph === whole)
      return this.full(graph, this.place(graph, whole, direction), direction);
    return partOf(this.full(whole, this.place(whole, whole, direction), direction), graph);
  }

  private full(graph: Graph, drawn: Drawn, direction: Direction): Scene {
    const known = this.last[direction];
    if (known?.graph === graph && known.drawn === drawn) return known.scene;
    const scene = buildScene(graph, drawn.layout, drawn.sizes, direction);
    this.last[direction] = { graph, drawn, scene };
    return scene;
  }

  /** Left to right while that fits the width readably, top down beyond. */
  suited(whole: Graph, width: number): Direction {
    if (this.decided?.whole === whole && this.decided.width === width) return this.chosen;
    this.decided = { whole, width };
    const wide = this.scene(whole, whole, "LR").bounds.w;
    const needed = this.chosen === "LR" ? READABLE * 0.8 : READABLE; // no to and fro
    const fits = wide * needed <= width;
    const tall = fits ? 0 : this.scene(whole, whole, "TD").bounds.w;
    this.chosen = fits || tall > wide * 0.8 ? "LR" : "TD";
    return this.chosen;
  }

  /** A layout for a graph; new ones are made for the whole, so that what comes has its place. */
  private place(graph: Graph, whole: Graph, direction: Direction): Drawn {
    const memory = this.drawn[direction];
    const known = memory.findLast((drawn) => covers(drawn, graph, direction));
    if (known) return known;
    const last = memory.at(-1)?.layout ?? EMPTY;
    const later = whole === graph ? null : draw(whole, direction, last);
    const fits = later && covers(later, graph, direction) ? later : draw(graph, direction, last);
    memory.push(fits);
    if (memory.length > REMEMBERED) memory.shift();
    return fits;
  }
}

function draw(graph: Graph, direction: Direction, previous: Layout): Drawn {
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

function covers({ layout: { places }, sizes }: Drawn, graph: Graph, direction: Direction): boolean {
  const joined = new Set<string>();
  for (const wire of graph.wires) joined.add(wire.from).add(wire.to);
  for (const [key, box] of graph.boxes) {
    const size = sizes.get(key);
    const place = places.get(key);
    if (!size || !place || (place.rank < 0 && joined.has(key))) return false;
    const [, before, after] = extents(box, direction);
    if (before > size[1] + SLACK || after > size[2] + SLACK) return false;
  }
  return true;
}
