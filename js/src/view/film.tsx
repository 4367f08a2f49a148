/* The larger of the player's two scales: the turns of a film. */

import type { LoopRow } from "../log/model";
import type { Store } from "../store/store";
import type { ShownFilm } from "../store/time-travel";
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
        {turn === null ? `${side} turn ${place} / ${loop.count}` : `turn ${turn} / ${loop.count}`}
      </span>
      <div class="gw-turns">
        <Curves film={loop} turn={turn} whole={whole} onTurn={go} />
        <input
          type="range"
          data-action="turns"
          aria-label={header === "" ? "Turn of the loop" : `Turn of the loop ${header}`}
          aria-valuetext={`turn ${place} of ${loop.count}${words === "" ? "" : `: ${words}`}`}
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
          title={`${keptWords(whole)}. Of the other turns only their scalars are kept, and what the parameters were in the end.`}
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

/** So many letters of a list of turns have room beside their slider. */
const LONGEST_LIST = 20;

/** Which turns are there to be walked through; how many of a `count`, where a list has no room. */
export function keptWords(whole: readonly number[], count = Infinity): string {
  if (whole.length === 0) return "curve only";
  const list = listed(whole);
  if (count < Infinity && list.length > LONGEST_LIST) {
    return `kept whole: ${whole.length} of ${count} turns`;
  }
  return `kept whole: ${whole.length === 1 ? "turn" : "turns"} ${list}`;
}

interface LostProps {
  lost: number;
  shown: number | null;
  words: string;
}

/** A turn whose details were let go: its scalars, and which turn the picture shows instead. */
function Lost({ lost, shown, words }: LostProps) {
  const instead = shown === null ? "" : `; the picture shows turn ${shown}`;
  return (
    <span role="status">
      {`${words === "" ? `turn ${lost}` : words} (details let go${instead})`}
    </span>
  );
}

/** `1, 5, 28 to 30`. */
export function listed(turns: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < turns.length;) {
    let end = i;
    while (turns[end + 1] === (turns[end] ?? NaN) + 1) end += 1;
    const [a, b] = [turns[i] ?? 0, turns[end] ?? 0];
    parts.push(a === b ? String(a) : `${a} to ${b}`);
    i = end + 1;
  }
  return parts.join(", ");
}
