import { writeAt, type ErrorRow, type Hazard, type Model } from "../model";
import type { Pill } from "../graph/boxes";
import { rectOf, type Placed, type Point, type Scene } from "../scene";
import { slotOffset } from "./pill";
import { SLOT_H } from "../graph/boxes";

/** One bold arrow from the write to the slot that it made stale. */
export interface StaleMark {
  readonly key: string;
  readonly path: string;
  readonly label: Point;
  readonly text: string;
}

/** The arrows to draw: from what wrote last to every stale slot that is in the picture. */
export function staleMarks(model: Model, scene: Scene, hazards: readonly Hazard[]): StaleMark[] {
  return hazards.flatMap(({ node, slot, index }) => {
    const owner = [...scene.boxes.values()].find(
      ({ box }) => box.kind === "pill" && box.nodes.some((n) => n.node === node.node),
    );
    const write = writeAt(model, slot.storage, slot.stale[0] ?? -1);
    const from =
      scene.boxes.get(`c${write?.call ?? -1}`) ??
      scene.boxes.get(`v${write?.base ?? write?.value ?? -1}`);
    if (!owner || !from) return [];
    const to = slotCentre(owner, node.node, index, scene);
    if (!to) return [];
    const source = rectOf(from, scene.direction);
    const start = { x: source.x + source.w / 2, y: source.y + source.h };
    const version = write ? `v${write.version}` : "";
    return [
      { key: `${node.node}:${index}`, ...arc(start, to, source.y), text: `wrote ${version}` },
    ];
  });
}

/** The wanted end: beside the slot, on the side nearer to the write. */
function slotCentre(
  { box, x, y }: Placed,
  node: number,
  index: number,
  scene: Scene,
): { left: Point; right: Point; below: Point } | null {
  const pill = box as Pill;
  const i = pill.slots.findIndex((slot) => slot.node === node && slot.index === index);
  if (i < 0) return null;
  const at = slotOffset(pill, i, scene.direction);
  const middle = y + at.y + SLOT_H / 2;
  return {
    left: { x: x + at.x - 3, y: middle },
    right: { x: x + at.x + pill.slotW + 3, y: middle },
    below: { x: x + at.x + pill.slotW / 2, y: y + at.y + SLOT_H + 3 },
  };
}

function arc(
  start: Point,
  slot: { left: Point; right: Point; below: Point },
  _top: number,
): { path: string; label: Point } {
  const leftward = start.x > slot.right.x;
  const end = leftward ? slot.right : start.x < slot.left.x ? slot.left : slot.below;
  const out = leftward ? 1 : -1;
  const distance = Math.abs(start.x - end.x);
  const depth = Math.max(start.y, end.y) + Math.min(46, 18 + distance / 5);
  const c1 = { x: start.x, y: depth };
  const c2 =
    end === slot.below
      ? { x: end.x, y: depth }
      : { x: end.x + out * Math.max(30, distance / 2), y: end.y + 2 };
  const path = `M${start.x} ${start.y + 2}C${c1.x} ${c1.y} ${c2.x} ${c2.y} ${end.x} ${end.y}`;
  const label = {
    x: (start.x + 3 * c1.x + 3 * c2.x + end.x) / 8,
    y: (start.y + 3 * c1.y + 3 * c2.y + end.y) / 8,
  };
  return { path, label };
}

/** What an error points at in the picture, besides its node. */
export function wrongValue(error: ErrorRow | null): number | null {
  return error && (error.kind === "leaf" || error.kind === "none") ? error.value : null;
}

export function Marks({ marks, arrow }: { marks: readonly StaleMark[]; arrow: string }) {
  return (
    <g class="gw-marks">
      {marks.map(({ key, path, label, text }) => (
        <g key={key} data-testid="stale-arrow">
          <path class="gw-stale-halo" d={path} />
          <path class="gw-stale-arrow" d={path} marker-end={`url(#${arrow})`} />
          <g class="gw-stale-label" transform={`translate(${label.x} ${label.y})`}>
            <rect x={-32} y={-9} width={64} height={17} rx={4} />
            <text y={3.5}>{text}</text>
          </g>
        </g>
      ))}
    </g>
  );
}
