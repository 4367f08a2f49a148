/* The problem that the reader asked for: its words are shown until another moment is shown. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { callOfKey, nodeOfKey, valueOfKey } from "../graph/keys";
import type { Hazard, NodeRow, ValueRow } from "../log/model";
import { birthsInBackward } from "../log/not-finite";
import type { Derived } from "./derived";
import type { Problem } from "./find";
import type { State } from "./state";

/** Shown instead of the newest error: a stale slot, or where NaN or Inf begins. */
export type AskedProblem =
  | { readonly kind: "hazard"; readonly hazard: Hazard }
  | { readonly kind: "nan"; readonly value: ValueRow }
  | { readonly kind: "nan-gradient"; readonly node: NodeRow };

export type Asking = ReturnType<typeof createAsking>;

export function createAsking(state: State, { time, model, hazards }: Derived) {
  /** Asks for the words of a problem; null for those that are shown anyway. */
  const ask = (problem: Problem | null, slot: number | null = null): void => {
    state.asked.value = problem && { ...problem, slot, time: time.peek() };
  };
  const inBackward = (key: string): AskedProblem | null => {
    const node = birthsInBackward(model.value).find(({ call }) => call === callOfKey(key));
    return node ? { kind: "nan-gradient", node } : null;
  };
  const askedProblem: ReadonlySignal<AskedProblem | null> = computed(() => {
    const asked = state.asked.value;
    if (asked?.time !== time.value) return null;
    const id = valueOfKey(asked.key);
    const value = id === null ? undefined : model.value.values.get(id);
    if (asked.kind === "nan") return value ? { kind: "nan", value } : inBackward(asked.key);
    if (asked.kind === "error") return null; // it is shown anyway
    const asks = nodeOfKey(asked.key);
    const hazard = hazards.value.find(
      ({ node, index }) => node.node === asks && (asked.slot ?? index) === index,
    );
    return hazard ? { kind: "hazard", hazard } : null;
  });
  return { ask, askedProblem };
}
