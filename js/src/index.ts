/*
 * The widget as anywidget knows it: `initialize` once for a model, `render` for each view. All
 * views of a model share one store, so they are equal.
 */

import { effect } from "@preact/signals";
import { h, render as draw } from "preact";
import { PROTOCOL } from "./log/events";
import { checkProtocol, Link, type WidgetModel } from "./kernel/protocol";
import { play } from "./replay/player";
import { createDuo, type Duo } from "./store/side-by-side";
import { createStore, type Store } from "./store/store";
import { chooseLanguage } from "./text/text";
import { keepAddress } from "./view/address";
import { App } from "./view/app";
import { followTheme } from "./view/theme";

interface Shared {
  readonly store: Store;
  /** The store with another on its right, where the model has two logs. */
  readonly duo: Duo | undefined;
  readonly close: () => void;
}

const stores = new WeakMap<object, Shared>();

/** What stands for a model. anywidget wraps the model anew for each view; its layout stays. */
function identity(model: WidgetModel): object {
  const layout = model.get("layout");
  return typeof layout === "object" && layout !== null ? layout : model;
}

/** What anywidget hands to the widget; a page without kernel says so. */
interface Context {
  readonly model: WidgetModel;
  readonly offline?: boolean;
  /** Whether the page is about this graph alone, so that its address tells the step. */
  readonly address?: boolean;
}

function open({ model, offline = false, address = false }: Context): Shared {
  const known = stores.get(identity(model));
  if (known) return known;
  const wanted = model.get("language");
  if (views.size === 0 || wanted) speakAs(wanted);
  const store = createStore();
  const link = offline ? null : new Link(model, store);
  const packed = (): void => {
    if (Number(model.get("count")) > store.known()) store.load(model.get("packed"));
  };
  try {
    checkProtocol(model.get("protocol"));
    store.load(model.get("packed"));
  } catch (error) {
    store.failed(error instanceof Error ? error.message : String(error));
  }
  const duo = beside(model, store);
  const stops = [
    play(store),
    store.guess.cover(),
    keepView(model, store),
    ...(duo ? [duo.stop] : []),
  ];
  if (address && !duo) stops.push(keepAddress(store));
  const language = (): void => {
    speakAs(model.get("language"));
  };
  const past = (): void => {
    const why = model.get("past");
    if (typeof why !== "string") return;
    store.pastIs(why);
    if (why !== "" && Number(model.get("count")) === 0) store.failed(why); // nothing is kept
  };
  if (link) {
    store.connect((command) => link.send(command));
    model.on("change:packed", packed);
    model.on("change:past", past);
    model.on("change:language", language);
    // The first message also opens the comm's subshell, so that clicks reach a busy kernel.
    if (!link.send({ type: "need", from: store.known() })) store.connection.value = "offline";
  } else store.connection.value = "offline";
  past();
  const shared: Shared = {
    store,
    duo,
    close: () => {
      for (const stop of stops) stop();
      link?.close();
      model.off("change:packed", packed);
      model.off("change:past", past);
      model.off("change:language", language);
      stores.delete(identity(model));
    },
  };
  stores.set(identity(model), shared);
  return shared;
}

/** The second of two logs that one player moves; most models have one. */
function beside(model: WidgetModel, left: Store): Duo | undefined {
  const packed: unknown = model.get("beside");
  const size = (packed as { byteLength?: number; length?: number } | undefined) ?? {};
  if ((size.byteLength ?? size.length ?? 0) === 0) return undefined;
  const right = createStore();
  right.load(packed);
  right.connection.value = "offline";
  return createDuo(left, right);
}

/** The direction and the height that the user chose are saved with the widget. */
function keepView(model: WidgetModel, store: Store): () => void {
  const saved = (model.get("view") ?? {}) as Record<"direction" | "height" | "guess", unknown>;
  if (saved.guess === true) store.guess.turn(true);
  const { direction, height } = saved;
  if (direction === "LR" || direction === "TD") store.wantedDirection.value = direction;
  if (typeof height === "number" && height >= 100 && height <= 5000) store.height.value = height;
  let known = JSON.stringify([store.wantedDirection.value, store.height.value]);
  return effect(() => {
    const [wanted, high] = [store.wantedDirection.value, store.height.value];
    const now = JSON.stringify([wanted, high]);
    if (now === known) return;
    known = now;
    model.set("view", { ...saved, direction: wanted, height: high });
    model.save_changes();
  });
}

/** The open views: what closes the store of each, and what draws it. */
const views = new Set<{ readonly close: () => void; readonly show: () => void }>();

/** Draws all views anew where the language changes: words are in all that their stores computed. */
function speakAs(language: unknown): void {
  if (!chooseLanguage(language)) return;
  for (const { close } of views) close();
  for (const { show } of views) show();
}

function initialize(context: Context): () => void {
  open(context);
  return () => stores.get(identity(context.model))?.close();
}

function render(context: Context & { readonly el: HTMLElement }): () => void {
  const { el } = context;
  open(context);
  const { theme, stop } = followTheme(el);
  const show = (): void => {
    const { store, duo } = open(context);
    draw(null, el);
    draw(h(App, { store, theme, duo }), el);
  };
  const close = (): void => stores.get(identity(context.model))?.close();
  const view = { close, show };
  views.add(view);
  show();
  return () => {
    views.delete(view);
    draw(null, el);
    stop();
  };
}

/** A model over a recorded log, for a page without kernel. */
function recording(packed: string, language: string): WidgetModel {
  // The log says its own protocol.
  const traits: Record<string, unknown> = { packed, view: {}, protocol: PROTOCOL, language };
  const nothing = (): void => undefined;
  return {
    get: (name) => traits[name],
    set: (name, value) => {
      traits[name] = value;
    },
    save_changes: nothing,
    on: nothing,
    off: nothing,
    send: () => {
      throw new Error("there is no kernel");
    },
  };
}

/** Shows a packed log (its JSON text) in an element of a page without kernel. */
export function mount(
  el: HTMLElement,
  packed: string,
  { theme, language = "" }: { theme?: "light" | "dark"; language?: string } = {},
): () => void {
  if (theme !== undefined) document.body.dataset.jpThemeLight = String(theme === "light");
  return render({ model: recording(packed, language), el, offline: true });
}

(globalThis as { graphwidget?: unknown }).graphwidget = { mount, initialize, render };

export default { initialize, render };
