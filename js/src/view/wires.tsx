/* Wires with the gradients that came along them. */

import { memo } from "preact/compat";
import { textWidth } from "../graph/measure";
import { full, tiny } from "../log/format";
import type { Summary } from "../log/events";
import type { Model } from "../log/model";
import type { DrawnWire } from "../scene/wires";

/** What a wire carries back at the moment shown. */
export interface Flow {
  readonly grad: Summary | null;
  /** It came in the step shown; it belongs to an earlier run. */
  readonly now: boolean;
  readonly old: boolean;
}

/** The gradient on a wire, or null when none has come along it. */
export function flowOf(
  model: Model,
  { wire }: DrawnWire,
  active: number | null,
  run: number | null,
): Flow | null {
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
  const { wire } = drawn;
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
        {wire.times !== undefined && <title>{`${wire.times} values`}</title>}
      </path>
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

interface LabelProps {
  tight: boolean;
  x: number;
  y: number;
  grad: Summary;
  now: boolean;
  old: boolean;
}

/** The gradient's numbers on its wire. */
function LabelView({ x, y, grad, now, old, tight }: LabelProps) {
  const text = tiny(grad, tight ? 7 : 9).replaceAll(", ", ","); // so much room is between two boxes
  const w = textWidth(text, 10, "mono") + 8;
  const state = ["gw-label", now ? "gw-now" : "", old ? "gw-old" : ""];
  return (
    <g
      class={state.join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="gradient"
    >
      <title>{`gradient ${full(grad).slice(0, 400)}`}</title>
      <rect x={-w / 2} y={-8} width={w} height={15} rx={4} />
      <text y={3.5}>{text}</text>
    </g>
  );
}

export const LabelNode = memo(LabelView);
