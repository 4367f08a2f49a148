/*
 * What follows from the state of a widget: the model at the moment shown, its step and its
 * explanation, the graph and its scene.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import { explainCell } from "../explain/cell";
import { explainRun } from "../explain/static";
import { explainStart, explainStep } from "../explain/step";
import { formulasOf } from "../formula/of-step";
import { trainingLoops } from "../graph/select/training-loops";
import { buildGraph } from "../graph/graph";
import { callKey, valueKey } from "../graph/keys";
import { keepsBooks } from "../graph/select/library-calls";
import { groupsAround } from "../graph/group/open";
import { withRaised } from "../graph/select/raised";
import { contentOf, planAt, planOf } from "../graph/plan";
import type { Event } from "../log/events";
import { hazards, makerOf, scopesAround, type CallRow, type Model } from "../log/model";
import type { Timeline } from "../log/timeline";
import { stepAt, type Step } from "../replay/steps";
import type { Fitting } from "../scene/fitting";
import { PADDING, READING } from "../scene/flow";
import { BLANK, nextPicture } from "../scene/pictures";
import { fitOf, lookOf } from "./detail";
import { scan } from "./scan";
import type { State } from "./state";

export type Derived = Moment & ShownStep & Picture;

export function derive(state: State, timeline: Timeline): Derived {
  const moment = momentOf(state, timeline);
  return { ...moment, ...stepOf(state, timeline, moment), ...pictureOf(state, timeline, moment) };
}

/** The moments that are looked at: the one shown, and the present. */
function momentOf(state: State, timeline: Timeline) {
  const time = computed(() => Math.max(state.first.value, state.cursor.value ?? state.end.value));
  const present: ReadonlySignal<Model> = computed(() => timeline.at(state.end.value));
  /** A cell that will do something counts from its first line on. */
  const model: ReadonlySignal<Model> = computed(() => {
    const at = timeline.at(time.value);
    const { begun, cellTimes } = at;
    if (begun === null || !present.value.cellTimes.includes(begun)) return at;
    return { ...at, cellTimes: [...cellTimes, begun], begun: null };
  });
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

export type Moment = ReturnType<typeof momentOf>;

export type ShownStep = ReturnType<typeof stepOf>;

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
  /** A step; for what libraries keep their books with, the last one before of anything else. */
  const ofUser = (last: Step, at: number): Step => {
    const begun = model.value.cellTimes.at(-1) ?? 0;
    for (let i = at; i >= 0; i -= 1) {
      const step = state.steps.value[i];
      if (!step || step.anchor < begun) break;
      const event = timeline.eventAt(step.anchor);
      const call = event?.event === "op" ? model.value.calls.get(event.call) : undefined;
      if (!call || !keepsBooks(model.value, call)) return step;
    }
    return last;
  };
  const explanation = computed(() => {
    if (!step.value) return model.value.time > 0 ? explainStart(model.value) : null;
    const { anchor, from } = step.value;
    const event = stepEvents.value[anchor - from];
    // A cell, or an iteration of a loop, that was not gone through yet.
    const unseen = !state.walked.value && liveRun.value === null;
    const whole =
      unseen && event ? (explainRun(model.value, event) ?? explainCell(model.value, event)) : null;
    if (whole) return whole;
    const described = unseen ? ofUser(step.value, index.value) : step.value;
    return explainStep(model.value, described, timeline.between(described.from, described.to));
  });
  const formulas = computed(() => {
    const { value } = step;
    return value ? formulasOf(model.value, stepEvents.value[value.anchor - value.from]) : [];
  });
  /** The node that the step shown ran. */
  const activeNode = computed(() => {
    const [first] = stepEvents.value.flatMap((event) =>
      event.event === "start" || event.event === "finish" ? [event.node] : [],
    );
    return first ?? null;
  });
  return { index, step, stepEvents, explanation, formulas, activeNode };
}

/**
 * What the bars over a stage and the words under it take of the widget's height, in pixels, and
 * each further bar of a loop around a loop.
 */
const AROUND_STAGE = 200;
const LOOP_BAR = 26;

/** What of a picture can be read at once, in units of the plane: in steps, so it stands still. */
function roomOf({ room, height, highest }: State, { later }: Models) {
  const step = (n: number): number => Math.floor(Math.max(n, 120) / 20) * 20;
  const bars = computed(() => {
    const { shown } = trainingLoops(later.value);
    const around = shown ? scopesAround(later.value, shown.loop.loop) : [];
    return around.filter(({ scope }) => (later.value.loops.get(scope)?.count ?? 0) > 1).length;
  });
  const w = computed(() => step(room.value.w));
  const h = computed(() =>
    step(
      height.value === null
        ? highest.value - AROUND_STAGE - LOOP_BAR * Math.max(0, bars.value - 1)
        : room.value.h,
    ),
  );
  const inside = (n: number): number => (n - 2 * PADDING) / READING;
  return computed(() => ({ w: inside(w.value), h: inside(h.value) }));
}

