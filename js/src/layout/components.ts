/* The connected parts of a graph. */

import type { LayoutBox, LayoutWire } from "./types";

/** A part of the graph that no wire joins to the rest; the oldest part comes first. */
export interface Component {
  readonly boxes: LayoutBox[];
  readonly wires: LayoutWire[];
}

export function components(boxes: readonly LayoutBox[], wires: readonly LayoutWire[]): Component[] {
  const find = groups(
    boxes.map((box) => box.key),
    wires.map((wire) => [wire.from, wire.to]),
  );
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

/** Union-find: a function that gives each key the same representative as all it is joined to. */
export function groups<K>(keys: Iterable<K>, pairs: Iterable<readonly [K, K]>): (key: K) => K {
  const parent = new Map<K, K>();
  for (const key of keys) parent.set(key, key);
  const find = (key: K): K => {
    let root = key;
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) {
      root = up;
    }
    for (let at = key; at !== root;) {
      const up = parent.get(at) ?? root;
      parent.set(at, root);
      at = up;
    }
    return root;
  };
  for (const [a, b] of pairs) if (parent.has(a) && parent.has(b)) parent.set(find(b), find(a));
  return find;
}
