/*
 * What follows from the state of a widget: the model at the moment shown, its step and its
 * explanation, the graph and its scene.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import { explainCell } from "../explain/cell";
import { explainStep } from "../explain/step";
import { films } from "../graph/film";
import { buildGraph, findGraph, type Graph } from "../graph/graph";
import { callKey, valueKey } from "../graph/keys";
import { BUDGET, groupsAround } from "../graph/open";
import { withRaised } from "../graph/raised";
import {
  boxesIn,
  contentOf,
  detailsOf,
  findContent,
  isRicher,
  planAt,
  planOf,
  type Detail,
} from "../graph/plan";
import type { Event } from "../log/events";
import { hazards, makerOf, type CallRow, type Model } from "../log/model";
import type { Timeline } from "../log/timeline";
import { stepAt } from "../replay/steps";
import { fitting, type Fitting, type Room } from "../scene/fitting";
import { PADDING, READING } from "../scene/flow";
import { BLANK, drawAhead, nextPicture } from "../scene/pictures";
import { atOnce, type Work } from "../slices";
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
  const offline = computed(() => state.connection.value === "offline");
  /** A run that waits for commands. */
  const liveRun = computed(() => {
    if (offline.value) return null;
    const runs = [...present.value.runs.values()];
    return runs.findLast((run) => run.live && run.status === "running") ?? null;
  });
  /** A run of the newest cell that nobody can take to its end any more: a kernel that ends may
   * still have told that it let go of it. */
  const leftRun = computed(() => {
    const run = [...present.value.runs.values()].at(-1);
    const newest = run !== undefined && run.time >= (present.value.cellTimes.at(-1) ?? 0);
    return offline.value && newest && run.live && !OVER.has(run.status) ? run : null;
  });
  return { time, model, present, liveRun, leftRun };
}

/** How a run ends that comes to its end. */
const OVER: ReadonlySet<string> = new Set(["ok", "failed"]);

type Moment = ReturnType<typeof momentOf>;

/** The step that led to the moment shown, and its explanation. */
function stepOf(state: State, timeline: Timeline, { time, model, liveRun }: Moment) {
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
  const explanation = computed(() => {
    if (!step.value) return null;
    const { anchor, from } = step.value;
    const event = stepEvents.value[anchor - from];
    // A cell, or a turn of a loop, that nobody has gone through yet.
    const unseen = !state.walked.value && liveRun.value === null;
    const whole = unseen && event ? explainCell(model.value, event) : null;
    return whole ?? explainStep(model.value, step.value, stepEvents.value);
  });
  /** The node that the step shown ran. */
  const activeNode = computed(() => {
    const start = stepEvents.value.find((event) => event.event === "start");
    return start?.event === "start" ? start.node : null;
  });
  return { index, step, stepEvents, explanation, activeNode };
}

/** So high a stage becomes by itself, in pixels, when the words under it take their room. */
const STAGE_HEIGHT = 440;

/** What of a picture can be read at once, in units of the plane: in steps, so that it stands still. */
function roomOf({ room, height }: State) {
  const step = (n: number): number => Math.floor(Math.max(n, 120) / 20) * 20;
  const w = computed(() => step(room.value.w));
  const h = computed(() => (height.value === null ? STAGE_HEIGHT : step(room.value.h)));
  const inside = (n: number): number => (n - 2 * PADDING) / READING;
  return computed(() => ({ w: inside(w.value), h: inside(h.value) }));
}

/** The graph of the moment shown, and where its boxes and wires stand. */
function pictureOf(state: State, timeline: Timeline, { time, model, present }: Moment) {
  const drawn = computed(() => withRaised(model.value));
  const shownFilm = computed(() => films(drawn.value).shown);
  /** The end of the cell that the cursor is in, or of the turn of the film that is shown. */
  const horizon = computed(() => {
    if (model.value.passes.length > 0) return time.value; // what a pass left is a whole
    const ends = present.value.cellTimes;
    const cell = ends.find((end) => end >= time.value) ?? state.end.value;
    const turn = shownFilm.value?.turn.scope;
    if (turn === undefined) return cell;
    for (const { turns } of present.value.loops.values()) {
      const to = turns.find(({ scope }) => scope === turn)?.to ?? null;
      if (to !== null && to >= time.value) return Math.min(to, cell);
    }
    return cell;
  });
  const then = computed(() =>
    horizon.value === time.value ? drawn.value : withRaised(timeline.at(horizon.value)),
  );
  /** Whether the whole stands for the moment shown. */
  const standing = computed(() => stands(drawn.value, then.value, state.everything.value));
  /** What there is to draw; of the whole, where it stands for the moment shown. */
  const content = computed(() =>
    contentOf(standing.value ? then.value : drawn.value, state.everything.value),
  );
  const room = roomOf(state);
  const { fit, prepare } = fitOf(state, then, room);
  const detail = computed(() => fit.value?.detail ?? null);
  const choices = computed(() => ({
    everything: state.everything.value,
    opened: state.opened.value,
  }));
  const last = computed(() => planOf(then.value, choices.value, detail.value).plan);
  const focused = computed(() => {
    if (then.value === drawn.value) {
      return { graph: whole.value, others: content.value.others };
    }
    if (standing.value) {
      const plan = planAt(drawn.value, last.value, then.value);
      return { graph: buildGraph(drawn.value, plan), others: content.value.others };
    }
    const { plan, others } = planOf(drawn.value, choices.value, detail.value, last.value.nest);
    return { graph: buildGraph(drawn.value, plan), others };
  });
  const graph = computed(() => focused.value.graph);
  /** The graph at the horizon: what will be drawn of this cell, and where. */
  const whole: ReadonlySignal<Graph> = computed(() =>
    state.opened.value.size === 0 && fit.value
      ? fit.value.graph
      : buildGraph(then.value, last.value),
  );
  const picture = scan(BLANK, (last) =>
    nextPicture(last, {
      graph: graph.value,
      whole: whole.value,
      direction: state.wantedDirection.value,
      room: room.value,
      state: `${state.tidied.value} ${lookOf(detail.value)}`,
    }),
  );
  /** The closed group that a call is drawn in by the end of this cell; null for none. */
  const groupOf = (call: number): string | null =>
    last.peek().nest.siteOf(call)?.closed?.key ?? null;
  /** The places of the groups around a box that is not drawn because they are closed. */
  const groupsOver = (key: string): string[] => {
    if (picture.peek().scene.boxes.has(key)) return [];
    const around = groupsAround(content.peek().tree.root, (item) =>
      typeof item === "number" ? holds(model.peek(), item, key) : item.key === key,
    );
    return around.map(({ place }) => place);
  };
  return {
    focus: focused,
    graph,
    groupOf,
    groupsOver,
    prepare,
    direction: computed(() => picture.value.direction),
    scene: computed(() => picture.value.scene),
    hazards: computed(() => hazards(model.value)),
  };
}

