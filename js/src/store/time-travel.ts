/*
 * Moving through the log: to a step, from one iteration of a loop to another, and at the end of the
 * log on into a run that waits.
 */

import { batch, computed, type ReadonlySignal } from "@preact/signals";
import { nextStop, previousStop, stepOver } from "../replay/stops";
import { loopAt, loopsAround, sectionAt, sectionsOf, type Section } from "../replay/iterations";
import { startOf, type Step } from "../replay/steps";
import { keepsBooks } from "../graph/select/library-calls";
import type { LoopRow } from "../log/model";
import type { Timeline } from "../log/timeline";
import type { Send } from "./commands";
import type { Derived } from "./derived";
import type { State } from "./state";

export type TimeTravel = ReturnType<typeof createTimeTravel>;

export function createTimeTravel(state: State, derived: Derived, timeline: Timeline, send: Send) {
  const { index, liveRun, present, groupOf } = derived;
  const { cursor, steps, playing } = state;
  const iterations = iterationsOf(state, derived, timeline);
  const groupOfNode = (node: number): string | null => {
    const call = present.value.nodes.get(node)?.call ?? null;
    return call === null ? null : groupOf(call);
  };
  const groupAt = (step: number): string | null => {
    const event = timeline.eventAt(steps.value[step]?.anchor ?? -1);
    if (event?.event === "op") return groupOf(event.call);
    const runs = event?.event === "start" || event?.event === "finish";
    return runs ? groupOfNode(event.node) : null;
  };
  /** Whether there is a next step: in the past, or of a run that waits. */
  const canGoOn = computed(() => cursor.value !== null || liveRun.value !== null);

  /** Shows the state after a step; -1 is the beginning, the last one follows the present. */
  const goTo = (step: number): void => {
    const last = steps.value.length - 1;
    const target = Math.max(-1, Math.min(step, last));
    batch(() => {
      state.walked.value = true;
      state.lostIteration.value = null;
      const start = (): number => startOf((time) => timeline.eventAt(time), state.first.value);
      cursor.value = target >= last ? null : (steps.value[target]?.to ?? start());
    });
  };
  const toFirst = (): void => {
    if (steps.value.length > 0) goTo(-1);
  };
  const toPrevious = (): void => {
    goTo(previousStop(index.value, groupAt));
  };
  const toLast = (): void => {
    goTo(steps.value.length - 1);
  };
  /** The next step; at the end of the log a waiting run is advanced: by one box of the picture. */
  const toNext = (): void => {
    const run = liveRun.value;
    if (cursor.value !== null) goTo(nextStop(index.value, steps.value.length, groupAt));
    else if (run) {
      state.walked.value = true;
      const node = stepOver(run, (id) => edges(present.value.nodes.get(id)), groupOfNode);
      if (node === null) send({ type: "step", run: run.run, count: 1 });
      else send({ type: "until", run: run.run, node });
    } else playing.value = false;
  };
  /** Play from here; from the present, when nothing waits there, from the beginning. */
  const togglePlay = (): void => {
    const start = !playing.value;
    if (start && !canGoOn.value) toFirst();
    playing.value = start;
  };
  /** The step in which a node ran, the next one from here on, else the newest; -1 for none. */
  const stepOfNode = (node: number): number => {
    const ran = (_: unknown, i: number): boolean => {
      const event = timeline.eventAt(steps.value[i]?.anchor ?? -1);
      return event?.event === "start" && event.node === node;
    };
    const later = steps.value.findIndex((step, i) => i > index.value && ran(step, i));
    return later >= 0 ? later : steps.value.findLastIndex(ran);
  };
  /** To where a node ran; one that a waiting run has yet to reach is run to. */
  const runTo = (node: number): void => {
    const step = stepOfNode(node);
    const run = liveRun.value;
    const waits = run !== null && !run.order.includes(node);
    if (waits) {
      batch(() => {
        cursor.value = null;
        state.walked.value = true;
      });
      send({ type: "until", run: run.run, node });
    } else if (step >= 0) goTo(step);
  };
  /** To the end of an iteration: of the innermost loop, or of the one given. */
  const toIteration = (number: number, of = iterations.loops.value.at(-1)): void => {
    if (of) iterations.toIteration(of, number, goTo);
  };
  const toNeighbour = (way: 1 | -1): void => {
    iterations.toNeighbour(way, goTo);
  };
  return {
    ...{ canGoOn, goTo, toFirst, toPrevious, toLast, toNext, togglePlay, stepOfNode, runTo },
    ...{
      loops: iterations.loops,
      loop: iterations.loop,
      section: iterations.section,
      toIteration,
      toNeighbour,
    },
  };
}

