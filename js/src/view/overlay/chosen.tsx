/* The op that is selected, and where its node, or that of a selected value, runs in the replay. */

import { callOfKey } from "../../graph/keys";
import { expression } from "../../graph/names";
import type { Store } from "../../store/store";
import { t } from "../../text/text";

/** A bar in the corner of the picture, while an op is selected: of values the panel tells more. */
export function ChosenBar({ store }: { store: Store }) {
  const model = store.model.value;
  const chosen = callOfKey(store.chosen.value ?? "");
  const call = chosen === null ? undefined : model.calls.get(chosen);
  if (!call || store.selected.value !== null) return null;
  return (
    <div class="gw-chosen-bar" data-testid="chosen">
      <span class="gw-math-text">{expression(model, call, 40).slice(0, 60)}</span>
      <NodeChip store={store} node={call.node} />
    </div>
  );
}

/** Leads to the step in which a node ran; one that a waiting run has yet to reach is run to. */
export function NodeChip({ store, node }: { store: Store; node: number | null }) {
  if (node === null) return null;
  const run = store.liveRun.value;
  const waits = run !== null && !run.order.includes(node);
  if (!waits && store.stepOfNode(node) < 0) return null;
  const name = store.present.value.nodes.get(node)?.name ?? t.bars.pausedRun.itsNode;
  return (
    <button
      type="button"
      class="gw-chip"
      data-action="run-to"
      onClick={() => {
        store.runTo(node);
      }}
    >
      {waits ? t.bars.pausedRun.runTo(name) : t.bars.pausedRun.whereRan(name)}
    </button>
  );
}
