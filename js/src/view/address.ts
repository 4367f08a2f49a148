/* The step and the selection in the address of a page of its own: `page.html#step=7&select=w`. */

import { effect } from "@preact/signals";
import { userName } from "../graph/names";
import type { Store } from "../store/store";

/** The newest value that had a name. */
function valueNamed(store: Store, wanted: string): number | null {
  let found: number | null = null;
  for (const { value, names } of store.present.value.values.values()) {
    if (names.some(([, name]) => name === wanted)) found = value;
  }
  return found;
}

/** Goes to the step (counted from 1) and selects the value that the address names. */
function follow(store: Store): void {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const step = Number(wanted.get("step") ?? NaN);
  if (Number.isInteger(step) && step !== store.index.peek() + 1) store.goTo(step - 1);
  const value = valueNamed(store, wanted.get("select") ?? "");
  if (value !== store.selected.peek()) store.select(value);
}

/** The address of what is shown; of the newest step, with nothing selected, none. */
function addressOf(store: Store): string {
  const parts = new URLSearchParams();
  if (store.cursor.value !== null) parts.set("step", String(store.index.value + 1));
  const row = store.present.value.values.get(store.selected.value ?? -1);
  const name = row ? userName(row) : null;
  if (name !== null) parts.set("select", name);
  return parts.toString();
}

/** Opens a page as its address says, and keeps the address up to date. */
export function keepAddress(store: Store): () => void {
  let opened = false;
  const changed = (): void => {
    follow(store);
  };
  const stop = effect(() => {
    if (store.loading.value || store.steps.value.length === 0) return;
    if (!opened) {
      opened = true;
      follow(store);
      addEventListener("hashchange", changed);
    }
    const address = addressOf(store);
    if (address === location.hash.slice(1)) return;
    const { pathname, search } = location;
    history.replaceState(null, "", `${pathname}${search}${address === "" ? "" : `#${address}`}`);
  });
  return () => {
    stop();
    removeEventListener("hashchange", changed);
  };
}
