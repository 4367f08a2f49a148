/* The arrows from a write to the saved values that it made stale. */

import { shortPlace } from "../../explain/text";
import type { Hazard, Model, WriteRow } from "../../log/model";
import type { Pill } from "../../graph/draw/boxes";
import { SLOT_H } from "../../graph/draw/pills";
import { overwriteOf } from "../../graph/select/select";
import type { Direction, Point } from "../../scene/flow";
import { rectOf, type Placed, type Scene } from "../../scene/scene";
import { overlaps } from "../stage/camera";
import { writerOf } from "../stage/look";
import { slotOffset } from "../card/node-name";
import { t } from "../../text/text";

/** One bold arrow from the write to the slot that it made stale. */
export interface StaleArrow {
  readonly key: string;
  readonly path: string;
  /** The ends of the curve, from the write to the slot, and between them what it bends to. */
  readonly points: readonly [Point, Point, Point, Point];
  /** Where the write is named: on the longest of its arrows, where the most room is. */
  readonly label: Point | null;
  readonly text: string;
  readonly writer: ArrowEnd;
  readonly saver: ArrowEnd;
}

/** The box at one end of an arrow, with its line of the program where that is known. */
export interface ArrowEnd {
  readonly placed: Placed;
  readonly line: string | null;
}

/** The arrows to draw: from what wrote first to the stale slot, one for each node and write. */
export function staleArrows(model: Model, scene: Scene, hazards: readonly Hazard[]): StaleArrow[] {
  const arrows = new Map<string, StaleArrow>();
  const longest = new Map<WriteRow, { key: string; length: number }>();
  for (const hazard of hazards) {
    const { node, index } = hazard;
    const owner = [...scene.boxes.values()].find(
      ({ box }) => box.kind === "pill" && box.nodes.some((n) => n.node === node.node),
    );
    const write = overwriteOf(model, hazard);
    if (!write) continue;
    const from = writerOf(scene, write);
    const to = owner && slotSides(owner, node.node, index, scene);
    const key = `${node.node} ${write.time}`;
    if (!from || !owner || !to || arrows.has(key)) continue;
    const saved = node.call === null ? null : (model.calls.get(node.call)?.source ?? null);
    const curve = arrowTo(from, to, scene.direction);
    arrows.set(key, {
      key,
      ...curve,
      label: labelOn(curve.points, curve.label, scene),
      text: t.picture.cards.wrote(write.version),
      writer: { placed: from, line: shortPlace(model, write.source) },
      saver: { placed: owner, line: shortPlace(model, saved) },
    });
    const { x, y } = from;
    const length = Math.hypot(to.below.x - x, to.below.y - y);
    const known = longest.get(write);
    if (!known || length > known.length) longest.set(write, { key, length });
  }
  const named = new Set([...longest.values()].map(({ key }) => key));
  return [...arrows.values()].map((arrow) =>
    named.has(arrow.key) ? arrow : { ...arrow, label: null },
  );
}

interface Sides {
  readonly left: Point;
  readonly right: Point;
  readonly below: Point;
}

function slotSides(
  { box, x, y }: Placed,
  node: number,
  index: number,
  scene: Scene,
): Sides | undefined {
  const pill = box as Pill;
  const i = pill.slots.findIndex((slot) => slot.node === node && slot.index === index);
  if (i < 0) return undefined;
  const at = slotOffset(pill, i, scene.direction);
  const middle = y + at.y + SLOT_H / 2;
  return {
    left: { x: x + at.x - 2, y: middle },
    right: { x: x + at.x + pill.slotW + 2, y: middle },
    below: { x: x + at.x + pill.slotW / 2, y: y + at.y + SLOT_H + 2 },
  };
}

/** Round the free side: beside the column when the two stand in one, else from below. */
function arrowTo(from: Placed, slot: Sides, direction: Direction): Curve {
  const { box, x, y } = from;
  const middle = { x: x + box.w / 2, y: y + box.h / 2 };
  const aside = Math.abs(middle.x - slot.below.x);
  if (aside < box.w / 2 + 30) {
    // Slots stand under their pill, or to the right of it: the arrow goes round the other side.
    const rect = rectOf(from, direction);
    const [side, end] =
      direction === "LR" ? ([-1, slot.left] as const) : ([1, slot.right] as const);
    const edge = side < 0 ? x + 3 : rect.x + rect.w;
    const start = { x: edge, y: middle.y - Math.sign(middle.y - end.y) * 6 };
    const out = side < 0 ? Math.min(start.x, end.x) - 46 : Math.max(start.x, end.x) + 46;
    return curve(start, { x: out, y: start.y }, { x: out, y: end.y }, end);
  }
  const rect = rectOf(from, direction);
  const start = { x: middle.x, y: direction === "LR" ? rect.y + rect.h : y + box.h };
  const end = middle.x > slot.right.x ? slot.right : slot.left;
  const sign = end === slot.right ? 1 : -1;
  const depth = Math.max(start.y, end.y) + Math.min(60, 22 + aside / 6);
  return curve(
    start,
    { x: start.x, y: depth },
    { x: end.x + sign * Math.max(34, aside / 2), y: end.y + 3 },
    end,
    0.72,
  );
}

/** A curve, and how far along it the label stands best (behind what wrote it is hidden). */
type Curve = Pick<StaleArrow, "path" | "points"> & { readonly label: number };

function curve(a: Point, b: Point, c: Point, d: Point, label = 0.5): Curve {
  const path = `M${a.x} ${a.y}C${b.x} ${b.y} ${c.x} ${c.y} ${d.x} ${d.y}`;
  return { path, points: [a, b, c, d], label };
}

/** The size of a label. */
const LABEL_W = 64;
const LABEL_H = 17;

/** How far from its best place a label is moved along its arrow, to cover no box. */
const SHIFTS = [0, -0.1, 0.1, -0.2, 0.2, -0.3] as const;

/** Where a label stands on its arrow: where it covers no box, if there is such a place. */
function labelOn(points: StaleArrow["points"], best: number, scene: Scene): Point {
  const rects = [...scene.boxes.values()].map((placed) => rectOf(placed, scene.direction));
  const places = SHIFTS.map((shift) => along(points, best + shift));
  const free = ({ x, y }: Point): boolean => {
    const own = { x: x - LABEL_W / 2, y: y - LABEL_H / 2, w: LABEL_W, h: LABEL_H };
    return !rects.some((rect) => overlaps(rect, own));
  };
  return places.find(free) ?? along(points, best);
}

/** The point of a curve that is so far along it: 0 is its beginning, 1 its end. */
export function along([a, b, c, d]: StaleArrow["points"], t: number): Point {
  const [p, q, r, s] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  return {
    x: p * a.x + q * b.x + r * c.x + s * d.x,
    y: p * a.y + q * b.y + r * c.y + s * d.y,
  };
}

export function StaleArrows({ arrows, head }: { arrows: readonly StaleArrow[]; head: string }) {
  return (
    <g class="gw-stale-arrows">
      {arrows.map(({ key, path, label, text }) => (
        <g key={key} data-testid="stale-arrow">
          <path class="gw-stale-halo" d={path} />
          <path class="gw-stale-arrow" d={path} marker-end={`url(#${head})`} />
          {label && (
            <g class="gw-stale-label" transform={`translate(${label.x} ${label.y})`}>
              <rect x={-LABEL_W / 2} y={-9} width={LABEL_W} height={LABEL_H} rx={4} />
              <text y={3.5}>{text}</text>
            </g>
          )}
        </g>
      ))}
    </g>
  );
}