/** The models that a picture is made of: of the moment shown, and of the horizon it grows to. */
function modelsOf(state: State, timeline: Timeline, { time, model, present }: Moment) {
  const now = computed(() => withRaised(model.value));
  const iteration = computed(() => trainingLoops(now.value).shown?.iteration.scope);
  /** The end of the cell that the moment is in, or of the iteration of the loop that is shown. */
  const horizon = computed(() => {
    if (model.value.passes.length > 0) return time.value; // what a pass left is a whole
    const ends = present.value.cellTimes;
    const cell = ends.find((end) => end >= time.value) ?? state.end.value;
    if (iteration.value === undefined) return cell;
    for (const { iterations } of present.value.loops.values()) {
      const to = iterations.find(({ scope }) => scope === iteration.value)?.to ?? null;
      if (to !== null && to >= time.value) return Math.min(to, cell);
    }
    return cell;
  });
  const later = computed(() =>
    horizon.value === time.value ? now.value : withRaised(timeline.at(horizon.value)),
  );
  return { now, later };
}

type Models = ReturnType<typeof modelsOf>;

/** The graph that is drawn, and the whole of which it is what is there already. */
function graphsOf(state: State, { now, later }: Models, fit: ReadonlySignal<Fitting>) {
  const choices = computed(() => ({
    everything: state.everything.value,
    opened: state.opened.value,
  }));
  /** What will be drawn of this cell. */
  const plan = computed(() => planOf(later.value, choices.value, fit.value.detail).plan);
  const whole = computed(() =>
    state.opened.value.size === 0 ? fit.value.graph : buildGraph(later.value, plan.value),
  );
  const usesLater = computed(() => {
    const everything = state.everything.value;
    if (now.value === later.value || stands(now.value, later.value, everything)) return true;
    // Until the cell works on something its own beginning is drawn, and not an earlier cell's end.
    return contentOf(now.value, everything).latest < contentOf(later.value, everything).latest;
  });
  /** What there is to draw; of the whole, where that stands for the moment shown. */
  const content = computed(() =>
    contentOf(usesLater.value ? later.value : now.value, state.everything.value),
  );
  /** The graph of the moment shown, and how many others there are beside it. */
  const focus = computed(() => {
    const { others } = content.value;
    if (later.value === now.value) return { graph: whole.value, others, tree: plan.value.tree };
    const own = usesLater.value
      ? { plan: planAt(now.value, plan.value, later.value), others }
      : planOf(now.value, choices.value, fit.value.detail, plan.value.placement);
    return { graph: buildGraph(now.value, own.plan), others: own.others, tree: own.plan.tree };
  });
  return { plan, whole, focus };
}

export type Picture = ReturnType<typeof pictureOf>;

/** The graph of the moment shown, and where its boxes and wires stand. */
function pictureOf(state: State, timeline: Timeline, moment: Moment) {
  const { model } = moment;
  const models = modelsOf(state, timeline, moment);
  const room = roomOf(state, models);
  const { fit, prepare } = fitOf(state, models.later, room);
  const { plan, whole, focus } = graphsOf(state, models, fit);
  const graph = computed(() => focus.value.graph);
  const picture = scan(BLANK, (before) =>
    nextPicture(before, {
      graph: graph.value,
      whole: whole.value,
      direction: state.wantedDirection.value,
      room: room.value,
      state: `${state.tidied.value} ${lookOf(fit.value.detail)}`,
    }),
  );
  /** The closed group that a call is drawn in by the end of this cell; null for none. */
  const groupOf = (call: number): string | null =>
    plan.peek().placement.siteOf(call)?.closed?.key ?? null;
  /** The places of the groups around a box that is not drawn because they are closed. */
  const groupsOver = (key: string): string[] => {
    if (picture.peek().scene.boxes.has(key)) return [];
    const around = groupsAround(focus.peek().tree.root, (item) =>
      typeof item === "number" ? holds(model.peek(), item, key) : item.key === key,
    );
    return around.map(({ place }) => place);
  };
  return {
    focus,
    graph,
    groupOf,
    groupsOver,
    prepare,
    direction: computed(() => picture.value.direction),
    scene: computed(() => picture.value.scene),
    hazards: computed(() => hazards(model.value)),
  };
}

/** So many calls are much to look through at each step. */
const MANY = 500;

/**
 * Whether the plan of a later moment stands for an earlier one, of which that part is drawn which
 * is there. It does when only gradients came between the two. In a large model it always does,
 * because a plan of each step would take too long; except where the later plan has no place for
 * what the earlier moment computed last: then the loop has gone on to another iteration since.
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

/** Whether a box is that of a call, of a value that the call made, or of a leaf that it takes. */
function holds(model: Model, call: number, key: string): boolean {
  if (callKey(call) === key) return true;
  const row = model.calls.get(call);
  if (!row) return false;
  const values = row.inputs.filter((input) => typeof input === "number");
  const leaves = values.filter((value) => !makerOf(model, model.values.get(value)));
  return [...row.outputs, ...leaves].some((value) => valueKey(value) === key);
}
