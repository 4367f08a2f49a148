/* What a page that has read a program says of each step. */

import { toText } from "../../src/text/piece";
import { createStore, type Store } from "../../src/store/store";
import type { Program } from "../builder";

export function load(program: Program): Store {
  const store = createStore();
  store.load(program.packed());
  return store;
}

/** The title and lines of every step. */
export function told(store: Store): string[] {
  return store.steps.value.map((_, i) => {
    store.goTo(i);
    const words = store.explanation.value;
    return words ? [words.title, ...words.lines].map(toText).join(" | ") : "";
  });
}
