/* One widget, shared by all its views: its state, what follows from it, what can be done with it. */

import type { Event } from "../log/events";
import { Timeline } from "../log/timeline";
import { createAsking, type Asking } from "./asked-problem";
import { createCommands, type Commands } from "./commands";
import { derive, type Moment, type Picture, type ShownStep } from "./derived";
import { createGuessing, type Guessing } from "./guessing";
import { createPasses, type Passes } from "./optimization-passes";
import { createReceiver, type Reception } from "./receiver";
import { relate, type Related } from "./related";
import { createSelection, type Selection } from "./selection";
import { show, type Shown } from "./shown";
import { createState, type State } from "./state";
import { createTimeTravel, type TimeTravel } from "./time-travel";

/** What a store offers, by domain; each is described in its own file. */
export interface Store
  extends
    State, // the log's extent, the cursor and the user's choices: all that is not computed
    Moment, // the model at the moment shown, and the present one
    ShownStep, // the step that led to that moment, and its explanation
    Picture, // the graph and its scene
    Related,
    Passes,
    TimeTravel, // commands to move through the log; `toNext` asks first where the reader guesses
    Selection, // commands to select, open and seek
    Asking,
    Commands, // commands to the kernel
    Reception {
  readonly eventAt: (time: number) => Event | undefined;
  readonly shown: Shown;
  readonly guess: Guessing;
}

export function createStore(): Store {
  const timeline = new Timeline();
  const state = createState();
  const derived = derive(state, timeline);
  const commands = createCommands(state, derived);
  const timeTravel = createTimeTravel(state, derived, timeline, commands.send);
  const guess = createGuessing(state, derived, timeline, timeTravel);
  return {
    ...state,
    ...derived,
    eventAt: (time: number) => timeline.eventAt(time),
    shown: show(state, derived),
    ...relate(state, derived),
    ...createAsking(state, derived),
    ...createPasses(derived),
    ...createReceiver(state, derived, timeline, commands.send),
    ...timeTravel,
    guess,
    toNext: guess.toNext,
    ...createSelection(state, derived),
    ...commands,
  };
}
