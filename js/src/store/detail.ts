/*
 * In how much detail the picture is shown: as the whole of it fits the room. While a cell grows it
 * never becomes richer again, so that nothing opens and closes to and fro. So each choice is made
 * from the one before it.
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import { trainingLoops } from "../graph/select/training-loops";
import { findGraph, type Graph } from "../graph/graph";
import { BUDGET } from "../graph/group/open";
import {
  boxesIn,
  detailsByLine,
  detailsOf,
  findContent,
  isRicher,
  planOf,
  type Detail,
} from "../graph/plan";
import { withRaised } from "../graph/select/raised";
import type { Model } from "../log/model";
import { fitting, type Fitting, type Room } from "../scene/fitting";
import type { Direction } from "../scene/flow";
import { drawAhead } from "../scene/pictures";
import { atOnce, type Work } from "../sliced-work";
import type { State } from "./state";

/** More boxes are too many to be looked through: the groups that they stand in are drawn alone. */
const MOST_BOXES = 200;

/** What the detail depends on besides the model. */
interface Wish {
  readonly everything: boolean;
  readonly direction: "auto" | Direction;
  readonly room: Room;
  /** Another number asks for a picture as if nothing had been seen before. */
  readonly tidied: number;
}

/** A detail that was chosen, with the graph in it, and what it was chosen for. */
interface Choice {
  readonly model: Model;
  /** While these stay the same, the models chosen for are one picture that grows. */
  readonly of: readonly unknown[];
  readonly fit: Fitting;
}

/** The detail for a model, after the one that was chosen last. */
function* choose(last: Choice | null, model: Model, wish: Wish): Work<Choice> {
  const { everything, direction, room, tidied } = wish;
  // When a loop becomes a loop, one iteration of it is drawn instead of all.
  const loop = trainingLoops(model).shown?.loop.loop;
  const of = [model.cellTimes.at(-1), loop, room, tidied, everything, direction];
  const before = last && of.every((x, i) => x === last.of[i]) ? last : null;
  if (before?.model === model) return before;
  // A picture of nothing is no measure.
  const limit = before && before.model.calls.size > 0 ? before.fit.detail : null;
  const content = yield* findContent(model, everything);
  const boxes = Math.min(160, Math.max(BUDGET, Math.round((room.w * room.h) / (120 * 75))));
  const allowed = (one: Detail): boolean => !limit || !isRicher(one, limit);
  const details = [...detailsOf(content, boxes)].filter(allowed);
  const lines = function* (): Generator<Detail> {
    for (const one of detailsByLine(model, content, boxes)) if (allowed(one)) yield one;
  };
  const draw = (detail: Detail): Work<Graph | null> => graphIn(detail, model, everything);
  const fit =
    (yield* fitting(details, draw, room, direction, lines())) ??
    (yield* fitting(detailsOf(content, boxes), draw, room, direction));
  if (!fit) throw new Error("there is always some detail");
  return { model, of, fit };
}

/** The graph of a model in a detail; null where that has too many boxes. */
function* graphIn(detail: Detail, model: Model, everything: boolean): Work<Graph | null> {
  const most = detail.values === "groups" ? Infinity : MOST_BOXES;
  const { plan } = planOf(model, { everything, opened: new Map() }, detail, null, most);
  yield;
  return boxesIn(plan.placement) > most ? null : yield* findGraph(model, plan);
}

/** The detail that fits the whole picture, and a way to find it before the picture is shown. */
export function fitOf(state: State, whole: ReadonlySignal<Model>, room: ReadonlySignal<Room>) {
  /**
   * The choice made last. Only `next` writes it: for the picture that is shown, or in advance for
   * one that will be shown, for which it is then found here and not made again.
   */
  const memory: { last: Choice | null } = { last: null };
  function* next(model: Model): Work<Fitting> {
    memory.last = yield* choose(memory.last, model, {
      everything: state.everything.value,
      direction: state.wantedDirection.value,
      room: room.value,
      tidied: state.tidied.value,
    });
    return memory.last.fit;
  }
  const fit = computed(() => atOnce(next(whole.value)));
  /** Chooses in advance for a model, and draws that, unless it only adds to a picture. */
  function* prepare(model: Model): Work {
    const before = memory.last && lookOf(memory.last.fit.detail);
    const { detail, graph } = yield* next(withRaised(model));
    if (lookOf(detail) !== before) {
      yield* drawAhead(graph, state.wantedDirection.value, room.value);
    }
  }
  return { fit, prepare };
}

/** Names a detail: in another one the picture is laid out anew. */
export const lookOf = ({ depth, values, byLine }: Detail): string =>
  `${depth} ${values}${byLine === true ? " by line" : ""}`;
