/* What an optimization pass changed, marked in the picture by colour and sign. */

import { callKey, scopeKey, valueKey } from "../../graph/keys";
import type { Change, Changes } from "../../graph/changes";
import type { Model } from "../../log/model";
import type { Direction, Rect } from "../../scene/flow";
import { rectOf, type Scene } from "../../scene/scene";
import { newReads } from "../../store/optimization-passes";
import type { Store } from "../../store/store";
import { union } from "../stage/camera";
import { t } from "../../text/text";

export const SIGNS: Readonly<Record<Change, string>> = {
  removed: "−",
  added: "+",
  known: "=",
  fused: "∘",
  rewired: "→",
  over: "↻",
};

interface Mark {
  readonly key: string;
  readonly change: Change;
  readonly rect: Rect;
  readonly round: number;
}

/** The key of a value's card, or of the op that made it where the value is a wire. */
function cardOf(scene: Scene, model: Model, value: number): string {
  const call = model.values.get(value)?.call ?? null;
  return scene.boxes.has(valueKey(value)) || call === null ? valueKey(value) : callKey(call);
}

/** What stands where, and what became of it. */
function marksOf(scene: Scene, model: Model, { calls, values, pass }: Changes): Mark[] {
  const marks = new Map<string, Mark>();
  const add = (key: string, change: Change): void => {
    const placed = scene.boxes.get(key);
    const frame = scene.frames.get(key);
    if (frame) marks.set(key, { key, change, rect: frame, round: 10 });
    if (!placed) return;
    const round = placed.box.kind === "pill" ? placed.box.h / 2 + 3 : 9;
    marks.set(key, { key, change, rect: rectOf(placed, scene.direction), round });
  };
  for (const [value, change] of values) {
    add(change === "over" ? cardOf(scene, model, value) : valueKey(value), change);
  }
  for (const [call, change] of calls) if (change !== "fused") add(callKey(call), change);
  for (const [call, , block] of pass.steps) {
    if (block !== null && calls.get(call) === "fused") add(scopeKey(block), "fused");
  }
  return [...marks.values()];
}

/** Where what the pass changed stands; where it changed nothing, the end of the program. */
export function changedRect(store: Store, scene: Scene): Rect | null {
  const changes = store.changes.value;
  if (!changes) return null;
  const rects = marksOf(scene, store.model.value, changes).map(({ rect }) => rect);
  const last = changes.pass.wanted.flatMap((value) => rectIn(scene, valueKey(value)) ?? []);
  const [first, ...others] = rects.length > 0 ? rects : last;
  return first ? others.reduce(union, first) : null;
}

/** Over the boxes: a frame and a sign on each that changed. */
export function ChangeMarks({ store }: { store: Store }) {
  const changes = store.changes.value;
  if (!changes || store.look.value !== "changes") return null;
  const scene = store.drawnScene.value;
  return (
    <g class="gw-changes">
      {marksOf(scene, store.model.value, changes).map(
        ({ key, change, rect: { x, y, w, h }, round }) => (
          <g
            key={key}
            class={`gw-change gw-change-${change}`}
            data-testid="change"
            data-change={change}
            data-of={key}
          >
            <rect
              class="gw-change-frame"
              x={x - 3}
              y={y - 3}
              width={w + 6}
              height={h + 6}
              rx={round}
            />
            {change === "removed" && <path d={`M${x} ${y + h}L${x + w} ${y}`} />}
            <g class="gw-change-sign">
              <title>{t.bars.passTable.marks[change]}</title>
              <circle cx={x + 1} cy={y} r={8.5} />
              <text x={x + 1} y={y + 4.5}>
                {SIGNS[change]}
              </text>
            </g>
          </g>
        ),
      )}
    </g>
  );
}

/** Under the boxes: wires that came and went, and results that share an operand's memory. */
export function ChangeWires({ store }: { store: Store }) {
  const changes = store.changes.value;
  const look = store.look.value;
  if (!changes || look === "after") return null;
  const scene = store.drawnScene.value;
  const model = store.model.value;
  return (
    <g class={`gw-change-wires gw-look-${look}`}>
      {changes.reads.map(([call, value]) => {
        const path = wirePath(scene, cardOf(scene, model, value), callKey(call));
        return path && <path key={`${value}>${call}`} class="gw-change-removed" d={path} />;
      })}
      {look === "changes" && <Marked scene={scene} model={model} changes={changes} />}
    </g>
  );
}

function Marked({ scene, model, changes }: { scene: Scene; model: Model; changes: Changes }) {
  const { calls } = changes;
  const isNew = newReads(changes);
  return (
    <>
      {scene.wires.map(({ wire, forward }) => {
        const change =
          calls.get(wire.call) === "removed"
            ? "removed"
            : calls.get(wire.call) === "added" ||
                (wire.way === "in" && isNew(wire.call, wire.value))
              ? "added"
              : null;
        return change && <path key={wire.key} class={`gw-change-${change}`} d={forward} />;
      })}
      {[...changes.over].map(([result, operand]) => {
        const path = aside(scene, cardOf(scene, model, operand), cardOf(scene, model, result));
        return path && <path key={`o${result}`} class="gw-change-over" d={path} />;
      })}
    </>
  );
}

function rectIn(scene: Scene, key: string): Rect | null {
  const placed = scene.boxes.get(key);
  return placed ? rectOf(placed, scene.direction) : null;
}

/** A wire that is not in the picture any more, from one box to another. */
function wirePath(scene: Scene, from: string, to: string): string | null {
  const [a, b] = [rectIn(scene, from), rectIn(scene, to)];
  if (!a || !b) return null;
  const [start, end] = ends(a, b, scene.direction);
  const [dx, dy] =
    scene.direction === "LR" ? [(end.x - start.x) / 2, 0] : [0, (end.y - start.y) / 2];
  return `M${start.x} ${start.y}C${start.x + dx} ${start.y + dy} ${end.x - dx} ${end.y - dy} ${end.x} ${end.y}`;
}

function ends(a: Rect, b: Rect, direction: Direction) {
  return direction === "LR"
    ? ([
        { x: a.x + a.w, y: a.y + a.h / 2 },
        { x: b.x, y: b.y + b.h / 2 },
      ] as const)
    : ([
        { x: a.x + a.w / 2, y: a.y + a.h },
        { x: b.x + b.w / 2, y: b.y },
      ] as const);
}

/** A line beside the wires, from an operand to the result that takes its memory. */
function aside(scene: Scene, from: string, to: string): string | null {
  const [a, b] = [rectIn(scene, from), rectIn(scene, to)];
  if (!a || !b) return null;
  if (scene.direction === "LR") {
    const [x, end] = [a.x + a.w / 2, b.x + b.w / 2];
    const under = Math.max(a.y + a.h, b.y + b.h) + 26;
    return `M${x} ${a.y + a.h}C${x} ${under} ${end} ${under} ${end} ${b.y + b.h}`;
  }
  const [y, end] = [a.y + a.h / 2, b.y + b.h / 2];
  const right = Math.max(a.x + a.w, b.x + b.w) + 26;
  return `M${a.x + a.w} ${y}C${right} ${y} ${right} ${end} ${b.x + b.w} ${end}`;
}
