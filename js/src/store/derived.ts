/*
 * What follows from the state of a widget: the model at the moment shown, its step and its
 * explanation, the graph and its scene.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import { explainStep } from "../explain/step";
import { focus } from "../graph/focus";
import { buildGraph, type Graph } from "../graph/graph";
import type { Event } from "../log/events";
import { hazards, type Model } from "../log/model";
import type { Timeline } from "../log/timeline";
import { stepAt } from "../replay/steps";
import { BLANK, nextPicture } from "../scene/pictures";
import { scan } from "./scan";
import type { State } from "./state";

export type Derived = ReturnType<typeof derive>;

export function derive(state: State, timeline: Timeline) {
  const moment = momentOf(state, timeline);
  return { ...moment, ...stepOf(state, timeline, moment), ...pictureOf(state, timeline, moment) };
}

/** The moments that are looked at: the one shown, and the present. */
function momentOf(state: State, timeline: Timeline) {
  const time = computed(() => Math.max(state.first.value, state.cursor.value ?? state.end.value));
  const model: ReadonlySignal<Model> = computed(() => timeline.at(time.value));
  const present: ReadonlySignal<Model> = computed(() => timeline.at(state.end.value));
  /** A run that waits for commands. */
  const liveRun = computed(() => {
    const runs = [...present.value.runs.values()];
    return runs.findLast((run) => run.live && run.status === "running") ?? null;
  });
  return { time, model, present, liveRun };
}

type Moment = ReturnType<typeof momentOf>;

/** The step that led to the moment shown, and its explanation. */
function stepOf(state: State, timeline: Timeline, { time, model }: Moment) {
  /** The index of the step shown, -1 before the first. */
  const index = computed(() =>
    state.cursor.value === null
      ? state.steps.value.length - 1
      : stepAt(state.steps.value, time.value),
  );
  const step = computed(() => state.steps.value[index.value] ?? null);
  const stepEvents: ReadonlySignal<readonly Event[]> = computed(() =>
    step.value ? timeline.between(step.value.from, step.value.to) : [],
  );
  const explanation = computed(() =>
    step.value ? explainStep(model.value, step.value, stepEvents.value) : null,
  );
  /** The node that the step shown ran. */
  const activeNode = computed(() => {
    const start = stepEvents.value.find((event) => event.event === "start");
    return start?.event === "start" ? start.node : null;
  });
  return { index, step, stepEvents, explanation, activeNode };
}

/** The graph of the moment shown, and where its boxes and wires stand. */
function pictureOf(state: State, timeline: Timeline, { time, model, present }: Moment) {
  const focused = computed(() =>
    focus(buildGraph(model.value), model.value, state.everything.value),
  );
  const graph = computed(() => focused.value.graph);
  /** The end of the cell that the cursor is in. */
  const horizon = computed(() => {
    const ends = present.value.cellTimes;
    return ends.find((cell) => cell >= time.value) ?? state.end.value;
  });
  const later = computed(() => {
    const then = timeline.at(horizon.value);
    return focus(buildGraph(then), then, state.everything.value).graph;
  });
  /** The graph at the horizon: what will be drawn of this cell, and where. */
  const whole: ReadonlySignal<Graph> = computed(() =>
    horizon.value === time.value ? graph.value : later.value,
  );
  const picture = scan(BLANK, (last) =>
    nextPicture(last, {
      graph: graph.value,
      whole: whole.value,
      direction: state.wantedDirection.value,
      width: state.width.value,
      tidied: state.tidied.value,
    }),
  );
  return {
    focus: focused,
    graph,
    direction: computed(() => picture.value.direction),
    scene: computed(() => picture.value.scene),
    hazards: computed(() => hazards(model.value)),
  };
}
