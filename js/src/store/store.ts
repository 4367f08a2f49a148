/*
 * One widget, shared by all its views: its state, what follows from it, and what can be done
 * with it, under one name.
 */

import { Timeline } from "../log/timeline";
import { createCommands } from "./commands";
import { derive } from "./derived";
import { createReceiver } from "./receiver";
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
    state.onePath.value = null;
    state.otherEnd.value = null;
  };
  const tidy = (): void => {
    state.tidied.value += 1;
  };
  return {
    ...state,
    ...derived,
    shown: show(state, derived),
    ...createReceiver(state, timeline, commands.send),
    ...createTimeTravel(state, derived, commands.send),
    ...commands,
    select,
    tidy,
  };
}
