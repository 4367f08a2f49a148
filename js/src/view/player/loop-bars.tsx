/* The larger of the player's two scales: the iterations of a loop. */

import type { LoopRow } from "../../log/model";
import type { Store } from "../../store/store";
import type { ShownFilm } from "../../store/time-travel";
import { Curves, Scalars, scalarsOf } from "./loss-curves";

/** Of each loop that trains its turns, the outer one first; nothing where none does. */
export function FilmBars({ store }: { store: Store }) {
  const films = store.films.value;
  return (
    <>
      {films.map((film) => (
        <FilmBar key={film.loop.loop} store={store} film={film} nested={films.length > 1} />
      ))}
    </>
  );
}

interface FilmBarProps {
  store: Store;
  film: ShownFilm;
  /** Whether there are several, which their loops' headers tell apart. */
  nested: boolean;
}

/** The turns of a loop with the curve of their scalars. */
function FilmBar({ store, film, nested }: FilmBarProps) {
  const { loop, section, whole } = film;
  const shown = section?.turn?.turn ?? null;
  const asked = store.lostTurn.value;
  const lost = asked?.loop === loop.loop ? asked.turn : null;
  const turn = lost ?? shown;
  const place = turn ?? turnBefore(loop, store.time.value);
  const side = (loop.turns[0]?.from ?? 0) < store.time.value ? "after" : "before";
  const told = side === "after" ? place : turn;
  const words = told === null ? "" : scalarsOf(loop, told);
  const header = nested ? (store.present.value.scopes.get(loop.loop)?.text ?? "") : "";
  const go = (to: number): void => {
    store.playing.value = false;
    store.toTurn(to, film);
  };
  return (
    <div class="gw-film" data-testid="film" title={header}>
      <span class="gw-turn" data-testid="turn-count">
        {turn === null
          ? `${side} iteration ${place} / ${loop.count}`
          : `iteration ${turn} / ${loop.count}`}
      </span>
      <div class="gw-turns">
        <Curves film={loop} turn={turn} whole={whole} onTurn={go} />
        <input
          type="range"
          data-action="turns"
          aria-label={header === "" ? "Iteration of the loop" : `Iteration of the loop ${header}`}
          aria-valuetext={`iteration ${place} of ${loop.count}${words === "" ? "" : `: ${words}`}`}
          min={1}
          max={loop.count}
          step={1}
          value={place}
          onInput={(event) => {
            go(Number(event.currentTarget.value));
          }}
        />
      </div>
      <span class="gw-turn-words" data-testid="turn-words">
        {lost !== null ? (
          <Lost lost={lost} shown={shown} words={words} />
        ) : words !== "" && told !== null ? (
          <Scalars film={loop} turn={told} />
        ) : (
          header
        )}
      </span>
      {whole.length < loop.count && (
        <span
          class="gw-turns-kept gw-dim"
          data-testid="turns-kept"
          title={`${keptWords(whole)}. The other iterations keep their scalars and the final values of the parameters.`}
        >
          {keptWords(whole, loop.count)}
        </span>
      )}
    </div>
  );
}

/** The last turn that began before a time. */
function turnBefore({ turns }: LoopRow, time: number): number {
  return turns.findLast(({ from }) => from < time)?.turn ?? turns[0]?.turn ?? 1;
}

/** The most letters of a list of iterations beside their slider. */
const LONGEST_LIST = 20;

/** The iterations with all their steps; or how many of `count`, where a list has no room. */
export function keptWords(whole: readonly number[], count = Infinity): string {
  if (whole.length === 0) return "curve only";
  const list = listed(whole);
  if (count < Infinity && list.length > LONGEST_LIST) {
    return `all details: ${whole.length} of ${count} iterations`;
  }
  return `all details: ${whole.length === 1 ? "iteration" : "iterations"} ${list}`;
}

interface LostProps {
  lost: number;
  shown: number | null;
  words: string;
}

/** An iteration without details: its scalars, and which iteration the picture shows instead. */
function Lost({ lost, shown, words }: LostProps) {
  const instead = shown === null ? "" : `; the picture shows iteration ${shown}`;
  return (
    <span role="status">
      {`${words === "" ? `iteration ${lost}` : words} (details not stored${instead})`}
    </span>
  );
}

/** `1, 5, 28–30`. */
export function listed(turns: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < turns.length;) {
    let end = i;
    while (turns[end + 1] === (turns[end] ?? NaN) + 1) end += 1;
    const [a, b] = [turns[i] ?? 0, turns[end] ?? 0];
    parts.push(a === b ? String(a) : `${a}–${b}`);
    i = end + 1;
  }
  return parts.join(", ");
}
