/* What is inside the window: brackets, wires, boxes and labels that are in view. */

import { useComputed } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import type { Wire } from "../../graph/graph";
import { RAISED_KEY } from "../../graph/select/raised";
import type { Model } from "../../log/model";
import { birthsInBackward } from "../../log/not-finite";
import type { Rect } from "../../scene/flow";
import { rectOf, type Placed, type PlacedFrame, type Scene } from "../../scene/scene";
import type { Store } from "../../store/store";
import { inView, overlaps, type Camera } from "./camera";
import { CardNode } from "../card/card";
import { ChangeMarks, ChangeWires } from "../overlay/pass-marks";
import { FrameBody, FrameNode, GroupNode } from "../group/group";
import { nameRoom } from "../card/node-name";
import { PillNode } from "../card/pill";
import { readingOf } from "./look";
import { GuessMark } from "../overlay/guess-mark";
import { staleArrows, StaleArrows } from "../overlay/stale-arrows";
import type { ViewState } from "../view-state";
import { flowOf, HookBadges, LabelNode, WireNode } from "./wires";
import { t } from "../../text/text";

interface Props {
  store: Store;
  view: ViewState;
  moving: boolean;
}

/** Everything inside the window, drawn where the camera looks. */
export function Picture({ store, view, moving }: Props) {
  const id = useId().replace(/\W/g, "");
  const { x, y, k } = view.camera.value;
  return (
    <>
      <Definitions id={id} />
      <g
        class={`gw-camera ${moving || !view.auto.value ? "gw-still" : ""}`}
        style={{ transform: `translate(${x}px, ${y}px) scale(${k})` }}
      >
        <Contents store={store} view={view} id={id} />
      </g>
    </>
  );
}

function Definitions({ id }: { id: string }) {
  const arrow = (name: string, size: number) => (
    <marker
      id={`${name}-${id}`}
      class={`gw-${name}`}
      viewBox="0 0 8 8"
      refX={6.5}
      refY={4}
      markerWidth={size}
      markerHeight={size}
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 0L8 4L0 8Z" />
    </marker>
  );
  return (
    <defs>
      {arrow("warm-arrow", 8)}
      {arrow("stale-head", 13)}
      <pattern
        id={`hatch-${id}`}
        class="gw-hatch"
        width={6}
        height={6}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0V6" />
      </pattern>
    </defs>
  );
}

function Contents({ store, view, id }: { store: Store; view: ViewState; id: string }) {
  const scene = store.drawnScene.value;
  const model = store.model.value;
  const window = useComputed(() => coarse(view.camera.value, view.size.value));
  const far = useComputed(() => view.camera.value.k < readingOf(store.drawnScene.value)).value;
  const area = parseArea(window.value);
  const boxes = [...scene.boxes.values()].filter((placed) =>
    overlaps(rectOf(placed, scene.direction), area),
  );
  const frames = [...scene.frames.values()].filter((placed) => overlaps(placed, area));
  const arrows = staleArrows(model, scene, store.shown.hazards.value);
  const overwrite = new Map(arrows.map(({ writer }) => [writer.placed.box.key, writer.line ?? ""]));
  return (
    <>
      <g class="gw-frame-bodies">
        {frames.map((placed) => (
          <FrameBody key={placed.place} placed={placed} />
        ))}
      </g>
      <Brackets scene={scene} area={area} />
      <Wires store={store} scene={scene} model={model} area={area} id={id} />
      <ChangeWires store={store} />
      <Frames store={store} view={view} frames={frames} />
      {!far && <HookBadges model={model} wires={scene.wires} />}
      <Boxes {...{ store, scene, boxes, overwrite, id, far }} />
      {scene.gaps !== "brief" && <Labels {...{ store, scene, model, area, far }} />}
      <ChangeMarks store={store} />
      <StaleArrows arrows={arrows} head={`stale-head-${id}`} />
      <GuessMark store={store} />
    </>
  );
}

/**
 * The part of the plane to have in the DOM, as text, in steps: panning by a few pixels gives the
 * same text, and nothing is drawn anew.
 */
function coarse(camera: Camera, size: ViewState["size"]["value"]): string {
  const area = inView(camera, size);
  const step = Math.max(50, area.w / 8);
  const snap = (n: number, round: (n: number) => number): number => round(n / step) * step;
  const [x, y] = [snap(area.x, Math.floor), snap(area.y, Math.floor)];
  const [right, bottom] = [snap(area.x + area.w, Math.ceil), snap(area.y + area.h, Math.ceil)];
  return [x, y, right - x, bottom - y].join(" ");
}

function parseArea(text: string): Rect {
  const [x = 0, y = 0, w = 0, h = 0] = text.split(" ").map(Number);
  return { x, y, w, h };
}

