/* Two graphs side by side under one player. */

import { useEffect, useMemo } from "preact/hooks";
import { useComputed } from "@preact/signals";
import { explainStatic } from "../../explain/static";
import type { Explanation } from "../../explain/text";
import type { Duo } from "../../store/side-by-side";
import type { Store } from "../../store/store";
import { Button } from "../button";
import { useNeed } from "../height";
import { ButtonIcon } from "../icons";
import { PlayButtons } from "./player";
import { Stage } from "../stage/stage";
import { createView, fitAll, type ViewState } from "../view-state";
import { Words } from "../panels/explanation";
import { t } from "../../text/text";

/** The player, and the two stages. */
export function DuoContents({ duo, view }: { duo: Duo; view: ViewState }) {
  const other = useMemo(() => createView(view.theme), []);
  const { left, right } = duo;
  useNeed(left, view);
  useNeed(right, other);
  const need = useComputed(() => Math.max(view.need.value, other.need.value)).value;
  useEffect(() => {
    left.walked.value = true;
    right.walked.value = true;
  }, []);
  const fault = left.fault.value ?? right.fault.value;
  if (fault !== null) {
    return (
      <p class="gw-fault" role="alert" data-testid="fault">
        {fault}
      </p>
    );
  }
  const building = duo.phase.value === "building";
  const words = t.bars.sideBySide;
  return (
    <>
      <DuoBar duo={duo} views={[view, other]} />
      <div class="gw-duo" style={{ "--gw-need": `${need}px` }}>
        <Half
          store={left}
          view={view}
          name="dynamic"
          caption={words.whileRuns}
          state={left.index.value < 0 ? words.noLine : words.grows}
          empty={building ? words.notBefore : words.nothingRun}
          words={left.explanation.value}
        />
        <Half
          store={right}
          view={other}
          name="static"
          caption={words.builtFirst}
          state={
            right.index.value < 0 ? words.notBuilt : building ? words.beingBuilt : words.complete
          }
          empty={words.nothingBuilt}
          words={wordsOf(right, building)}
        />
      </div>
    </>
  );
}

function wordsOf(store: Store, building: boolean): Explanation | null {
  const [words, step] = [store.explanation.value, store.step.value];
  if (!words || !step) return null;
  return explainStatic(store.model.value, words, store.eventAt(step.anchor), building);
}

interface HalfProps {
  store: Store;
  view: ViewState;
  name: "dynamic" | "static";
  caption: string;
  state: string;
  empty: string;
  /** Words about its steps. */
  words: Explanation | null;
}

function Half({ store, view, name, caption, state, empty, words }: HalfProps) {
  const own = t.bars.sideBySide[name];
  return (
    <section class="gw-half" data-testid={`half-${name}`} aria-label={t.bars.sideBySide.graph(own)}>
      <h4 class="gw-half-title">
        {own} <span class="gw-dim">{caption}</span>
        <span class="gw-chip">{state}</span>
      </h4>
      <div class="gw-half-stage">
        <Stage store={store} view={view} />
        {store.index.value < 0 && (
          <p class="gw-half-empty gw-dim">{store.loading.value ? t.bars.notices.reading : empty}</p>
        )}
      </div>
      <div class="gw-half-words" data-testid="explanation" aria-live="polite">
        {words && <Words of={words} store={store} testid="step" />}
      </div>
    </section>
  );
}

function DuoBar({ duo, views }: { duo: Duo; views: readonly [ViewState, ViewState] }) {
  const { left, right } = duo;
  const index = duo.index.value;
  const count = duo.pairs.value.length;
  const playing = duo.playing.value;
  const words = t.bars.sideBySide;
  const { stepIs, stepOf } = t.bars.player;
  const phase = words.phases[duo.phase.value];
  const go = (to: number) => (): void => {
    duo.playing.value = false;
    duo.goTo(to);
  };
  return (
    <div class="gw-toolbar" role="toolbar" aria-label={words.replay}>
      <PlayButtons
        playing={playing}
        moves={{
          first: index >= 0 ? go(-1) : null,
          previous: index >= 0 ? go(index - 1) : null,
          play: count > 0 ? duo.togglePlay : null,
          next: duo.canGoOn.value ? go(index + 1) : null,
          last: duo.canGoOn.value ? go(count - 1) : null,
        }}
      />
      <div class="gw-slider">
        <input
          type="range"
          data-action="slider"
          aria-label={words.step}
          aria-valuetext={stepIs(stepOf(String(index + 1), String(count)), phase)}
          min={-1}
          max={Math.max(count - 1, 0)}
          step={1}
          value={index}
          onInput={(event) => {
            go(Number(event.currentTarget.value))();
          }}
        />
        <span class="gw-count" data-testid="step-count">
          {`${index + 1} / ${count}`}
        </span>
        <span class="gw-chip gw-phase" data-testid="phase" data-phase={duo.phase.value}>
          {phase}
        </span>
      </div>
      <div class="gw-group">
        <Button
          action="fit"
          label={words.fit}
          onClick={() => {
            fitAll(left, views[0]);
            fitAll(right, views[1]);
          }}
        >
          <ButtonIcon of="fit" />
        </Button>
      </div>
    </div>
  );
}

/** The player's keys, for both. */
export function duoKey(event: KeyboardEvent, duo: Duo): void {
  event.stopPropagation();
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { target } = event;
  const control = target instanceof Element && target.closest("button, input") !== null;
  const to: Partial<Record<string, number>> = {
    ArrowLeft: duo.index.value - 1,
    ArrowRight: duo.index.value + 1,
    Home: -1,
    End: duo.pairs.value.length - 1,
  };
  const wanted = to[event.key];
  if (wanted !== undefined && !(target instanceof HTMLInputElement)) {
    event.preventDefault();
    duo.playing.value = false;
    duo.goTo(wanted);
  } else if (event.key === " " && !control) {
    event.preventDefault();
    duo.togglePlay();
  }
}
