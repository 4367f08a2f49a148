/* The larger of the player's two scales: the turns of a film. */

import type { LoopRow } from "../log/model";
import type { Store } from "../store/store";
import { Curves, Scalars, scalarsOf } from "./curve";

/** The turns with the curve of their scalars; nothing where no loop trains. */
export function FilmBar({ store }: { store: Store }) {
  const film = store.film.value;
  if (!film) return null;
  const shown = store.section.value?.turn?.turn ?? null;
  const lost = store.lostTurn.value;
  const turn = lost ?? shown;
  const place = turn ?? turnBefore(film, store.time.value);
  const side = (film.turns[0]?.from ?? 0) < store.time.value ? "after" : "before";
  const told = side === "after" ? place : turn;
  const words = told === null ? "" : scalarsOf(film, told);
  const whole = store.wholeTurns.value;
  const go = (to: number): void => {
    store.playing.value = false;
    store.toTurn(to);
  };
  return (
    <div class="gw-film" data-testid="film">
      <span class="gw-turn" data-testid="turn-count">
        {turn === null ? `${side} turn ${place} / ${film.count}` : `turn ${turn} / ${film.count}`}
      </span>
      <div class="gw-turns">
        <Curves film={film} turn={turn} whole={whole} onTurn={go} />
        <input
          type="range"
          data-action="turns"
          aria-label="Turn of the loop"
          aria-valuetext={`turn ${place} of ${film.count}${words === "" ? "" : `: ${words}`}`}
          min={1}
          max={film.count}
          step={1}
          value={place}
          onInput={(event) => {
            go(Number(event.currentTarget.value));
          }}
        />
      </div>
      <span class="gw-turn-words" data-testid="turn-words">
        {lost === null ? (
          told !== null && <Scalars film={film} turn={told} />
        ) : (
          <Lost lost={lost} shown={shown} words={words} />
        )}
      </span>
      {whole.length < film.count && (
        <span
          class="gw-turns-kept gw-dim"
          data-testid="turns-kept"
          title="Of the other turns only their scalars are kept, and what the parameters were in the end."
        >
          {keptWords(whole)}
        </span>
      )}
    </div>
  );
}

/** The last turn that began before a time. */
function turnBefore({ turns }: LoopRow, time: number): number {
  return turns.findLast(({ from }) => from < time)?.turn ?? turns[0]?.turn ?? 1;
}

/** Which turns are there to be walked through. */
export function keptWords(whole: readonly number[]): string {
  if (whole.length === 0) return "curve only";
  return `kept whole: ${whole.length === 1 ? "turn" : "turns"} ${listed(whole)}`;
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