function Brackets({ scene, area }: { scene: Scene; area: Rect }) {
  return (
    <g class="gw-brackets">
      {scene.brackets
        .filter(({ label }) => overlaps({ ...label, w: 1, h: 1 }, area))
        .map(({ key, path, label }) => (
          <g key={key} data-testid="bracket">
            <path class="gw-bracket" d={path} />
            <text class="gw-bracket-label" x={label.x} y={label.y + 3}>
              {t.picture.cards.view}
            </text>
          </g>
        ))}
    </g>
  );
}

interface FramesProps {
  store: Store;
  view: ViewState;
  frames: readonly PlacedFrame[];
}

/** The titles of frames, over the wires: a title that stays in view as the picture is dragged
 * stands where wires run. */
function Frames({ store, view, frames }: FramesProps) {
  const left = useComputed(() => inView(view.camera.value, view.size.value, 0).x);
  return (
    <g class="gw-frames">
      {frames.map((placed) => (
        <FrameNode key={placed.place} onOpen={store.openGroup} {...{ placed, left }} />
      ))}
    </g>
  );
}

interface LayerProps {
  store: Store;
  scene: Scene;
  model: Model;
  area: Rect;
}

function Wires({ store, scene, model, area, id }: LayerProps & { id: string }) {
  const active = store.activeNode.value;
  const run = store.shown.run.value;
  const paths = store.shown.pathsByWire.value;
  const related = store.related.value;
  return (
    <g class="gw-wires">
      {scene.wires
        .filter((drawn) => overlaps(drawn.box, area))
        .map((drawn) => {
          const flow = flowOf(model, drawn, active, run);
          const on = paths.get(drawn.wire.key) ?? "";
          return (
            <WireNode
              key={drawn.wire.key}
              drawn={drawn}
              grad={flow?.grad ?? null}
              now={flow?.now ?? false}
              old={flow?.old ?? false}
              arrow={`warm-arrow-${id}`}
              paths={on}
              dimmed={paths.size > 0 ? on === "" : away(related, drawn.wire)}
            />
          );
        })}
    </g>
  );
}

/** Whether a wire joins nothing that is related to what is selected. */
function away(related: ReadonlySet<string> | null, { from, to }: Wire): boolean {
  return related !== null && !(related.has(from) && related.has(to));
}

function Labels({ store, scene, model, area, far }: LayerProps & { far: boolean }) {
  const active = store.activeNode.value;
  const run = store.shown.run.value;
  return (
    <g class="gw-labels">
      {scene.wires
        .filter((drawn) => drawn.wire.way !== "out" && overlaps(drawn.box, area))
        .map((drawn) => {
          const flow = flowOf(model, drawn, active, run);
          if (!flow?.grad) return null;
          const { grad, now, old } = flow;
          return <LabelNode key={drawn.wire.key} {...drawn.label} {...{ grad, now, old, far }} />;
        })}
    </g>
  );
}

interface BoxesProps {
  store: Store;
  scene: Scene;
  boxes: readonly Placed[];
  /** The lines of what wrote over saved values, by box. */
  overwrite: ReadonlyMap<string, string>;
  id: string;
  far: boolean;
}

function Boxes({ store, scene, boxes, overwrite, id, far }: BoxesProps) {
  const selected = store.selected.value;
  const active = store.activeNode.value;
  const wrong = store.shown.wrong.value;
  const broken = store.shown.failed.value;
  const spoiling = new Set(birthsInBackward(store.model.value));
  const lit = store.shown.lit.value ?? store.related.value;
  const [storage, setStorage] = useState<number | null>(null);
  return (
    <g class="gw-boxes">
      {boxes.map(({ box, x, y, place, fresh }) => {
        const dimmed = lit !== null && !lit.has(box.key);
        if (box.kind === "group") {
          return (
            <GroupNode
              key={place}
              {...{ x, y, dimmed, fresh, far }}
              group={box}
              active={active !== null && box.nodes.has(active)}
              onOpen={store.openGroup}
            />
          );
        }
        if (box.kind === "pill") {
          const node = box.nodes.some((n) => n.node === active);
          const failed = box.key === RAISED_KEY || box.nodes.some((n) => broken.has(n.node));
          const spoils = box.nodes.some((n) => spoiling.has(n));
          const { direction } = scene;
          const hatch = `hatch-${id}`;
          return (
            <PillNode
              key={place}
              {...{ x, y, direction, failed, spoils, dimmed, fresh, hatch, far }}
              pill={box}
              active={node}
              nameRoom={node || failed ? nameRoom(box, { x, y }, scene) : 0}
              overwrite={overwrite.get(box.key) ?? null}
            />
          );
        }
        const { value } = box.value;
        const peer = box.shared && box.value.storage === storage;
        return (
          <CardNode
            key={place}
            {...{ x, y, dimmed, fresh, peer, far }}
            card={box}
            onStorage={setStorage}
            selected={selected === value}
            root={store.connection.value !== "offline" && store.shown.roots.value.has(value)}
            wrong={wrong === value}
            onSelect={store.select}
            onPin={store.connection.value === "offline" ? null : store.retainGrad}
          />
        );
      })}
    </g>
  );
}
