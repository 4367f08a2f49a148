/* The player: moves through the steps, and says where in time the picture is. */

import type { ComponentChildren, ComponentProps } from "preact";
import { toText } from "../../text/piece";
import type { Store } from "../../store/store";
import { Button } from "../button";
import { ButtonIcon } from "../icons";
import { t } from "../../text/text";

/** The buttons, the speed and the slider of a picture. */
export function Player({ store }: { store: Store }) {
  const before = store.index.value >= 0;
  return (
    <>
      <PlayButtons
        playing={store.playing.value}
        moves={{
          first: before ? store.toFirst : null,
          previous: before ? store.toPrevious : null,
          play: store.steps.value.length > 0 ? store.togglePlay : null,
          next: store.canGoOn.value ? store.toNext : null,
          last: store.cursor.value !== null ? store.toLast : null,
        }}
        labels={{ next: nextLabel(store), last: t.bars.player.lastIs }}
      >
        <Speed store={store} />
      </PlayButtons>
      <Slider store={store} />
    </>
  );
}

type Move = "first" | "previous" | "play" | "next" | "last";

interface PlayButtonsProps {
  playing: boolean;
  /** What each does; null where there is nothing to do. */
  moves: Readonly<Record<Move, (() => void) | null>>;
  /** Where more is to be said than what all players say. */
  labels?: Partial<Record<Move, string>>;
  children?: ComponentChildren;
}

/** To the first step, back, on by itself, on, to the last. */
export function PlayButtons({ playing, moves, labels = {}, children }: PlayButtonsProps) {
  const button = (
    move: Move,
    label: string,
    icon: ComponentProps<typeof ButtonIcon>["of"] = move,
  ) => (
    <Button
      action={move}
      label={labels[move] ?? label}
      disabled={!moves[move]}
      onClick={() => moves[move]?.()}
    >
      <ButtonIcon of={icon} />
    </Button>
  );
  const words = t.bars.player;
  return (
    <div class="gw-group">
      {button("first", words.first)}
      {button("previous", words.previous)}
      {button("play", playing ? words.pause : words.play, playing ? "pause" : "play")}
      {button("next", words.next)}
      {button("last", words.last)}
      {children}
    </div>
  );
}

/** What the next step would be, or why there is none. */
function nextLabel(store: Store): string {
  const { next, nextRuns, noNext, nextNone } = t.bars.player;
  if (store.cursor.value !== null) return next;
  if (store.liveRun.value !== null) return nextRuns;
  return store.leftRun.value !== null ? noNext(store.why.value) : nextNone;
}

function Speed({ store }: { store: Store }) {
  return (
    <select
      class="gw-select"
      data-action="speed"
      aria-label={t.bars.player.speed}
      title={t.bars.player.speed}
      value={String(store.speed.value)}
      onChange={(event) => {
        store.speed.value = Number(event.currentTarget.value);
      }}
    >
      {[0.5, 1, 2, 4, 8].map((speed) => (
        <option key={speed} value={String(speed)}>{`${speed}×`}</option>
      ))}
    </select>
  );
}

/** With more steps than these the share that lies behind is shown instead of the number. */
const MOST_COUNTED = 9999;

export function countWords(at: number, count: number): string {
  if (count <= MOST_COUNTED) return `${at} / ${count}`;
  const share = (100 * at) / count;
  return `${share > 0 && share < 1 ? "<1" : Math.floor(share)} %`;
}

/** The smaller of the two scales: the steps of the iteration that is shown, or of all. */
function Slider({ store }: { store: Store }) {
  const steps = store.steps.value.length;
  const section = store.section.value ?? { first: 0, last: steps - 1 };
  const first = section.first === 0 ? -1 : section.first;
  const index = store.index.value;
  const [at, count] = [index - section.first + 1, section.last - section.first + 1];
  const words = t.bars.player;
  const exactly = words.stepOf(at.toLocaleString("en"), count.toLocaleString("en"));
  const title = store.explanation.value ? toText(store.explanation.value.title) : words.beginning;
  const { dropped, cellTimes } = store.model.value;
  const cut = dropped > (cellTimes.at(-1) ?? 0); // what earlier cells did does not count here
  return (
    <div class="gw-slider">
      <input
        type="range"
        data-action="slider"
        aria-label={words.step}
        aria-valuetext={words.stepIs(exactly, title)}
        min={first}
        max={Math.max(section.last, 0)}
        step={1}
        value={index}
        disabled={steps === 0}
        onInput={(event) => {
          store.playing.value = false;
          store.goTo(Number(event.currentTarget.value));
        }}
      />
      <span class="gw-count" data-testid="step-count" title={exactly}>
        {countWords(at, count)}
      </span>
      <State store={store} />
      {store.digits.value !== null && (
        <span class="gw-dropped" data-testid="digits" title={words.rounded}>
          {words.digits(store.digits.value)}
        </span>
      )}
      {cut && (
        <span class="gw-dropped" title={words.dropped(dropped)}>
          {words.older(dropped)}
        </span>
      )}
    </div>
  );
}

/** The state of the player: the latest or an earlier step, a recording, or a pause. */
function State({ store }: { store: Store }) {
  if (store.connection.value !== "offline" && store.cursor.value !== null) {
    return (
      <button
        type="button"
        class="gw-chip gw-chip-past"
        data-testid="state"
        onClick={() => {
          store.toLast();
        }}
        title={t.bars.player.atEarlier}
      >
        {t.bars.player.backToLatest}
      </button>
    );
  }
  const { text, title, waits = false } = stateOf(store);
  return (
    <span class={waits ? "gw-chip gw-chip-live" : "gw-chip"} data-testid="state" title={title}>
      {text}
    </span>
  );
}

function stateOf(store: Store): { text: string; title?: string; waits?: boolean } {
  const { recorded, waiting, kernelBusy, paused, pausedLong, latest } = t.bars.player;
  if (store.connection.value === "offline") return { text: recorded, title: store.why.value };
  if (store.queued.value) return { text: waiting, title: kernelBusy, waits: true };
  if (store.liveRun.value) return { text: paused, title: pausedLong, waits: true };
  return { text: latest };
}
