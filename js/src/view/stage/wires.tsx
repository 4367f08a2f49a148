/* Wires with the gradients that came along them. */

import { memo } from "preact/compat";
import { textWidth } from "../../graph/draw/measure";
import { full, size, tiny } from "../../log/format";
import type { Summary } from "../../log/events";
import type { Model } from "../../log/model";
import type { DrawnWire } from "../../scene/wires";
import { changedByHooks } from "../../explain/hooks";
import type { Wire } from "../../graph/draw/wire";
import type { Point } from "../../scene/flow";
import { FAR_LETTERS } from "../card/far-card";
import { t } from "../../text/text";

/** What a wire carries back at the moment shown. */
export interface Flow {
  readonly grad: Summary | null;
  /** It came in the step shown; it belongs to an earlier run. */
  readonly now: boolean;
  readonly old: boolean;
}

/** The gradient on a wire, or null when none has come along it; into a step it goes forward. */
export function flowOf(
  model: Model,
  { wire }: DrawnWire,
  active: number | null,
  run: number | null,
): Flow | null {
  if (wire.stepped === true) {
    const grad = model.values.get(wire.value)?.grad ?? null;
    return grad && { grad, now: false, old: false };
  }
  const node = wire.node === null ? undefined : model.nodes.get(wire.node);
  if (!node || node.run === null) return null;
  const grad = wire.way === "in" ? node.grads_out[wire.edge] : node.grads_in[wire.edge];
  if (!grad) return null;
  return { grad, now: node.node === active, old: node.run !== run };
}

interface WireProps {
  drawn: DrawnWire;
  grad: Summary | null;
  now: boolean;
  old: boolean;
  arrow: string;
  /** Numbers of the paths that lead along it. */
  paths: string;
  dimmed: boolean;
}

function WireView({ drawn, grad, now, old, arrow, paths, dimmed }: WireProps) {
  const { wire, operand } = drawn;
  const state = ["gw-wire", now ? "gw-now" : "", old ? "gw-old" : "", dimmed ? "gw-dimmed" : ""];
  if (wire.times !== undefined) state.push("gw-many");
  return (
    <g
      class={state.join(" ")}
      data-testid="wire"
      data-wire={wire.key}
      data-from={wire.from}
      data-to={wire.to}
      data-node={wire.node ?? undefined}
    >
      {paths
        .split(" ")
        .filter((n) => n !== "")
        .map((n) => (
          <path key={n} class={`gw-path gw-path-${n}`} d={drawn.backward} />
        ))}
      <path class="gw-forward" d={drawn.forward}>
        {wire.times !== undefined && <title>{t.picture.cards.values(wire.times)}</title>}
      </path>
      {operand && (
        <text class="gw-operand" x={operand.x} y={operand.y + 3.5} data-testid="operand">
          <title>{t.picture.cards.operand(operand.nr)}</title>
          {operand.nr}
        </text>
      )}
      {grad && (
        <path
          key={now ? "now" : "then"}
          class="gw-backward"
          d={drawn.backward}
          pathLength={1}
          marker-end={`url(#${arrow})`}
        />
      )}
    </g>
  );
}

export const WireNode = memo(WireView);

/** The node to which a wire brings the gradient of the value of its card. */
function reached(model: Model, { node, edge, way }: Wire): number | null {
  if (way !== "in") return edge === 0 ? node : null;
  const [next, nr] = (node === null ? undefined : model.nodes.get(node)?.next[edge]) ?? [null, 0];
  const leaf = next !== null && model.nodes.get(next)?.variable != null;
  return leaf && nr === 0 ? next : null;
}

/** Where hooks changed the gradients that the wires carry: each once. */
export function HookBadges({ model, wires }: { model: Model; wires: readonly DrawnWire[] }) {
  const changed = changedByHooks(model);
  const shown = new Map<number, DrawnWire>();
  for (const drawn of changed.size > 0 ? wires : []) {
    const node = reached(model, drawn.wire);
    if (node !== null && changed.has(node) && !shown.has(node)) shown.set(node, drawn);
  }
  return (
    <g class="gw-hooks">
      {[...shown].map(([node, { atCard }]) => (
        <HookBadge key={node} {...atCard} text={changed.get(node) ?? ""} />
      ))}
    </g>
  );
}

export function HookBadge({ x, y, text }: Point & { text: string }) {
  return (
    <g class="gw-hook" data-testid="hook" transform={`translate(${x} ${y})`}>
      {text !== "" && <title>{text}</title>}
      <circle r={7.5} />
      <path d="M1.5 -4.5V1.5A2.5 2.5 0 0 1 -3.5 1.5V0.5M-5.3 2L-3.5 0L-1.7 2" />
    </g>
  );
}

interface LabelProps {
  x: number;
  y: number;
  /** How wide it may be: it covers neither of the boxes beside it. */
  room: number;
  grad: Summary;
  now: boolean;
  old: boolean;
  far: boolean;
}

/** The height of a label's letters. */
const lettersOf = (far: boolean): number => (far ? FAR_LETTERS : 10);

const labelWidth = (text: string, far: boolean): number =>
  textWidth(text, lettersOf(far), "mono") + 8;

/**
 * The numbers of a gradient, else its shape, as there is room; nothing where there is none. In the
 * large letters seen from afar shapes would only be in the way.
 */
export function labelText(grad: Summary, room: number, far = false): string | null {
  const numbers = [tiny(grad), tiny(grad, 7)].map((text) => text.replaceAll(", ", ","));
  const shape = size(grad.shape) > 1 ? [grad.shape.join("×")] : [];
  const texts = far ? numbers.filter((text) => !text.startsWith("(")) : [...numbers, ...shape];
  return texts.find((text) => labelWidth(text, far) <= room + 2) ?? null;
}

/** The gradient's numbers on its wire. */
function LabelView({ x, y, room, grad, now, old, far }: LabelProps) {
  const text = labelText(grad, room, far);
  if (text === null) return null;
  const w = labelWidth(text, far);
  const letters = lettersOf(far);
  const state = ["gw-label", now ? "gw-now" : "", old ? "gw-old" : ""];
  return (
    <g
      class={state.join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="gradient"
    >
      <title>{t.picture.cards.gradient(full(grad).slice(0, 400))}</title>
      <rect x={-w / 2} y={-letters * 0.8} width={w} height={letters * 1.5} rx={4} />
      <text class={far ? "gw-far" : ""} y={letters * 0.35}>
        {text}
      </text>
    </g>
  );
}

export const LabelNode = memo(LabelView);
