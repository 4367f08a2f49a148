/* The ends of a graph: backward can be begun at their cards. */

import type { Graph } from "./graph";

/** The room under a card that the button takes which offers that. */
export const END_H = 27;

/** Values that have a node and that nothing drawn reads. */
export function endsOf({ boxes, wires }: Graph): ReadonlySet<number> {
  const used = new Set(wires.filter((wire) => wire.way !== "out").map((wire) => wire.value));
  const found = new Set<number>();
  for (const box of boxes.values()) {
    if (box.kind !== "card" || box.copy || box.value.node === null) continue;
    if (box.value.requires_grad && !used.has(box.value.value)) found.add(box.value.value);
  }
  return found;
}
