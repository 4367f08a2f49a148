/* The connected parts of a graph. */

import { at } from "../collections";
import type { LayoutBox, LayoutWire } from "./types";

/** A part of the graph that no wire joins to the rest; the oldest part comes first. */
export interface Component {
  readonly boxes: LayoutBox[];
  readonly wires: LayoutWire[];
}

export function components(boxes: readonly LayoutBox[], wires: readonly LayoutWire[]): Component[] {
  const { join, find } = groups(boxes.map((box) => box.key));
  for (const wire of wires) join(wire.from, wire.to);
  const found = new Map<string, Component>();
  for (const box of boxes) {
    const root = find(box.key);
    const component = found.get(root);
    if (component) component.boxes.push(box);
    else found.set(root, { boxes: [box], wires: [] });
  }
  for (const wire of wires) found.get(find(wire.from))?.wires.push(wire);
  return [...found.values()];
}

/** Union-find: `find` gives each key the same representative as all it was joined to. */
export function groups<K>(keys: Iterable<K>) {
  const items = [...keys];
  const index = new Map(items.map((key, i) => [key, i]));
  const parent = Int32Array.from(items, (_, i) => i);
  const root = (item: number): number => {
    let top = item;
    while (at(parent, top) !== top) top = at(parent, top);
    for (let i = item; i !== top;) {
      const up = at(parent, i);
      parent[i] = top;
      i = up;
    }
    return top;
  };
  const join = (a: K, b: K): void => {
    const [i, j] = [index.get(a), index.get(b)];
    if (i !== undefined && j !== undefined) parent[root(j)] = root(i);
  };
  const find = (key: K): K => {
    const item = index.get(key);
    return item === undefined ? key : at(items, root(item));
  };
  return { join, find };
}
