/* The user's choices in the picture: what is selected, which groups are open, where to look. */

import { batch } from "@preact/signals";
import type { Derived } from "./derived";
import type { State } from "./state";

export type Selection = ReturnType<typeof createSelection>;

export function createSelection(state: State, { groupsOver }: Derived) {
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
    const around = groupsOver(key).map((place) => [place, true] as const);
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
  return { select, choose, tidy, seek, openGroup };
}
