/* Optimization passes over a static graph as a table: what each left, and the way to each. */

import { useRef } from "preact/hooks";
import type { Change } from "../../graph/changes";
import { bytes, duration } from "../../log/quantities";
import type { PassRow } from "../../log/model";
import type { Look } from "../../store/optimization-passes";
import type { Store } from "../../store/store";
import { SIGNS } from "../overlay/pass-marks";
import { Sheet, useNear } from "./sheet";
import { t } from "../../text/text";

interface Figure {
  readonly name: "operations" | "memory" | "time";
  readonly of: (pass: PassRow) => number | null;
  readonly text: (n: number) => string;
  /** How much two figures must differ to be more than chance. */
  readonly noise: (pass: PassRow) => number;
}

const FIGURES: readonly Figure[] = [
  {
    name: "operations",
    of: ({ nodes }) => nodes,
    text: String,
    noise: () => 0,
  },
  {
    name: "memory",
    of: ({ bytes: n }) => n,
    text: bytes,
    noise: () => 0,
  },
  {
    name: "time",
    of: ({ microseconds }) => microseconds,
    text: duration,
    noise: ({ spread }) => spread ?? 0,
  },
];

/** What a figure became with a pass: less, more, or the same (as far as is known). */
export function trend(figure: Figure, pass: PassRow, before: PassRow | undefined) {
  const [now, was] = [figure.of(pass), before ? figure.of(before) : null];
  if (now === null || was === null || !before) return "same";
  const chance = Math.max(figure.noise(pass), figure.noise(before));
  if (Math.abs(now - was) <= chance) return "same";
  return now < was ? "less" : "more";
}

/** The table of passes; nothing where there are none. */
export function PassBar({ store }: { store: Store }) {
  const passes = store.passes.value;
  if (passes.length === 0) return null;
  const shown = store.passShown.value;
  const figures = FIGURES.filter((figure) => passes.some((pass) => figure.of(pass) !== null));
  return (
    <div class="gw-passes" data-testid="passes">
      <Sheet>
        <thead>
          <tr>
            <td />
            {passes.map((pass, i) => (
              <Head key={pass.time} store={store} pass={pass} nr={i} now={i === shown} />
            ))}
            <th scope="col">{t.bars.passTable.total}</th>
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <Row key={figure.name} figure={figure} passes={passes} shown={shown} />
          ))}
        </tbody>
      </Sheet>
      <Looks store={store} />
    </div>
  );
}

interface HeadProps {
  store: Store;
  pass: PassRow;
  nr: number;
  now: boolean;
}

/** The name of a pass, which leads to it. */
function Head({ store, pass, nr, now }: HeadProps) {
  const head = useRef<HTMLTableCellElement>(null);
  useNear(head, now);
  return (
    <th ref={head} scope="col" data-now={now}>
      <button
        type="button"
        class="gw-link"
        data-action="pass"
        aria-current={now ? "step" : undefined}
        onClick={() => {
          store.playing.value = false;
          store.goTo(nr);
        }}
      >
        {pass.name}
      </button>
    </th>
  );
}

function Row({
  figure,
  passes,
  shown,
}: {
  figure: Figure;
  passes: readonly PassRow[];
  shown: number;
}) {
  const most = Math.max(...passes.map((pass) => figure.of(pass) ?? 0), 1e-9);
  const [first, last] = [figure.of(passes[0] as PassRow), figure.of(passes.at(-1) as PassRow)];
  return (
    <tr>
      <th scope="row" title={t.bars.passTable[`${figure.name}Title`]}>
        {t.bars.passTable[figure.name]}
      </th>
      {passes.map((pass, i) => {
        const n = figure.of(pass);
        const share = n === null ? 0 : Math.round((100 * n) / most);
        return (
          <td
            key={pass.time}
            data-now={i === shown}
            data-trend={trend(figure, pass, passes[i - 1])}
            data-later={i > shown}
          >
            <span class="gw-pass-share" style={{ width: `${share}%` }} />
            {n === null ? "–" : figure.text(n)}
          </td>
        );
      })}
      <td class="gw-pass-sum">{saved(first, last)}</td>
    </tr>
  );
}

/** `−57 %` */
function saved(first: number | null, last: number | null): string {
  if (first === null || last === null || first === 0) return "–";
  const percent = Math.round((100 * (last - first)) / first);
  return percent === 0 ? "±0" : `${percent < 0 ? "−" : "+"}${Math.abs(percent)} %`;
}

const LOOKS: readonly Look[] = ["before", "changes", "after"];

/** Before, after, or what changed; and how much of what changed. */
function Looks({ store }: { store: Store }) {
  const changes = store.changes.value;
  const words = t.bars.passTable;
  if (!changes) return null;
  const counts = new Map<Change, number>();
  const all = [...changes.calls.values(), ...changes.values.values()];
  // What a call made goes and comes with it: of removed and added only calls are counted.
  for (const change of changes.calls.values()) counts.set(change, (counts.get(change) ?? 0) + 1);
  for (const change of changes.values.values()) {
    if (change === "known" || change === "over") counts.set(change, (counts.get(change) ?? 0) + 1);
  }
  return (
    <div class="gw-looks">
      <div role="group" aria-label={words.drawn} class="gw-segments">
        {LOOKS.map((look) => (
          <button
            key={look}
            type="button"
            data-action={`look-${look}`}
            aria-pressed={store.look.value === look}
            disabled={changes.before === null}
            onClick={() => {
              store.look.value = look;
            }}
          >
            {words.looks[look]}
          </button>
        ))}
      </div>
      <span class="gw-change-counts" data-testid="change-counts">
        {(Object.keys(words.counts) as Change[])
          .filter((change) => counts.has(change))
          .map((change) => (
            <span key={change} class={`gw-change-count gw-change-${change}`}>
              <b>{SIGNS[change]}</b>
              {` ${counts.get(change) ?? 0} ${words.counts[change]}`}
            </span>
          ))}
        {all.length === 0 && changes.before !== null && (
          <span class="gw-dim">
            {(changes.pass.bytes ?? 0) < (changes.before.bytes ?? 0) ? words.stay : words.nothing}
          </span>
        )}
      </span>
    </div>
  );
}
