/* The bar of a paused backward run. */

import { called } from "../../graph/names";
import type { Store } from "../../store/store";
import { t } from "../../text/text";

/** The state of a paused backward run, and the buttons that continue it. */
export function RunBar({ store }: { store: Store }) {
  const run = store.liveRun.value;
  if (!run) return <LeftRun store={store} />;
  const words = t.bars.pausedRun;
  const inCell = store.pause.value?.run === run.run;
  return (
    <div class="gw-notice" data-testid="run-bar" role="group" aria-label={words.label}>
      <span>{inCell ? words.inCell : words.paused} </span>
      <span>
        <ToSelected store={store} />
        <Order action="run-end" title={words.toEndTitle} onClick={store.finishRun}>
          {words.toEnd}
        </Order>
        <Order
          action="abandon"
          title={inCell ? words.stopCell : words.stopTitle}
          onClick={store.abandon}
        >
          {words.stop}
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
      {t.bars.pausedRun.left(store.why.value)}
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
      title={t.bars.pausedRun.upToTitle(node.name, called(model, value.value))}
      onClick={() => {
        store.runTo(node.node);
      }}
    >
      {t.bars.pausedRun.upTo(called(model, value.value, 16))}
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
