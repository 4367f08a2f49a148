/* One view of a widget: toolbar, picture and words, and the keys. */

import { useSignal } from "@preact/signals";
import { Component } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Signal } from "@preact/signals";
import type { Store } from "../store/store";
import { Panel } from "./panel";
import { Stage } from "./stage";
import type { Theme } from "./theme";
import { Toolbar } from "./toolbar";
import { fitAll, type ViewState } from "./view-state";

/** One view of a widget. What goes wrong in drawing is told in its place, not thrown. */
export class App extends Component<AppProps, { wrong: string | null }> {
  override state: { wrong: string | null } = { wrong: null };

  static override getDerivedStateFromError(error: unknown): { wrong: string } {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }

  override render({ store, theme }: AppProps) {
    const { wrong } = this.state;
    if (wrong === null) return <View store={store} theme={theme} />;
    return (
      <div class="gw" data-theme={theme.value} data-testid="graphwidget">
        <p class="gw-fault" role="alert" data-testid="fault">
          {`The picture could not be drawn (${wrong}). Nothing that was recorded is lost.`}
        </p>
        <button
          type="button"
          class="gw-command"
          onClick={() => {
            store.selected.value = null;
            this.setState({ wrong: null });
          }}
        >
          try again
        </button>
      </div>
    );
  }
}

interface AppProps {
  readonly store: Store;
  readonly theme: Signal<Theme>;
}

function View({ store, theme }: AppProps) {
  const size = useSignal({ w: 0, h: 0 });
  const camera = useSignal({ x: 0, y: 0, k: 1 });
  const auto = useSignal(true);
  const whole = useSignal(false);
  const view: ViewState = useMemo(() => ({ size, camera, auto, whole }), []);
  const fault = store.fault.value;
  return (
    <div
      class="gw"
      data-testid="graphwidget"
      data-theme={theme.value}
      data-lm-suppress-shortcuts="true"
      tabIndex={0}
      onKeyDown={(event) => {
        keyDown(event, store, view);
      }}
    >
      {fault === null ? (
        <>
          <Toolbar store={store} view={view} />
          <Notice store={store} />
          <div class="gw-main">
            {store.steps.value.length === 0 ? <Empty /> : <Stage store={store} view={view} />}
            <Panel store={store} />
          </div>
        </>
      ) : (
        <p class="gw-fault" role="alert" data-testid="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

function Empty() {
  return (
    <div class="gw-empty" data-testid="empty">
      <p>Nothing recorded yet.</p>
      <p class="gw-dim">Run a cell that computes with tensors, and its graph grows here.</p>
    </div>
  );
}

function Notice({ store }: { store: Store }) {
  const notice = store.notice.value;
  useEffect(() => {
    if (notice?.tone !== "info") return undefined;
    const timer = setTimeout(() => {
      store.notice.value = null;
    }, 6000);
    return () => {
      clearTimeout(timer);
    };
  }, [notice]);
  if (!notice) return null;
  return (
    <div class={`gw-notice gw-notice-${notice.tone}`} role="status" data-testid="notice">
      <span>{notice.text}</span>
      <button
        type="button"
        class="gw-link"
        onClick={() => {
          store.notice.value = null;
        }}
      >
        dismiss
      </button>
    </div>
  );
}

/** Keys are ours while the widget has the focus: they must not reach the notebook. */
function keyDown(event: KeyboardEvent, store: Store, view: ViewState): void {
  event.stopPropagation();
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onControl = event.target instanceof Element && event.target.closest("button, select");
  const slider = event.target instanceof HTMLInputElement;
  const run = KEYS[event.key];
  if (!run || (event.key === " " && onControl) || (onControl && event.target.matches("select"))) {
    return;
  }
  if (slider && event.key !== " ") return; // the slider moves by itself
  event.preventDefault();
  run(store, view);
}

const KEYS: Readonly<Partial<Record<string, (store: Store, view: ViewState) => void>>> = {
  ArrowLeft: (store) => {
    store.playing.value = false;
    store.toPrevious();
  },
  ArrowRight: (store) => {
    store.playing.value = false;
    store.toNext();
  },
  Home: (store) => {
    store.toFirst();
  },
  End: (store) => {
    store.toLast();
  },
  " ": (store) => {
    store.togglePlay();
  },
  Escape: (store) => {
    store.selected.value = null;
  },
  f: (store, view) => {
    fitAll(store, view);
  },
};
