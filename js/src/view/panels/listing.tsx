/* A program's own listing under the picture: a row for each box, and each finds the other. */

import { useRef } from "preact/hooks";
import { callKey, valueKey } from "../../graph/keys";
import type { ListedRow } from "../../log/model";
import type { Store } from "../../store/store";
import { Sheet, useNear } from "./sheet";

/** The table; nothing without rows. */
export function Listing({ store }: { store: Store }) {
  const { rows } = store.present.value;
  const [first] = rows;
  if (!first) return null;
  const lit = rows.findIndex((row) => isSelected(store, row));
  return (
    <Sheet class="gw-listing" testid="listing">
      <thead>
        <tr>
          {Object.keys(first.cells).map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody onKeyDown={walk}>
        {rows.map((row, i) => (
          <Row
            key={row.time}
            store={store}
            row={row}
            now={i === lit}
            later={row.time >= store.time.value}
            first={i === Math.max(lit, 0)}
          />
        ))}
      </tbody>
    </Sheet>
  );
}

interface RowProps {
  store: Store;
  row: ListedRow;
  now: boolean;
  later: boolean;
  /** It is the one that the tab key comes to. */
  first: boolean;
}

function Row({ store, row, now, later, first }: RowProps) {
  const element = useRef<HTMLTableRowElement>(null);
  useNear(element, now);
  const pick = (): void => {
    selectRow(store, row);
  };
  return (
    <tr
      ref={element}
      data-now={now}
      data-later={later}
      aria-current={now ? "true" : undefined}
      tabIndex={first ? 0 : -1}
      onFocus={pick}
      onClick={pick}
    >
      {Object.entries(row.cells).map(([column, text]) => (
        <td key={column}>{text}</td>
      ))}
    </tr>
  );
}

/** Whether the box that a row is about is selected: the call's, or that of what it gives. */
export function isSelected({ selected, chosen }: Store, { value, call }: ListedRow): boolean {
  if (selected.value !== null) return selected.value === value;
  return chosen.value !== null && call !== null && chosen.value === callKey(call);
}

/** Selects the box of a row, at a moment at which it is there, and brings it into view. */
export function selectRow(store: Store, row: ListedRow): void {
  if (isSelected(store, row)) return;
  if (row.time >= store.time.value) {
    store.playing.value = false;
    store.goTo(store.steps.value.findIndex(({ to }) => to > row.time));
  }
  if (row.call !== null) store.choose(callKey(row.call));
  else store.select(row.value);
  store.seek(row.call === null ? valueKey(row.value ?? -1) : callKey(row.call));
}

/** The arrow keys go from row to row. */
function walk(event: KeyboardEvent): void {
  const row = event.target instanceof Element ? event.target.closest("tr") : null;
  const next = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
  }[event.key];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}
