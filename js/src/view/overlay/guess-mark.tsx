/* A "?" on the box that a question of "guess first" is about. */

import { valueKey } from "../../graph/keys";
import { rectOf } from "../../scene/scene";
import type { Store } from "../../store/store";

const RADIUS = 11;

/** The mark on the card of the value that is asked for, where that is drawn already. */
export function GuessMark({ store }: { store: Store }) {
  const question = store.guess.question.value;
  const scene = store.scene.value;
  const placed = question && "value" in question && scene.boxes.get(valueKey(question.value));
  if (!placed) return null;
  const { x, y, w } = rectOf(placed, scene.direction);
  return (
    <g class="gw-guess-mark" data-testid="guess-mark" transform={`translate(${x + w} ${y})`}>
      <circle r={RADIUS} />
      <text text-anchor="middle" dy="0.35em">
        ?
      </text>
    </g>
  );
}
