/* The bar of a paused backward run. */

import { called } from "../../graph/names";
import type { Store } from "../../store/store";

/** The state of a paused backward run, and the buttons that continue it. */
export function RunBar({ store }: { store: Store }) {
  const run = store.liveRun.value;
  if (!run) return <LeftRun store={store} />;
  const inCell = store.pause.value?.run === run.run;
  return (
    <div class="gw-notice" data-testid="run-bar" role="group" aria-label="The paused run">
      <span>
        {inCell
          ? "Backward is paused in the running cell, which continues after the run. Next (→) runs one node."
          : "Backward is paused. Next (→) runs one node."}
      </span>
      <span>
        <ToSelected store={store} />
        <Order action="run-end" title="Run the remaining nodes" onClick={store.finishRun}>
          run to the end
        </Order>
        <Order
          action="abandon"
          title={
            inCell
              ? "Interrupt the cell here; gradients that were accumulated stay"
              : "Stop here; gradients that were accumulated stay"
          }
          onClick={store.abandon}
        >
          stop here
        </Order>
      </span>
    </div>
  );
}

/** A backward run that cannot continue: its kernel has ended. */
function LeftRun({ store }: { store: Store }) {
  if (store.leftRun.value === null) return null;
  return (
    <div class="gw-notice" data-testid="left-run">
      {`Backward stopped here before its end. ${store.why.value}`}
    </div>
  );
}

/** Runs up to the node that made the selected value. */
function ToSelected({ store }: { store: Store }) {
  const model = store.present.value;
  const value = model.values.get(store.selected.value ?? -1);
  const node = model.nodes.get(value?.node ?? -1);
  if (!value || node?.state !== "ready") return null;
  return (
    <Order
      action="run-to"
      title={`Run up to and with ${node.name}, which made ${called(model, value.value)}`}
      onClick={() => {
        store.runTo(node.node);
      }}
    >
      {`run up to ${called(model, value.value, 16)}`}
    </Order>
  );
}

interface OrderProps {
  readonly action: string;
  readonly title: string;
  readonly onClick: () => void;
  readonly children: string;
}

function Order({ action, title, onClick, children }: OrderProps) {
  return (
    <button type="button" class="gw-command" data-action={action} title={title} onClick={onClick}>
      {children}
    </button>
  );
}
