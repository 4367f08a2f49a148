/* The keys, and the dialog that shows them with what the shapes mean. */

import { useEffect, useRef } from "preact/hooks";
import type { Store } from "../store/store";
import { zoom } from "./stage/camera";
import { nextProblem } from "./panels/problems";
import { Legend } from "./panels/legend";
import { fitAll, release, type ViewState } from "./view-state";
import { walkKey } from "./stage/walk";
import { t } from "../text/text";

type Run = (store: Store, view: ViewState) => void;

const by =
  (factor: number): Run =>
  (_, view) => {
    const { w, h } = view.size.value;
    release(view);
    view.camera.value = zoom(view.camera.value, factor, w / 2, h / 2);
  };

const stopped =
  (run: (store: Store) => void): Run =>
  (store) => {
    store.playing.value = false;
    run(store);
  };

const KEYS: Readonly<Partial<Record<string, Run>>> = {
  ArrowLeft: stopped((store) => {
    store.toPrevious();
  }),
  ArrowRight: stopped((store) => {
    store.toNext();
  }),
  "Shift+ArrowLeft": stopped((store) => {
    store.toNeighbour(-1);
  }),
  "Shift+ArrowRight": stopped((store) => {
    store.toNeighbour(1);
  }),
  Home: stopped((store) => {
    store.toFirst();
  }),
  End: stopped((store) => {
    store.toLast();
  }),
  " ": (store) => {
    store.togglePlay();
  },
  Escape: (store, view) => {
    if (view.over.value !== null) view.over.value = null;
    else store.select(null);
  },
  f: fitAll,
  g: (store) => {
    store.guess.turn(!store.guess.on.value);
  },
  "+": by(1.25),
  "-": by(1 / 1.25),
  "/": (_, view) => {
    view.over.value = "find";
  },
  "?": (_, view) => {
    view.over.value = "keys";
  },
  "!": (store) => {
    nextProblem(store);
  },
};

/** Keys are ours while the widget has the focus: they must not reach the notebook. */
export function keyDown(event: KeyboardEvent, store: Store, view: ViewState): void {
  event.stopPropagation();
  if (walkKey(event, store, view)) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "f") {
    event.preventDefault();
    view.over.value = "find";
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  const written = target instanceof HTMLInputElement && target.type !== "range";
  if (written && event.key !== "Escape") return; // the search takes its own keys
  const shift = event.shiftKey && event.key.startsWith("Arrow");
  const slider = target instanceof HTMLInputElement && !written;
  if (slider && !shift && MOVES.has(event.key)) return; // the slider moves by itself
  const box = target instanceof Element ? target.closest("[data-key]") : null;
  if (box && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    target?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return;
  }
  const control = target instanceof Element && target.closest("button, select") !== null;
  const run = KEYS[shift ? `Shift+${event.key}` : event.key];
  if (!run || (event.key === " " && control)) return;
  if (target instanceof HTMLSelectElement) return;
  event.preventDefault();
  run(store, view);
}

const MOVES: ReadonlySet<string> = new Set([
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Home",
  "End",
  "PageUp",
  "PageDown",
]);

/** The keys and the legend, under the picture; Escape closes it, and the focus goes back. */
export function Help({ view }: { view: ViewState }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  return (
    <section ref={box} class="gw-help" data-testid="keys" aria-label={t.help.title} tabIndex={-1}>
      <Legend />
      <dl class="gw-keys">
        {t.help.keys.map(([keys, text]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        class="gw-command"
        data-action="close-keys"
        onClick={() => {
          view.over.value = null;
        }}
      >
        {t.help.close}
      </button>
    </section>
  );
}