/**
 * In how much detail the picture is shown: as the whole of it fits the room. While a cell grows it
 * never becomes richer again, so that nothing opens and closes to and fro.
 */
function fitOf(state: State, whole: ReadonlySignal<Model>, room: ReadonlySignal<Room>) {
  interface Chosen {
    readonly of: readonly unknown[];
    readonly model: Model | null;
    readonly fit: Fitting | null;
  }
  let last: Chosen = { of: [], model: null, fit: null };
  function* choose(model: Model): Work<Chosen> {
    const everything = state.everything.value;
    const direction = state.wantedDirection.value;
    const cell = model.cellTimes.at(-1);
    // When a loop becomes a film, one turn of it is drawn instead of all.
    const film = films(model).shown?.loop.loop;
    const of = [cell, film, room.value, state.tidied.value, everything, direction];
    const same = of.every((x, i) => x === last.of[i]) && last.of.length > 0;
    if (same && last.model === model) return last;
    const grows = same && last.model !== null && last.model.calls.size > 0;
    const limit = grows ? (last.fit?.detail ?? null) : null; // a picture of nothing is no measure
    const content = yield* findContent(model, everything);
    function* draw(detail: Detail): Work<Graph | null> {
      const most = detail.values === "groups" ? Infinity : MOST_BOXES;
      const { plan } = planOf(model, { everything, opened: NOTHING }, detail, null, most);
      yield;
      return boxesIn(plan.nest) > most ? null : yield* findGraph(model, plan);
    }
    const { w, h } = room.value;
    const boxes = Math.min(160, Math.max(BUDGET, Math.round((w * h) / (120 * 75))));
    const details = [...detailsOf(content, boxes)].filter((one) => !limit || !isRicher(one, limit));
    return { of, model, fit: yield* fitting(details, draw, room.value, direction) };
  }
  const fit = computed(() => {
    last = atOnce(choose(whole.value));
    return last.fit;
  });
  /** Finds it ahead for a model that will be shown, and draws that, unless a picture only grows. */
  function* prepare(model: Model): Work {
    const before = lookOf(last.fit?.detail);
    last = yield* choose(withRaised(model));
    if (last.fit && lookOf(last.fit.detail) !== before) {
      yield* drawAhead(last.fit.graph, state.wantedDirection.value, room.value);
    }
  }
  return { fit, prepare };
}

/** Names a detail: in another one the picture is laid out anew. */
const lookOf = (detail: Detail | null | undefined): string =>
  detail ? `${detail.depth} ${detail.values}` : "";

/** More boxes are too many to be looked through: the groups that they stand in are drawn alone. */
const MOST_BOXES = 200;

/** So many calls are much to look through at each step. */
const MANY = 500;

/**
 * Whether what there is to draw at a later moment is what there is now: when only gradients came
 * between them, and in a large model, of which at each moment the part is drawn that is there. Not
 * when what was computed last is drawn no more by then: as a turn before the one shown.
 */
function stands(model: Model, later: Model, everything: boolean): boolean {
  if (sameStructure(model, later)) return true;
  if (later.calls.size <= MANY) return false;
  let newest: CallRow | null = null;
  for (const call of model.calls.values()) if (!newest || call.time >= newest.time) newest = call;
  return newest === null || contentOf(later, everything).seen.calls.has(newest.call);
}

/** Whether a later moment has the same ops and values: between them gradients came, no more. */
function sameStructure(model: Model, later: Model): boolean {
  return (["calls", "values", "scopes", "nodes"] as const).every(
    (rows) => model[rows].size === later[rows].size,
  );
}

const NOTHING: ReadonlyMap<string, boolean> = new Map();

/** Whether a box is that of a call, of a value that the call made, or of a leaf that it takes. */
function holds(model: Model, call: number, key: string): boolean {
  if (callKey(call) === key) return true;
  const row = model.calls.get(call);
  if (!row) return false;
  const values = row.inputs.filter((input) => typeof input === "number");
  const leaves = values.filter((value) => !makerOf(model, model.values.get(value)));
  return [...row.outputs, ...leaves].some((value) => valueKey(value) === key);
}
