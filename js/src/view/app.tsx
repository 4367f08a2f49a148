/* One view of a widget: toolbar, picture and words, and the keys. */

import { Component } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useSignalEffect, type Signal } from "@preact/signals";
import type { Duo } from "../store/side-by-side";
import type { Store } from "../store/store";
import { DuoContents, duoKey } from "./player/side-by-side";
import { HeightHandle, moreWords, useHighest, useNeed } from "./height";
import { LoopBars } from "./player/loop-bars";
import { Help, keyDown } from "./shortcuts";
import { Listing } from "./panels/listing";
import { PassBar } from "./panels/optimization-passes";
import { Panel } from "./panels/panel";
import { RunBar } from "./player/run-bar";
import { useSettled } from "./complete";
import { Stage } from "./stage/stage";
import type { Theme } from "./theme";
import { Toolbar } from "./toolbar";
import { createView, type ViewState } from "./view-state";
import { t } from "../text/text";

/** One view of a widget. An error in drawing is shown in its place, not raised. */
export class App extends Component<AppProps, { wrong: boolean }> {
  override state = { wrong: false };

  static override getDerivedStateFromError(error: unknown): { wrong: boolean } {
    console.error(error); // with its details; the page shows it in words
    return { wrong: true };
  }

  override render({ store, theme, duo }: AppProps) {
    const { wrong } = this.state;
    if (!wrong) return <View store={store} theme={theme} duo={duo} />;
    return (
      <div class="gw" data-theme={theme.value} data-testid="graphwidget">
        <p class="gw-fault" role="alert" data-testid="fault">
          {t.bars.notices.fault}
        </p>
        <button
          type="button"
          class="gw-command"
          onClick={() => {
            store.selected.value = null;
            this.setState({ wrong: false });
          }}
        >
          {t.bars.notices.again}
        </button>
      </div>
    );
  }
}

interface AppProps {
  readonly store: Store;
  readonly theme: Signal<Theme>;
  /** Two graphs side by side, of which `store` is the left one. */
  readonly duo?: Duo | undefined;
}

/** The words have the room that they needed when the picture came to rest, and no more. */
const PLACE = { "--gw-place": "var(--gw-first)" };

/** One view: while it is far out of sight, only its place in the page. */
function View({ store, theme, duo }: AppProps) {
  const view = useMemo(() => createView(theme), []);
  const root = useRef<HTMLDivElement>(null);
  useHighest(root, store, view);
  useSight(root, view);
  const height = store.height.value;
  const kept = view.seen.value ? null : view.place.peek();
  const first = view.firstWords.value;
  const helps = view.over.value === "keys";
  const stage = useMemo(() => view.size.peek().h, [helps]);
  const style = {
    "--gw-need": `${helps ? stage : view.need.value}px`,
    "--gw-words": `${view.words.value}px`,
    "--gw-more": `${moreWords(view)}px`,
    ...(first === 0 ? {} : { "--gw-first": `min(45%, max(96px, ${first}px))` }),
    ...(height === null ? {} : { height: `${height}px`, maxHeight: "none", ...PLACE }),
    ...(helps ? { height: "auto", maxHeight: "none" } : {}), // the help stands under the picture
    ...(kept === null ? {} : { height: `${kept}px`, maxHeight: "none" }),
  };
  return (
    <div
      ref={root}
      class="gw"
      style={style}
      data-testid="graphwidget"
      data-theme={theme.value}
      data-lm-suppress-shortcuts="true"
      tabIndex={0}
      onKeyDown={(event) => {
        if (duo) duoKey(event, duo);
        else keyDown(event, store, view);
      }}
    >
      {view.seen.value &&
        (duo ? <DuoContents duo={duo} view={view} /> : <Contents store={store} view={view} />)}
    </div>
  );
}

function Contents({ store, view }: { store: Store; view: ViewState }) {
  const main = useRef<HTMLDivElement>(null);
  useNeed(store, view);
  useSettled(store, view);
  useWordsRoom(main, view);
  const fault = store.fault.value;
  if (fault !== null) {
    return (
      <p class="gw-fault" role="alert" data-testid="fault">
        {fault}
      </p>
    );
  }
  return (
    <>
      <Toolbar store={store} view={view} />
      <LoopBars store={store} />
      <PassBar store={store} />
      <Notice store={store} />
      <div class="gw-main" ref={main}>
        {store.steps.value.length === 0 ? (
          <Empty store={store} />
        ) : (
          <Stage store={store} view={view} />
        )}
        <Panel store={store} />
      </div>
      <RunBar store={store} />
      <Listing store={store} />
      <HeightHandle store={store} />
      {view.over.value === "keys" && <Help view={view} />}
    </>
  );
}

/** How far from the window's edges (of its height) a widget is drawn: to be there in time. */
const NEAR = 0.5;

/**
 * Tells whether a view is in sight, or nearly. What is far away computes and draws nothing: it
 * only keeps its height. A view that has the focus stays, and on paper all are seen.
 */
function useSight(root: { readonly current: HTMLElement | null }, view: ViewState): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const { top, bottom } = element.getBoundingClientRect();
    view.seen.value = top <= (1 + NEAR) * innerHeight && bottom >= -NEAR * innerHeight;
    const tell = (seen: boolean): void => {
      if (!seen && element.contains(document.activeElement)) return;
      if (!seen && view.seen.peek()) view.place.value = element.offsetHeight;
      view.seen.value = seen;
    };
    // `scrollMargin` reaches beyond the edges of a notebook that scrolls inside the page.
    const margin = `${100 * NEAR}%`;
    const options = { rootMargin: margin, scrollMargin: margin };
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) tell(last.isIntersecting);
    }, options);
    observer.observe(element);
    const print = (): void => {
      tell(true);
    };
    addEventListener("beforeprint", print);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", print);
    };
  }, []);
}

/** The words keep the room that they once needed, up to what the style allows. */
function useWordsRoom(root: { readonly current: HTMLElement | null }, view: ViewState): void {
  useEffect(() => {
    const observer = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        if (!(target instanceof HTMLElement)) continue;
        view.words.value = Math.max(view.words.peek(), target.offsetHeight);
        // Beside the picture they are as high as that is.
        const under = target.offsetWidth === root.current?.clientWidth;
        if (!under || view.firstWords.peek() === 0) view.firstWords.value = view.words.value;
      }
    });
    const panel = root.current?.querySelector<HTMLElement>(".gw-panel");
    if (panel) observer.observe(panel);
    return () => {
      observer.disconnect();
    };
  }, []);
  // What was announced while the cell ran is not announced again.
  useSignalEffect(() => {
    if (view.settled.value === 0) return undefined;
    view.words.value = view.firstWords.value = 0;
    const frame = requestAnimationFrame(() => {
      const panel = root.current?.querySelector<HTMLElement>(".gw-panel");
      view.words.value = view.firstWords.value = panel?.offsetHeight ?? 0;
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  });
}

function Empty({ store }: { store: Store }) {
  const place = useRef<HTMLDivElement>(null);
  // The picture is made while the log is read, for the room that it will have.
  useLayoutEffect(() => {
    const w = place.current?.clientWidth ?? 0;
    if (w > 0) store.room.value = { ...store.room.peek(), w };
  }, []);
  if (store.loading.value) {
    return (
      <div class="gw-empty" ref={place}>
        {t.bars.notices.reading}
      </div>
    );
  }
  return (
    <div class="gw-empty" data-testid="empty">
      <p>{t.bars.notices.nothing}</p>
      <p class="gw-dim">{t.bars.notices.nothingHint}</p>
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
        {t.bars.notices.dismiss}
      </button>
    </div>
  );
}
