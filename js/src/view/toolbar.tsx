/* The player, and how the picture lies. */

import type { ComponentChildren } from "preact";
import { toText } from "../explain/text";
import type { Store } from "../store/store";
import { zoom } from "./camera";
import { ButtonIcon } from "./icons";
import { ProblemsChip } from "./problems";
import { fitAll, release, UNSEEN, type ViewState } from "./view-state";

interface ButtonProps {
  action: string;
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}

export function Button({ action, label, disabled = false, onClick, children }: ButtonProps) {
  return (
    <button
      type="button"
      class="gw-button"
      data-action={action}
      aria-label={label}
      title={label}
      aria-disabled={disabled}
      onClick={() => {
        if (!disabled) onClick(); // a button that is off keeps the focus
      }}
    >
      {children}
    </button>
  );
}

/** Moving through time, and how the picture lies. */
export function Toolbar({ store, view }: { store: Store; view: ViewState }) {
  return (
    <div class="gw-toolbar" role="toolbar" aria-label="Replay and picture">
      <Transport store={store} />
      <Slider store={store} />
      <Picture store={store} view={view} />
    </div>
  );
}

function Transport({ store }: { store: Store }) {
  const index = store.index.value;
  const playing = store.playing.value;
  return (
    <div class="gw-group">
      <Button
        action="first"
        label="First (Home)"
        disabled={index < 0}
        onClick={() => {
          store.toFirst();
        }}
      >
        <ButtonIcon of="first" />
      </Button>
      <Button
        action="previous"
        label="Previous (←)"
        disabled={index < 0}
        onClick={() => {
          store.toPrevious();
        }}
      >
        <ButtonIcon of="previous" />
      </Button>
      <Button
        action="play"
        label={playing ? "Pause (space)" : "Play (space)"}
        disabled={store.steps.value.length === 0}
        onClick={() => {
          store.togglePlay();
        }}
      >
        <ButtonIcon of={playing ? "pause" : "play"} />
      </Button>
      <Button
        action="next"
        label={nextLabel(store)}
        disabled={!store.canGoOn.value}
        onClick={() => {
          store.toNext();
        }}
      >
        <ButtonIcon of="next" />
      </Button>
      <Button
        action="last"
        label="Last: the present (End)"
        disabled={store.cursor.value === null}
        onClick={() => {
          store.toLast();
        }}
      >
        <ButtonIcon of="last" />
      </Button>
      <Speed store={store} />
    </div>
  );
}

/** What the next step would be, or why there is none. */
function nextLabel(store: Store): string {
  if (store.cursor.value !== null) return "Next (→)";
  if (store.liveRun.value !== null) return "Next: the kernel runs one node (→)";
  if (store.leftRun.value !== null) return `No next step. ${store.why.value}`;
  return "Next (→): this is the newest step";
}

function Speed({ store }: { store: Store }) {
  return (
    <select
      class="gw-select"
      data-action="speed"
      aria-label="Speed"
      title="Speed"
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

/** The smaller of the two scales: the steps of the turn that is shown, or of all. */
function Slider({ store }: { store: Store }) {
  const steps = store.steps.value.length;
  const section = store.section.value ?? { first: 0, last: steps - 1 };
  const first = section.first === 0 ? -1 : section.first;
  const index = store.index.value;
  const [at, count] = [index - section.first + 1, section.last - section.first + 1];
  const title = store.explanation.value ? toText(store.explanation.value.title) : "the beginning";
  const { dropped, cellTimes } = store.model.value;
  const cut = dropped > (cellTimes.at(-1) ?? 0); // what earlier cells did is nobody's loss here
  return (
    <div class="gw-slider">
      <input
        type="range"
        data-action="slider"
        aria-label="Step"
        aria-valuetext={`step ${at} of ${count}: ${title}`}
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
      <span class="gw-count" data-testid="step-count">
        {`${at} / ${count}`}
      </span>
      <State store={store} />
      {cut && (
        <span
          class="gw-dropped"
          title={`The oldest ${dropped} events are no longer held one by one.`}
        >
          {`… ${dropped} older`}
        </span>
      )}
    </div>
  );
}

/** Whether this is the present, the past, a recording, or something waits. */
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
        title="Back to the present"
      >
        past
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
  if (store.connection.value === "offline") return { text: "replay only", title: store.why.value };
  if (store.queued.value) {
    const title = "The kernel runs a cell. What you asked for is done as soon as that is over.";
    return { text: "waits for the cell", title, waits: true };
  }
  if (store.liveRun.value) {
    const title = "Backward waits: each Next runs one node in the kernel.";
    return { text: "live run", title, waits: true };
  }
  return { text: "present" };
}

function Picture({ store, view }: { store: Store; view: ViewState }) {
  const direction = store.direction.value;
  const by = (factor: number) => (): void => {
    const { w, h } = view.size.value;
    release(view);
    view.camera.value = zoom(view.camera.value, factor, w / 2, h / 2);
  };
  const { others, graph } = store.focus.value;
  const { left } = graph;
  const everything = store.everything.value;
  return (
    <div class="gw-group gw-how">
      {left > 0 && (
        <span
          class="gw-chip"
          data-testid="left"
          title="The picture holds the newest values; the older ones were recorded but are not drawn."
        >
          {`${left} older values not drawn`}
        </span>
      )}
      {(others > 0 || everything) && (
        <button
          type="button"
          class="gw-chip"
          data-action="everything"
          aria-pressed={everything}
          title="Graphs that the newest cell did not touch"
          onClick={() => {
            store.everything.value = !everything;
          }}
        >
          {everything ? "all graphs" : `+${others} more`}
        </button>
      )}
      <ProblemsChip store={store} view={view} />
      <Button
        action="find"
        label="Find (/)"
        onClick={() => {
          view.over.value = view.over.value === "find" ? null : "find";
        }}
      >
        <ButtonIcon of="find" />
      </Button>
      <Button
        action="direction"
        label={
          direction === "LR"
            ? "Left to right; switch to top down"
            : "Top down; switch to left to right"
        }
        onClick={() => {
          store.wantedDirection.value = direction === "LR" ? "TD" : "LR";
          view.auto.value = true;
          view.camera.value = UNSEEN;
        }}
      >
        <ButtonIcon of={direction} />
      </Button>
      <Button action="zoom-out" label="Smaller" onClick={by(1 / 1.25)}>
        <ButtonIcon of="minus" />
      </Button>
      <Button action="zoom-in" label="Larger (or ctrl + wheel)" onClick={by(1.25)}>
        <ButtonIcon of="plus" />
      </Button>
      <Button
        action="fit"
        label="Fit: tidied, closed until it fits (f)"
        onClick={() => {
          fitAll(store, view);
        }}
      >
        <ButtonIcon of="fit" />
      </Button>
      <Button
        action="keys"
        label="Keys and shapes (?)"
        onClick={() => {
          view.over.value = "keys";
        }}
      >
        <ButtonIcon of="help" />
      </Button>
    </div>
  );
}
