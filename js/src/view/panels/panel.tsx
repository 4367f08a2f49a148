/* The words beside the picture. */

import { explainError, explainHazard } from "../../explain/problems";
import { explainNotFinite, explainNotFiniteGradient } from "../../explain/not-finite";
import type { Explanation } from "../../explain/text";
import { callKey, nodeKey } from "../../graph/keys";
import type { Model } from "../../log/model";
import type { AskedProblem } from "../../store/asked-problem";
import type { Store } from "../../store/store";
import { SaveButtons } from "../export";
import { ValuePanel } from "./value-panel";
import { Words } from "./explanation";
import { Guess } from "./guess";
import { Formulas } from "./formula";
import { t } from "../../text/text";

/** The words beside the picture: what the step did, what is wrong, what is selected. */
export function Panel({ store }: { store: Store }) {
  const selected = store.selected.value;
  const value = selected === null ? undefined : store.model.value.values.get(selected);
  return (
    <div class={value ? "gw-panel gw-chosen" : "gw-panel"}>
      <div class="gw-words" data-testid="explanation" aria-live="polite">
        <Guess store={store} />
        {store.guess.question.value === null && (
          <>
            <Problems store={store} />
            <StepWords store={store} />
          </>
        )}
        <SaveButtons store={store} />
      </div>
      {value !== undefined && (
        <div class="gw-side">
          <ValuePanel store={store} value={value} />
        </div>
      )}
    </div>
  );
}

/** Stale saved values, and the error of this cell; of what was asked for, that alone. */
function Problems({ store }: { store: Store }) {
  const model = store.model.value;
  const asked = store.askedProblem.value;
  if (asked) {
    return (
      <>
        <Words of={wordsOf(model, asked)} store={store} testid={asked.kind} />
        <Older store={store} />
      </>
    );
  }
  const error = store.shown.error.value;
  const hazards = store.shown.newest.value;
  const atError = store.step.value?.kind === "error";
  // When backward has raised for it, the error's own words tell the story.
  const [hazard] = error?.kind === "version" ? [] : hazards;
  return (
    <>
      {error && !atError && <Words of={explainError(model, error)} store={store} testid="error" />}
      {hazard && (
        <Words of={explainHazard(model, hazard)} store={store} testid="hazard">
          {hazards.length > 1 && (
            <p class="gw-line gw-dim">
              {hazards.length === 2
                ? t.bars.problemChips.oneMore
                : t.bars.problemChips.more(hazards.length - 1)}
            </p>
          )}
        </Words>
      )}
      <Older store={store} />
    </>
  );
}

function wordsOf(model: Model, asked: AskedProblem): Explanation {
  switch (asked.kind) {
    case "hazard":
      return explainHazard(model, asked.hazard);
    case "nan":
      return explainNotFinite(model, asked.value);
    case "nan-gradient":
      return explainNotFiniteGradient(model, asked.node);
  }
}

/** Stale values that earlier cells left behind, as a chip that leads to the first of them. */
function Older({ store }: { store: Store }) {
  const [first, ...more] = store.shown.older.value;
  if (!first) return null;
  const { node, index } = first;
  const { call } = node;
  return (
    <button
      type="button"
      class="gw-chip"
      data-testid="older-hazards"
      onClick={() => {
        // It may be in a graph that this cell has nothing to do with.
        if (!store.shown.hazards.value.includes(first)) store.everything.value = true;
        store.ask({ key: nodeKey(node.node), kind: "hazard" }, index);
        if (call !== null) store.seek(callKey(call));
      }}
    >
      {more.length === 0
        ? t.bars.problemChips.oneEarlier
        : t.bars.problemChips.earlier(more.length + 1)}
    </button>
  );
}

function StepWords({ store }: { store: Store }) {
  const explanation = store.explanation.value;
  if (store.askedProblem.value && store.step.value?.kind === "error") return null;
  if (!explanation) {
    return (
      <p class="gw-line gw-dim">
        {store.steps.value.length === 0 ? t.bars.notices.nothingRun : t.bars.notices.beforeFirst}
      </p>
    );
  }
  const testid = store.step.value?.kind === "error" ? "error" : "step";
  return (
    <div class="gw-step-words">
      <Words of={explanation} store={store} testid={testid} />
      <Formulas of={store.formulas.value} />
    </div>
  );
}
