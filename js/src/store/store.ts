/*
 * One widget, shared by all its views: its state, what follows from it, and what can be done
 * with it, under one name.
 */

import { batch } from "@preact/signals";
import { Timeline } from "../log/timeline";
import { createAsking } from "./asked-problem";
import { createCommands } from "./commands";
import { derive } from "./derived";
import { createGuessing } from "./guessing";
import { createPasses } from "./optimization-passes";
import { createReceiver } from "./receiver";
import { relate } from "./related";
import { show } from "./shown";
import { createState } from "./state";
import { createTimeTravel } from "./time-travel";

export type Store = ReturnType<typeof createStore>;

export function createStore() {
  const timeline = new Timeline();
  const state = createState();
  const derived = derive(state, timeline);
  const commands = createCommands(state, derived);
  const select = (value: number | null): void => {
    state.selected.value = state.selected.value === value ? null : value;
    state.chosen.value = null;
    state.onePath.value = null;
    state.otherEnd.value = null;
  };
  /** Selects a box that is no value's. */
  const choose = (key: string | null): void => {
    const again = state.chosen.value === key;
    if (state.selected.value !== null) select(null);
    state.chosen.value = again ? null : key;
  };
  const tidy = (): void => {
    state.tidied.value += 1;
  };
  /** Brings a box into view: its groups open, and the camera goes there. */
  const seek = (key: string): void => {
    const around = derived.groupsOver(key).map((place) => [place, true] as const);
    batch(() => {
      if (around.length > 0) state.opened.value = new Map([...state.opened.value, ...around]);
      state.sought.value = { key };
    });
  };
  /** Opens or closes a group, by its place. */
  const openGroup = (place: string, open: boolean): void => {
    batch(() => {
      state.opened.value = new Map(state.opened.value).set(place, open);
      state.unfolded.value = open ? { place } : null;
    });
  };
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
    ...commands,
    select,
    choose,
    tidy,
    seek,
    openGroup,
  };
}
