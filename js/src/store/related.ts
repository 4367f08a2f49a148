/* What a selected box came from and what it reaches. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { push } from "../collections";
import { valueKey } from "../graph/keys";
import type { Derived } from "./derived";
import type { State } from "./state";

interface Joined {
  readonly from: string;
  readonly to: string;
}

/** All boxes before a box and all after it along the wires, and the box itself. */
export function relatedTo(key: string, wires: readonly Joined[]): ReadonlySet<string> {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  for (const { from, to } of wires) {
    push(before, to, from);
    push(after, from, to);
  }
  const found = new Set([key]);
  for (const next of [before, after]) {
    const seen = new Set([key]);
    const stack = [key];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      for (const other of next.get(at) ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        stack.push(other);
      }
    }
    for (const each of seen) found.add(each);
  }
  return found;
}

/** The boxes related to the selected one; null while none is selected. */
export interface Related {
  readonly related: ReadonlySignal<ReadonlySet<string> | null>;
}

export function relate(state: State, { scene }: Derived): Related {
  const related = computed(() => {
    const value = state.selected.value;
    const key = value === null ? state.chosen.value : valueKey(value);
    if (key === null || !scene.value.boxes.has(key)) return null;
    return relatedTo(
      key,
      scene.value.wires.map(({ wire }) => wire),
    );
  });
  return { related };
}