function edges(
  node: { readonly next: readonly (readonly [number | null, number])[] } | undefined,
): number[] {
  return (node?.next ?? []).flatMap(([to]) => (to === null ? [] : [to]));
}

type GoTo = (step: number) => void;

/** A loop that the moment shown is in. */
export interface ShownLoop {
  readonly row: LoopRow;
  readonly sections: readonly Section[];
  /** The steps among which the moment shown is: of its iteration, or between iterations. */
  readonly section: Section | null;
  /** The iterations with all their steps; of the others less is known. */
  readonly whole: readonly number[];
}

/** The iterations of the loops that the moment shown is in. */
function iterationsOf(state: State, { present, time, index }: Derived, timeline: Timeline) {
  // The beginning belongs to what follows it.
  const loop = computed(() => loopAt(present.value, Math.max(time.value, state.first.value + 1)));
  /** Whether a step is what a library keeps its books with, or a value that no variable holds. */
  const isIdle = ({ anchor }: Step): boolean => {
    const event = timeline.eventAt(anchor);
    if (event?.event === "value") {
      return event.parameter || present.value.values.get(event.value)?.names.length === 0;
    }
    const call = event?.event === "op" ? present.value.calls.get(event.call) : undefined;
    return call !== undefined && keepsBooks(present.value, call);
  };
  /** By loop, from the outermost to the innermost. */
  const kept = computed(() =>
    (loop.value ? loopsAround(present.value, loop.value) : []).map((row) => {
      const sections = sectionsOf(row, state.steps.value, isIdle);
      const whole = sections.flatMap(({ iteration }) =>
        iteration !== null && iteration.from >= state.first.value ? [iteration.number] : [],
      );
      return { row, sections, whole };
    }),
  );
  const loops: ReadonlySignal<readonly ShownLoop[]> = computed(() =>
    kept.value.map((one) => ({ ...one, section: sectionAt(one.sections, index.value) })),
  );
  const section = computed(() => loops.value.at(-1)?.section ?? null);

  /**
   * An iteration is looked at as a whole: the camera stays on what matters in it, not on its last
   * step, and its gradients have not been cleared yet.
   */
  const show = ({ first, last }: Section, goTo: GoTo): void => {
    const clears = (step: number): boolean => {
      const event = timeline.eventAt(state.steps.value[step]?.anchor ?? -1);
      return event?.event === "grad" && event.how === "cleared";
    };
    let end = last;
    while (end > first && clears(end)) end -= 1;
    batch(() => {
      goTo(end);
      state.walked.value = false;
    });
  };
  /** Shows the end of an iteration; of one without stored details, its scalars. */
  const toIteration = ({ row, sections }: ShownLoop, number: number, goTo: GoTo): void => {
    const found = sections.find(({ iteration }) => iteration?.number === number);
    if (found) show(found, goTo);
    else state.lostIteration.value = { loop: row.loop, iteration: number };
  };
  /**
   * The next iteration that can be shown, or the one before; at the end of an inner loop that of
   * the loop around it. Beside the last, what stands there.
   */
  const toNeighbour = (way: 1 | -1, goTo: GoTo): void => {
    for (const { sections, section } of loops.value.toReversed()) {
      const at = sections.findIndex((each) => each === section);
      const found =
        way > 0
          ? sections.find(({ iteration }, i) => iteration !== null && i > at)
          : sections.findLast(({ iteration }, i) => iteration !== null && i < at);
      if (!found) continue;
      show(way > 0 ? firstWithin(found) : found, goTo);
      return;
    }
    goTo(way > 0 ? state.steps.value.length - 1 : -1);
  };
  /** The first iteration of the innermost loop within an iteration; else that iteration itself. */
  const firstWithin = (section: Section): Section => {
    const step = state.steps.value[section.first];
    const inner = step && loopAt(present.value, step.to);
    const sections = inner ? sectionsOf(inner, state.steps.value, isIdle) : [];
    return (
      sections.find(
        ({ iteration, first, last }) =>
          iteration !== null && first >= section.first && last <= section.last,
      ) ?? section
    );
  };
  return { loops, loop, section, toIteration, toNeighbour };
}
