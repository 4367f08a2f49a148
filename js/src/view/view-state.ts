/* What the parts of one view share: its window, and where its camera stands. */

import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Store } from "../store/store";
import type { Theme } from "./theme";
import type { Camera, Size } from "./stage/camera";

/** Another view of the same widget has its own. */
export interface ViewState {
  readonly theme: ReadonlySignal<Theme>;
  /** Whether it is in sight, and the height that it keeps in the page while it is not. */
  readonly seen: Signal<boolean>;
  readonly place: Signal<number>;
  readonly size: Signal<Size>;
  readonly camera: Signal<Camera>;
  /** The camera goes by itself until the user moves it. */
  readonly auto: Signal<boolean>;
  /** The box that has just been asked for, lit for a moment; by key. */
  readonly ringed: Signal<string | null>;
  /** The box that has the keyboard's focus; by key. */
  readonly focused: Signal<string | null>;
  /** What lies over the picture: the keys, the search. */
  readonly over: Signal<"keys" | "find" | null>;
  /** The height that the picture's window needs, in pixels. */
  readonly need: Signal<number>;
  /** How often the picture has come to rest: the camera then looks at it afresh. */
  readonly settled: Signal<number>;
  /** Room that the words have taken, in pixels: it grows, so that nothing jumps with each step. */
  readonly words: Signal<number>;
  /** Room that the words took when the picture had come to rest: what they need beyond it makes
   * the widget higher, not the picture's window lower. */
  readonly firstWords: Signal<number>;
}

export function createView(theme: ReadonlySignal<Theme>): ViewState {
  return {
    theme,
    seen: signal(false),
    place: signal(340),
    size: signal({ w: 0, h: 0 }),
    camera: signal(UNSEEN),
    auto: signal(true),
    ringed: signal(null),
    focused: signal(null),
    over: signal(null),
    need: signal(140),
    settled: signal(0),
    words: signal(0),
    firstWords: signal(0),
  };
}

/** A camera that has not looked yet: the next look is a first one. */
export const UNSEEN: Camera = { x: 0, y: 0, k: 0.01 };

/** From now on the camera is where the user puts it. */
export function release(view: ViewState): void {
  view.auto.value = false;
}

/**
 * Shows the whole picture, laid out afresh: groups are open as far as there is room, and
 * the camera goes by itself again.
 */
export function fitAll(store: Store, view: ViewState): void {
  batch(() => {
    store.opened.value = new Map();
    view.auto.value = true;
    view.camera.value = UNSEEN;
    store.tidy();
  });
}
