/* Groups: closed ones as boxes (known modules as pills), open ones as frames. */

import type { ReadonlySignal } from "@preact/signals";
import { memo } from "preact/compat";
import type { GroupBox, GroupFacts } from "../../graph/draw/boxes";
import { frameTitleWidth, gradText, sizeText, timesWidth } from "../../graph/draw/group-box";
import type { PlacedFrame } from "../../scene/scene";
import { Alarm } from "../card/alarm";
import { t } from "../../text/text";

export interface GroupProps {
  group: GroupBox;
  x: number;
  y: number;
  /** A node inside runs in the step shown. */
  active: boolean;
  dimmed: boolean;
  /** It was not in the iteration before. */
  fresh: boolean;
  /** Seen from afar: the name alone. */
  far: boolean;
  onOpen: (place: string, open: boolean) => void;
}

/** A closed group: what it is called, and what matters of what is inside. */
function GroupView({ group, x, y, active, dimmed, fresh, far, onOpen }: GroupProps) {
  const { facts, w, h } = group;
  const state = [
    "gw-closed",
    facts.sign === null ? "" : "gw-known",
    group.brief ? "gw-brief" : "",
    `gw-${facts.state}`,
    active ? "gw-active" : "",
    dimmed ? "gw-dimmed" : "",
    fresh ? "gw-fresh" : "",
    facts.trouble === null ? "" : "gw-trouble",
  ];
  const open = (): void => {
    onOpen(facts.place, true);
  };
  return (
    <g
      class={state.join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="group"
      data-key={group.key}
      data-kind={facts.kind}
      {...button(t.picture.groups.open(wordsOf(facts)), false, open)}
    >
      <title>{wordsOf(facts)}</title>
      {active && <rect class="gw-glow" x={-4} y={-4} width={w + 8} height={h + 8} rx={14} />}
      {facts.times > 1 && (
        <>
          <rect class="gw-group-body" x={8} y={-8} width={w - 8} height={h} rx={8} />
          <rect class="gw-group-body" x={4} y={-4} width={w - 4} height={h} rx={8} />
        </>
      )}
      <rect class="gw-group-body" width={w} height={h} rx={facts.sign === null ? 8 : h / 2} />
      {facts.sign === null ? <Facts {...{ group, far }} /> : <Known {...{ group, far }} />}
      {facts.times > 1 && !far && <Times times={facts.times} w={w} />}
      {facts.trouble !== null && <Alarm text={facts.trouble} x={w - 6} y={h - 4} />}
      {facts.state === "done" && !far && (
        <g class="gw-tick" transform={`translate(${w - 10} -4)`}>
          <circle cx={5} cy={5} r={6} />
          <path d="M2.2 5.2L4.3 7.3L8 3" />
        </g>
      )}
    </g>
  );
}

export const GroupNode = memo(GroupView);

function Facts({ group, far }: Pick<GroupProps, "group" | "far">) {
  const { facts, title, label, h } = group;
  return (
    <>
      <text class="gw-name" x={13} y={far ? h / 2 + 5 : 21}>
        {title}
        {label !== "" && !far && (
          <tspan class="gw-class" dx={8}>
            {label}
          </tspan>
        )}
      </text>
      {!far && (
        <>
          <text class="gw-meta" x={13} y={38}>
            {sizeText(facts)}
            {facts.shape !== "" && ` → ${facts.shape}`}
          </text>
          <text class="gw-group-grad" x={13} y={54}>
            {gradText(facts)}
          </text>
        </>
      )}
    </>
  );
}

/** A module known as one thing: its sign, and under it what it is called. */
function Known({ group, far }: Pick<GroupProps, "group" | "far">) {
  const { title, label, w, h } = group;
  return (
    <>
      <text class="gw-sign" x={w / 2} y={far ? h / 2 + 4.5 : 18}>
        {title}
      </text>
      {!far && (
        <text class="gw-class" x={w / 2} y={33} text-anchor="middle">
          {label}
        </text>
      )}
    </>
  );
}

function Times({ times, w }: { times: number; w: number }) {
  const text = `×${times}`;
  const room = timesWidth(times);
  return (
    <g class="gw-times" transform={`translate(${w - room - 10} 8)`}>
      <rect width={room} height={17} rx={8} />
      <text x={room / 2} y={12.5}>
        {text}
      </text>
    </g>
  );
}

export interface FrameProps {
  placed: PlacedFrame;
  /** The left end of what is in view. */
  left: ReadonlySignal<number>;
  onOpen: GroupProps["onOpen"];
}

/** The quiet frame of an open group, under all that stands in it. */
export const FrameBody = memo(({ placed }: Pick<FrameProps, "placed">) => {
  const { x, y, w, h } = placed;
  return (
    <rect
      class="gw-frame gw-frame-body"
      style={{ transform: `translate(${x}px, ${y}px)` }}
      width={w}
      height={h}
      rx={10}
    />
  );
});

/** An open group: its name on top of the frame. */
function FrameView({ placed, left, onOpen }: FrameProps) {
  const { frame, x, y } = placed;
  const { facts, key } = frame;
  return (
    <g
      class={facts.trouble === null ? "gw-frame" : "gw-frame gw-trouble"}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="frame"
      data-key={key}
      data-kind={facts.kind}
    >
      <StickyTitle {...{ placed, left, onOpen }} />
    </g>
  );
}

export const FrameNode = memo(FrameView);

/** A frame's title at its left end or, where that is out of view, at the window's: in the midst of
 * a long part of the program it says which it is. */
function StickyTitle({ placed, left, onOpen }: FrameProps) {
  const { frame, x, w } = placed;
  const width = Math.min(w, frameTitleWidth(frame.facts) + 8);
  const shift = Math.min(Math.max(0, left.value - x), w - width);
  return <FrameTitle facts={frame.facts} {...{ width, shift, onOpen }} />;
}

interface TitleProps {
  facts: GroupFacts;
  width: number;
  shift: number;
  onOpen: GroupProps["onOpen"];
}

/** What an open group is called, which is the button that closes it. */
const FrameTitle = memo(({ facts, width, shift, onOpen }: TitleProps) => {
  const close = (): void => {
    onOpen(facts.place, false);
  };
  return (
    <g
      {...button(t.picture.groups.close(wordsOf(facts)), true, close)}
      class={shift === 0 ? "gw-frame-title" : "gw-frame-title gw-sticky"}
      transform={shift === 0 ? undefined : `translate(${shift})`}
    >
      <title>{t.picture.groups.closeTitle(wordsOf(facts))}</title>
      <rect class="gw-hit" width={width} height={26} />
      <rect class="gw-frame-plate" x={5} y={3} width={width - 8} height={21} rx={5} />
      <path class="gw-fold" d="M10 10L14 14L18 10" />
      <text class="gw-frame-name" x={25} y={17}>
        {facts.title}
        {facts.subtitle !== "" && (
          <tspan class="gw-class" dx={7}>
            {facts.subtitle}
          </tspan>
        )}
      </text>
    </g>
  );
});

/** What makes a part of the picture a button, also for the keyboard. */
function button(label: string, expanded: boolean, run: () => void) {
  return {
    tabindex: 0,
    role: "button",
    "aria-expanded": expanded,
    "aria-label": label,
    onClick: (event: Event) => {
      event.stopPropagation();
      run();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.stopPropagation();
      run();
    },
  } as const;
}

/** A group in words, for tooltips and screen readers. */
export function wordsOf(facts: GroupFacts): string {
  const { title, subtitle, times, kind, shape, norm, stepped, trouble } = facts;
  const words = t.picture.groups;
  const own = `${title}${subtitle === "" ? "" : ` ${subtitle}`}`;
  const parts = [times > 1 && kind !== "loop" ? words.times(times, own) : own, sizeText(facts)];
  if (shape !== "") parts.push(words.gives(shape));
  if (norm !== null) parts.push(norm);
  if (stepped !== null) {
    parts.push(stepped === "stepped" ? words.stepped : words.steppedBy(stepped));
  }
  if (trouble !== null) parts.push(trouble);
  return parts.join(words.comma);
}
