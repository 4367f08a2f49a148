/* An op as a pill on the wire, with the slots of what its node saved. */

import { memo } from "preact/compat";
import type { Pill, Slot } from "../../graph/draw/boxes";
import { SLOT_H } from "../../graph/draw/pills";
import type { Direction, Point } from "../../scene/flow";
import { Alarm } from "./alarm";
import { nameSpot, shortened, slotOffset } from "./node-name";
import { t } from "../../text/text";

export interface PillProps {
  pill: Pill;
  x: number;
  y: number;
  direction: Direction;
  active: boolean;
  failed: boolean;
  /** In its backward NaN or Inf begins. */
  spoils: boolean;
  /** How wide the name of its node may be. */
  nameRoom: number;
  /** It wrote over what a backward needs: its line, "" where that is not known; else null. */
  overwrite: string | null;
  dimmed: boolean;
  /** It was not in the iteration before. */
  fresh: boolean;
  hatch: string;
  far: boolean;
}

/** An op on the wire, with the slots of what its node saved for backward. */
function PillView(props: PillProps) {
  const { pill, x, y, direction, active, failed, spoils, nameRoom, overwrite } = props;
  const { dimmed, fresh, hatch, far } = props;
  const { call, nodes, w, h } = pill;
  const node = nodes.at(-1);
  const state = [
    "gw-pill",
    // An error may speak of a node that did not fail (a gradient that was not kept).
    node ? `gw-${node.state === "failed" ? "done" : node.state}` : "gw-plain",
    active ? "gw-active" : "",
    failed || spoils ? "gw-failed" : "",
    overwrite !== null ? "gw-overwrite" : "",
    node?.freed ? "gw-freed" : "",
    call.inplace ? "gw-inplace" : "",
    dimmed ? "gw-dimmed" : "",
    fresh ? "gw-fresh" : "",
  ];
  return (
    <g
      class={state.join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="op"
      data-op={call.call}
      data-node={node?.node}
      data-key={pill.key}
      tabindex={-1}
      role="group"
      aria-label={describe(pill)}
    >
      {!far && <title>{describe(pill)}</title>}
      {active && <rect class="gw-glow" x={-4} y={-4} width={w + 8} height={h + 8} rx={h / 2 + 4} />}
      <rect class="gw-body" width={w} height={h} rx={h / 2} />
      <text class="gw-sign" x={w / 2} y={h / 2 + 4.5}>
        {pill.sign}
      </text>
      {(active || failed) && node && (
        <NodeName name={node.name} room={nameRoom} {...{ pill, direction }} />
      )}
      {overwrite && <OverwriteLine {...{ pill, direction }} line={overwrite} />}
      {spoils && <Alarm text={t.picture.cards.becomesNan} x={w - 2} y={1} />}
      {node?.state === "done" && !spoils && overwrite === null && !far && (
        <g class="gw-tick" transform={`translate(${w - 7} -4)`}>
          <circle cx={5} cy={5} r={6} />
          <path d="M2.2 5.2L4.3 7.3L8 3" />
        </g>
      )}
      {drawnSlots(pill.slots).map(([slot, i]) => {
        if (far && slot.state !== "stale") return null;
        const at = slotOffset(pill, i, direction);
        return <SlotView key={slot.key} {...{ slot, at, hatch, far }} w={pill.slotW} />;
      })}
    </g>
  );
}

export const PillNode = memo(PillView);

/** The name of the running node, as far as there is room. */
function NodeName(props: { pill: Pill; name: string; direction: Direction; room: number }) {
  const { pill, name, direction, room } = props;
  const text = shortened(name, room);
  return (
    <text
      class="gw-node-name"
      {...nameSpot(pill, direction)}
      text-anchor={direction === "LR" ? "middle" : "start"}
    >
      {text !== name && <title>{name}</title>}
      {text}
    </text>
  );
}

/** The line of what wrote over a saved value, where no slot hangs and no wire comes. */
function OverwriteLine({
  pill,
  line,
  direction,
}: {
  pill: Pill;
  line: string;
  direction: Direction;
}) {
  const at =
    direction === "LR"
      ? ({ x: pill.w / 2, y: -6, "text-anchor": "middle" } as const)
      : ({ x: -7, y: pill.h / 2 + 4, "text-anchor": "end" } as const);
  return (
    <text class="gw-node-name" {...at}>
      {line}
    </text>
  );
}

/** The slots with their places; empty ones are drawn as one, their room stays. */
function drawnSlots(slots: readonly Slot[]): [Slot, number][] {
  const found: [Slot, number][] = [];
  slots.forEach((slot, i) => {
    const last = found.at(-1);
    const alike = last?.[0].state === slot.state && slot.state in LEFT;
    if (last && alike) last[0] = { ...last[0], count: last[0].count + slot.count };
    else found.push([slot, i]);
  });
  return found;
}

/** The word of a slot that does not hold its tensor, in the texts. */
const LEFT = {
  empty: "freed",
  gone: "unused",
  packed: "packed",
  recomputed: "recomputed",
} as const;

const isLeft = (state: Slot["state"]): state is keyof typeof LEFT => state in LEFT;

interface SlotProps {
  slot: Slot;
  w: number;
  at: Point;
  hatch: string;
  far: boolean;
}

function SlotView({ slot, w, at, hatch, far }: SlotProps) {
  const { row, state, count } = slot;
  const words = t.picture.slots;
  const saved = count > 1 ? words.saved : undefined;
  const word = isLeft(state) ? words[LEFT[state]] : saved;
  return (
    <g
      class={`gw-slot gw-slot-${state}`}
      transform={`translate(${at.x} ${at.y})`}
      data-testid="slot"
      data-slot={row.slot}
      data-index={slot.index}
      data-state={state}
      data-node={slot.node}
    >
      <title>{slotWords(slot)}</title>
      <rect width={w} height={SLOT_H} rx={3} />
      {state === "stale" && (
        <rect width={w} height={SLOT_H} rx={3} style={{ fill: `url(#${hatch})` }} />
      )}
      {word !== undefined && !far && (
        <text class="gw-slot-name" x={w / 2} y={12} text-anchor="middle">
          {count > 1 ? words.counted(count, word) : word}
        </text>
      )}
      {word === undefined && !far && (
        <>
          <text class="gw-slot-name" x={6} y={12}>
            {slot.name}
          </text>
          <text class="gw-slot-version" x={w - 5} y={12} text-anchor="end">
            {`v${row.version}`}
          </text>
        </>
      )}
    </g>
  );
}

function slotWords({ row, state, name, count }: Slot): string {
  const words = t.picture.slots;
  if (state === "packed") return words.isPacked;
  if (state === "recomputed") return words.isRecomputed;
  const what = count > 1 ? words.values(count) : words.value(row.slot, name, row.version ?? 0);
  if (state === "empty") return words.wasFreed(what);
  if (state === "gone") return words.wasUnused(what);
  return state === "stale" ? words.isStale(what) : words.forBackward(what);
}

function describe({ call, nodes, sign }: Pill): string {
  const node = nodes.at(-1);
  const params = Object.entries(call.params).map(([key, value]) => `${key}=${value}`);
  const more = params.length > 0 ? ` (${params.join(", ").slice(0, 200)})` : "";
  return `${call.op}${more} ${sign === call.op ? "" : sign} ${node ? `· ${node.name}` : `· ${t.picture.cards.noGradFn}`}`;
}
