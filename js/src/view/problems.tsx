/* What is wrong, one after another: errors, hazards, values that are not finite. */

import { problemsOf, type Problem } from "../store/find";
import type { Store } from "../store/store";
import type { ViewState } from "./view-state";

function problems(store: Store): readonly Problem[] {
  const { error, hazards, wrong } = store.shown;
  return problemsOf(store.model.value, error.value, hazards.value, wrong.value);
}

/** Goes to the problem after the one that was looked at last, and from the last to the first. */
export function nextProblem(store: Store, view: ViewState): void {
  const all = problems(store);
  const [first] = all;
  if (!first) return;
  const at = all.findIndex(({ key }) => key === view.problem.value);
  const { key } = all[at + 1] ?? first;
  view.problem.value = key;
  store.seek(key);
}

const WORDS = { error: "error", hazard: "hazard", nan: "NaN or Inf" } as const;

/** How much is wrong; a click goes from one to the next. */
export function ProblemsChip({ store, view }: { store: Store; view: ViewState }) {
  const all = problems(store);
  const [first] = all;
  if (!first) return null;
  const text = all.length === 1 ? WORDS[first.kind] : `${all.length} problems`;
  return (
    <button
      type="button"
      class="gw-chip gw-chip-wrong"
      data-action="problem"
      title={`Errors, hazards, NaN and Inf: go to the next (!)`}
      onClick={() => {
        nextProblem(store, view);
      }}
    >
      {`▸ ${text}`}
    </button>
  );
}
