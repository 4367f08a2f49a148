/* The part of the graph that is spoken of: what the newest cell worked on. */

import { countWhile } from "../collections";
import { groups } from "../layout/components";
import type { Model } from "../log/model";
import type { Box } from "./boxes";
import type { Graph } from "./graph";
import { valueKey } from "./keys";

/** The graph that the newest cell worked on, and how many others are left out. */
export interface Focus {
  readonly graph: Graph;
  readonly others: number;
}

/**
 * Keeps the connected parts that were touched last (built, written or run backward), and loose
 * values newer than those. A notebook has many small graphs; one is spoken of at a time.
 */
export function focus(graph: Graph, model: Model, everything: boolean): Focus {
  const find = groups(graph.boxes.keys(), [
    ...graph.wires.map((wire) => [wire.from, wire.to] as const),
    ...copies(graph),
  ]);
  const touched = new Map<string, number>(); // by part: the last cell that worked on it
  for (const box of graph.boxes.values()) {
    const time = lastTouch(model, box);
    if (time === null) continue;
    const root = find(box.key);
    const cell = cellOf(model, time);
    touched.set(root, Math.max(cell, touched.get(root) ?? cell));
  }
  const latest = Math.max(-1, ...touched.values());
  const others = [...touched.values()].filter((cell) => cell < latest).length;
  if (everything || latest < 0) return { graph, others };
  const keep = (box: Box): boolean => {
    const cell = touched.get(find(box.key));
    if (cell !== undefined) return cell === latest;
    return box.kind === "card" && cellOf(model, box.value.time) >= latest;
  };
  const boxes = new Map([...graph.boxes].filter(([, box]) => keep(box)));
  if (boxes.size === graph.boxes.size) return { graph, others };
  return {
    graph: {
      ...graph,
      boxes,
      wires: graph.wires.filter((wire) => boxes.has(wire.from) && boxes.has(wire.to)),
      brackets: graph.brackets.filter((b) => boxes.has(b.view) && boxes.has(b.base)),
    },
    others,
  };
}

function copies(graph: Graph): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (const box of graph.boxes.values()) {
    if (box.kind === "card" && box.copy) pairs.push([valueKey(box.value.value), box.key]);
  }
  return pairs;
}

function lastTouch(model: Model, box: Box): number | null {
  if (box.kind === "card") return null;
  const runs = box.nodes.flatMap(({ run }) => (run === null ? [] : (model.runs.get(run) ?? [])));
  return Math.max(box.call.time, ...runs.map((run) => run.time));
}

/** How many cells had begun by a time. */
function cellOf(model: Model, time: number): number {
  return countWhile(model.cellTimes, (cell) => cell <= time);
}
