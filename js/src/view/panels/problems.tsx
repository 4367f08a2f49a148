/* Problems, one after another: errors, overwritten values, values that are not finite. */

import { problemsOf, type Problem } from "../../store/find";
import type { Store } from "../../store/store";
import { t } from "../../text/text";

function problems(store: Store): readonly Problem[] {
  const { error, hazards, wrong } = store.shown;
  return problemsOf(store.model.value, error.value, hazards.value, wrong.value);
}

/**
 * Goes to the problem after the one that was looked at last, and from the last to the first: with
 * the camera and in words.
 */
export function nextProblem(store: Store): void {
  const all = problems(store);
  const [first] = all;
  if (!first) return;
  const at = all.findIndex(({ key }) => key === store.asked.value?.key);
  const next = all[at + 1] ?? first;
  store.ask(next);
  store.seek(next.key);
}

/** How much is wrong; a click goes from one to the next. */
export function ProblemsChip({ store }: { store: Store }) {
  const all = problems(store);
  const [first] = all;
  if (!first) return null;
  const text =
    all.length === 1 ? t.bars.problemChips[first.kind] : t.bars.problemChips.count(all.length);
  return (
    <button
      type="button"
      class="gw-chip gw-chip-wrong"
      data-action="problem"
      title={t.bars.problemChips.title}
      onClick={() => {
        nextProblem(store);
      }}
    >
      {`▸ ${text}`}
    </button>
  );
}
