/* The larger of the player's two scales: the iterations of a loop. */

import type { LoopRow } from "../../log/model";
import type { Store } from "../../store/store";
import type { ShownLoop } from "../../store/time-travel";
import { Curves, Scalars, scalarsOf } from "./loss-curves";
import { t } from "../../text/text";

/** Of each loop that trains its iterations, the outer one first; nothing where none does. */
export function LoopBars({ store }: { store: Store }) {
  const loops = store.loops.value;
  return (
    <>
      {loops.map((shown) => (
        <LoopBar key={shown.row.loop} store={store} shown={shown} nested={loops.length > 1} />
      ))}
    </>
  );
}

interface LoopBarProps {
  store: Store;
  shown: ShownLoop;
  /** Whether there are several, which their loops' headers tell apart. */
  nested: boolean;
}

/** The iterations of a loop with the curve of their scalars. */
function LoopBar({ store, shown, nested }: LoopBarProps) {
  const { row: loop, section, whole } = shown;
  const drawn = section?.iteration?.number ?? null;
  const asked = store.lostIteration.value;
  const lost = asked?.loop === loop.loop ? asked.iteration : null;
  const iteration = lost ?? drawn;
  const place = iteration ?? iterationBefore(loop, store.time.value);
  const side = (loop.iterations[0]?.from ?? 0) < store.time.value ? "after" : "before";
  const past = side === "after" ? place : iteration; // whose scalars are known
  const words = past === null ? "" : scalarsOf(loop, past);
  const header = nested ? (store.present.value.scopes.get(loop.loop)?.text ?? "") : "";
  const go = (to: number): void => {
    store.playing.value = false;
    store.toIteration(to, shown);
  };
  const { at, slider, sliderOf, is, isWith, keptTitle } = t.bars.iterations;
  return (
    <div class="gw-loop" data-testid="loop" title={header}>
      <span class="gw-iteration" data-testid="iteration-count">
        {iteration === null
          ? t.bars.iterations[side](place, loop.count)
          : at(iteration, loop.count)}
      </span>
      <div class="gw-iterations">
        <Curves loop={loop} iteration={iteration} whole={whole} onIteration={go} />
        <input
          type="range"
          data-action="iterations"
          aria-label={header === "" ? slider : sliderOf(header)}
          aria-valuetext={words === "" ? is(place, loop.count) : isWith(place, loop.count, words)}
          min={1}
          max={loop.count}
          step={1}
          value={place}
          onInput={(event) => {
            go(Number(event.currentTarget.value));
          }}
        />
      </div>
      <span class="gw-iteration-words" data-testid="iteration-words">
        {lost !== null ? (
          <Lost lost={lost} drawn={drawn} words={words} />
        ) : words !== "" && past !== null ? (
          <Scalars loop={loop} iteration={past} />
        ) : (
          header
        )}
      </span>
      {whole.length < loop.count && (
        <span
          class="gw-iterations-kept gw-dim"
          data-testid="iterations-kept"
          title={keptTitle(keptWords(whole))}
        >
          {keptWords(whole, loop.count)}
        </span>
      )}
    </div>
  );
}

/** The last iteration that began before a time. */
function iterationBefore({ iterations }: LoopRow, time: number): number {
  return iterations.findLast(({ from }) => from < time)?.number ?? iterations[0]?.number ?? 1;
}

/** The most letters of a list of iterations beside their slider. */
const LONGEST_LIST = 20;

/** The iterations with all their steps; or how many of `count`, where a list has no room. */
export function keptWords(whole: readonly number[], count = Infinity): string {
  const { curveOnly, keptOf, keptOne, kept } = t.bars.iterations;
  if (whole.length === 0) return curveOnly;
  const list = listed(whole);
  if (count < Infinity && list.length > LONGEST_LIST) {
    return keptOf(whole.length, count);
  }
  return (whole.length === 1 ? keptOne : kept)(list);
}

interface LostProps {
  lost: number;
  drawn: number | null;
  words: string;
}

/** An iteration without details: its scalars, and which iteration the picture shows instead. */
function Lost({ lost, drawn, words }: LostProps) {
  const { nr, notStored, shownInstead } = t.bars.iterations;
  const own = words === "" ? nr(lost) : words;
  return <span role="status">{drawn === null ? notStored(own) : shownInstead(own, drawn)}</span>;
}

/** `1, 5, 28–30`. */
export function listed(iterations: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < iterations.length;) {
    let end = i;
    while (iterations[end + 1] === (iterations[end] ?? NaN) + 1) end += 1;
    const [a, b] = [iterations[i] ?? 0, iterations[end] ?? 0];
    parts.push(a === b ? String(a) : `${a}–${b}`);
    i = end + 1;
  }
  return parts.join(", ");
}
