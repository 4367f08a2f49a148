/* What can be done with the selected box in the replay: run to it, go to its step. */

import { expression } from "../graph/names";
import type { Model } from "../log/model";
import type { Store } from "../store/store";

interface Chosen {
  readonly title: string;
  readonly node: number | null;
}

/** The selected value or call, with the node that is its backward. */
function chosenOf(store: Store, model: Model): Chosen | null {
  const value = store.selected.value;
  if (value !== null) {
    const row = model.values.get(value);
    return row ? { title: "", node: row.node } : null;
  }
  const key = store.chosen.value;
  const call = key?.startsWith("c") ? model.calls.get(Number(key.slice(1))) : undefined;
  return call ? { title: expression(model, call, 40).slice(0, 60), node: call.node } : null;
}

/** A bar in the corner of the picture, while a box with something to do is selected. */
export function ChosenBar({ store }: { store: Store }) {
  const model = store.model.value;
  const chosen = chosenOf(store, model);
  if (!chosen) return null;
  const { node, title } = chosen;
  const name = node === null ? null : (store.present.value.nodes.get(node)?.name ?? null);
  const run = store.liveRun.value;
  const waits = node !== null && run !== null && !run.order.includes(node);
  const ran = node !== null && store.stepOfNode(node) >= 0;
  if (title === "" && !waits && !ran) return null;
  return (
    <div class="gw-chosen-bar" data-testid="chosen">
      {title !== "" && <span class="gw-math-text">{title}</span>}
      {node !== null && (waits || ran) && (
        <button
          type="button"
          class="gw-chip"
          data-action="run-to"
          onClick={() => {
            store.runTo(node);
          }}
        >
          {waits ? `run to ${name ?? "its node"}` : `where ${name ?? "its node"} ran`}
        </button>
      )}
    </div>
  );
}
