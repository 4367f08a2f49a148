/* What the parts of one view share: its window, and where its camera stands. */

import type { Signal } from "@preact/signals";
import type { Store } from "../store/store";
import { fit, type Camera, type Size } from "./camera";

/** Another view of the same widget has its own. */
export interface ViewState {
  readonly size: Signal<Size>;
  readonly camera: Signal<Camera>;
  /** The camera goes by itself until the user moves it. */
  readonly auto: Signal<boolean>;
  /** By itself it shows the whole picture, however small. */
  readonly whole: Signal<boolean>;
}

/** From now on the camera is where the user puts it. */
export function release(view: ViewState): void {
  view.auto.value = false;
  view.whole.value = false;
}

/** Shows the whole picture, laid out afresh, and lets the camera go by itself again. */
export function fitAll(store: Store, view: ViewState): void {
  store.tidy();
  view.auto.value = true;
  view.whole.value = true;
  view.camera.value = fit(store.scene.value.bounds, view.size.value);
}
