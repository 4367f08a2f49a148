/* The search: a field, and what it finds. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { valueOfKey } from "../../graph/keys";
import { findAll, type Hit } from "../../store/find";
import type { Store } from "../../store/store";
import type { ViewState } from "../view-state";
import { t } from "../../text/text";

/** Finds names, ops, shapes, variables and source lines; Enter goes from one to the next. */
export function Find({ store, view }: { store: Store; view: ViewState }) {
  const query = useSignal("");
  const at = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null);
  const model = store.model.value;
  const { boxes } = store.scene.value;
  const hits = useMemo(() => findAll(model, query.value, boxes), [model, query.value, boxes]);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    input.current?.focus();
  }, []);
  const close = (): void => {
    view.over.value = null;
    const back = before.current;
    const focusable = back instanceof HTMLElement || back instanceof SVGElement;
    if (focusable && back.isConnected) back.focus();
    else input.current?.closest<HTMLElement>(".gw")?.focus();
  };
  const go = (to: number): void => {
    const hit = hits[(to + hits.length) % hits.length];
    if (!hit) return;
    at.value = (to + hits.length) % hits.length;
    show(store, hit);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter") go(at.value + (event.shiftKey ? -1 : 1));
    else if (event.key === "ArrowDown") go(at.value + 1);
    else if (event.key === "ArrowUp") go(at.value - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const current = hits[at.value];
  return (
    <div class="gw-find" data-testid="find" role="search">
      <div class="gw-find-field">
        <input
          ref={input}
          type="text"
          data-action="query"
          aria-label={t.bars.find.label}
          placeholder={t.bars.find.placeholder}
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls="gw-hits"
          aria-activedescendant={current ? `gw-hit-${at.value}` : undefined}
          autocomplete="off"
          spellcheck={false}
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = -1;
          }}
          onKeyDown={key}
        />
        <span class="gw-count" role="status">
          {query.value.trim() === ""
            ? ""
            : hits.length === 0
              ? t.bars.find.nothing
              : counted(at.value, hits)}
        </span>
        <button type="button" class="gw-link" data-action="close-find" onClick={close}>
          {t.bars.find.close}
        </button>
      </div>
      <ul
        class="gw-hits"
        id="gw-hits"
        role="listbox"
        aria-label={t.bars.find.found}
        hidden={hits.length === 0}
      >
        {hits.map((hit, i) => (
          <li
            key={hit.key}
            id={`gw-hit-${i}`}
            role="option"
            aria-selected={i === at.value}
            data-testid="hit"
            ref={(element) => {
              if (i === at.value) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => {
              go(i);
            }}
          >
            <span class={`gw-hit-kind gw-hit-${hit.kind}`}>{t.bars.find.kinds[hit.kind]}</span>
            <b>{hit.title}</b>
            <span class="gw-dim">{hit.detail}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function counted(at: number, hits: readonly Hit[]): string {
  return at < 0 ? String(hits.length) : `${at + 1} / ${hits.length}`;
}

/** Goes to what was found, and selects it. */
function show(store: Store, { key }: Hit): void {
  const value = valueOfKey(key);
  if (value !== null && store.selected.value !== value) store.select(value);
  if (value === null && store.chosen.value !== key) store.choose(key);
  store.seek(key);
}
