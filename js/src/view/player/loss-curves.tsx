/* The scalars of a loop's iterations (its losses) as small curves, above the slider of the iterations. */

import { Fragment } from "preact";
import { useSignal } from "@preact/signals";
import { number } from "../../log/format";
import type { LoopRow } from "../../log/model";
import { scalar } from "../../replay/iterations";
import { t } from "../../text/text";

/** Height of the curves, in pixels; they are drawn in units of one percent of the width. */
const H = 26;
const W = 100;

/** The most curves that are drawn together. */
const MOST = 3;

/** More points than this are drawn as the least and the greatest of each stretch. */
const POINTS = 240;

/** Where an iteration stands, from the left, as a share of the width. */
export function shareOfIteration(iteration: number, count: number): number {
  return count <= 1 ? 0.5 : (iteration - 1) / (count - 1);
}

/** The iteration that stands nearest to a share of the width. */
export function iterationAt(share: number, count: number): number {
  return Math.max(1, Math.min(count, Math.round(share * (count - 1)) + 1));
}

/** A curve as polylines, broken where numbers are missing, and the iterations that are not finite. */
export interface Drawing {
  readonly lines: readonly string[];
  readonly broken: readonly number[];
  /** Whether the scale is logarithmic. */
  readonly log: boolean;
}

/** The curve in a box of `W` by `H`; each curve has a scale of its own. */
export function drawCurve(curve: readonly unknown[], count: number): Drawing {
  const numbers = curve.map(scalar);
  const finite = numbers.filter((x): x is number => x !== null && Number.isFinite(x));
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  // What falls over orders of magnitude is seen on a logarithmic scale.
  const log = low > 0 && high / low > 30;
  const scale = log ? Math.log : (x: number): number => x;
  const [bottom, range] = [scale(low), scale(high) - scale(low)];
  const y = (x: number): number =>
    range > 0 ? 3 + (H - 6) * (1 - (scale(x) - bottom) / range) : H / 2;
  const lines: string[] = [];
  const broken: number[] = [];
  let points: string[] = [];
  const end = (): void => {
    if (points.length === 1) points.push(points[0] ?? ""); // a point alone is a dot
    if (points.length > 0) lines.push(points.join(" "));
    points = [];
  };
  const stride = Math.max(1, Math.ceil(numbers.length / POINTS));
  for (let from = 0; from < numbers.length; from += stride) {
    const part = numbers.slice(from, from + stride);
    const some = part.filter((x): x is number => x !== null && Number.isFinite(x));
    const bad = part.findIndex((x) => x !== null && !Number.isFinite(x));
    if (bad >= 0) broken.push(from + bad + 1);
    if (some.length === 0) {
      end();
      continue;
    }
    const x = (W * shareOfIteration(from + 1 + (part.length - 1) / 2, count)).toFixed(2);
    const ends = new Set([Math.min(...some), Math.max(...some)]);
    for (const value of ends) points.push(`${x},${y(value).toFixed(1)}`);
  }
  end();
  return { lines, broken, log };
}

interface CurveProps {
  loop: LoopRow;
  /** The iteration that is shown or was asked for. */
  iteration: number | null;
  /** The iterations with all their steps. */
  whole: readonly number[];
  onIteration: (iteration: number) => void;
}

/** The curves, a mark on the iteration shown, and the numbers of the iteration under the pointer. */
export function Curves({ loop, iteration, whole, onIteration }: CurveProps) {
  const pointed = useSignal<number | null>(null);
  const { count } = loop;
  const curves = Object.entries(loop.curves)
    .slice(0, MOST)
    .map(([name, curve]) => [name, drawCurve(curve, count)] as const);
  const under = (event: MouseEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    return iterationAt((event.clientX - left) / Math.max(1, width), count);
  };
  const shown = pointed.value ?? iteration;
  if (curves.length === 0) return null;
  return (
    <div
      class="gw-curves"
      data-testid="curves"
      onPointerMove={(event) => {
        pointed.value = under(event);
      }}
      onPointerLeave={() => {
        pointed.value = null;
      }}
      onClick={(event) => {
        onIteration(under(event));
      }}
    >
      <svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" aria-hidden="true">
        {(whole.length < count ? whole : []).map((kept) => (
          <path
            key={kept}
            class="gw-curve-kept"
            d={`M${(W * shareOfIteration(kept, count)).toFixed(2)} ${H}v-3`}
          />
        ))}
        {curves.map(([name, curve], i) => (
          <OneCurve key={name} {...curve} nr={i} count={count} />
        ))}
        {iteration !== null && (
          <path
            class="gw-curve-now"
            d={`M${(W * shareOfIteration(iteration, count)).toFixed(2)} 0V${H}`}
          />
        )}
      </svg>
      {curves.some(([, { log }]) => log) && (
        <span
          class="gw-curve-scale"
          data-testid="curve-scale"
          title={t.bars.iterations.logarithmic(
            curves.flatMap(([name, { log }]) => (log ? [name] : [])).join(", "),
          )}
        >
          {t.bars.iterations.log}
        </span>
      )}
      {pointed.value !== null && (
        <span
          class="gw-curve-tip"
          data-testid="curve-tip"
          style={{ left: `${Math.min(80, 100 * shareOfIteration(pointed.value, count))}%` }}
        >
          {t.bars.iterations.tip(pointed.value, scalarsOf(loop, shown ?? 1))}
        </span>
      )}
    </div>
  );
}

function OneCurve({
  lines,
  broken,
  nr,
  count,
}: Omit<Drawing, "log"> & { nr: number; count: number }) {
  return (
    <g class={`gw-curve gw-curve-${nr + 1}`}>
      {lines.map((points, i) => (
        <polyline key={i} points={points} />
      ))}
      {broken.map((iteration) => {
        const x = (W * shareOfIteration(iteration, count)).toFixed(2);
        return <path key={iteration} class="gw-curve-bad" d={`M${x} 1V${H - 1}`} />;
      })}
    </g>
  );
}

/** The scalars of an iteration, each with the number of its curve. */
function scalarsAt(
  loop: LoopRow,
  iteration: number,
): { readonly text: string; readonly nr: number }[] {
  const parts = Object.entries(loop.curves).flatMap(([name, curve], i) => {
    const value = curve[iteration - 1];
    const text = value === null || value === undefined ? null : `${name} ${number(value)}`;
    return text === null ? [] : [{ text, nr: i + 1 }];
  });
  return parts.slice(0, MOST);
}

/** The scalars of an iteration in words: `loss 0.031, norm 2.5`. */
export const scalarsOf = (loop: LoopRow, iteration: number): string =>
  scalarsAt(loop, iteration)
    .map(({ text }) => text)
    .join(", ");

/** The same in the colours of the curves, where there are several. */
export function Scalars({ loop, iteration }: { loop: LoopRow; iteration: number }) {
  if (Object.keys(loop.curves).length < 2) return <>{scalarsOf(loop, iteration)}</>;
  return (
    <>
      {scalarsAt(loop, iteration).map(({ text, nr }, i) => (
        <Fragment key={nr}>
          {i > 0 && ", "}
          <span class={`gw-curve-${nr} gw-curve-words`}>{text}</span>
        </Fragment>
      ))}
    </>
  );
}
