/*
 * What a widget holds that is not computed from anything else: how much of the log is there, the
 * moment shown, and what the user chose. `derived.ts` computes the rest.
 */

import { signal } from "@preact/signals";
import type { Pause } from "../kernel/protocol";
import type { Step } from "../replay/steps";
import type { Direction } from "../scene/flow";
import type { Problem } from "./find";
import { t } from "../text/text";

/** Whether there is a kernel behind the page; it may not have answered yet. */
export type Connection = "offline" | "waiting" | "live";

/** Something to tell the user for a while: a refusal, a jump to the present. */
export interface Notice {
  readonly text: string;
  readonly tone: "info" | "error";
}

/** A problem that was asked for, and the moment in which it was. */
export interface Asked extends Problem {
  /** Which of the slots of its node is meant; the first that is stale, where that is not said. */
  readonly slot: number | null;
  readonly time: number;
}

export type State = ReturnType<typeof createState>;

export function createState() {
  return {
    /** The time of the oldest event kept, and the time after the newest. */
    first: signal(0),
    end: signal(0),
    steps: signal<readonly Step[]>([]),
    /** The significant digits of all numbers, where they were rounded to make the page smaller. */
    digits: signal<number | null>(null),
    /** A long log is being read: nothing of it is shown yet. */
    loading: signal(false),
    connection: signal<Connection>("waiting"),
    /** Why nothing can be asked of a kernel, while the page is offline. */
    why: signal(t.bars.notices.recording),
    /** The run that waits in the running cell. */
    pause: signal<Pause | null>(null),
    /** What was asked of the kernel waits for the cell that it runs. */
    queued: signal(false),
    /** The log cannot be read: a sentence saying why. */
    fault: signal<string | null>(null),
    notice: signal<Notice | null>(null),

    /** Null follows the present; otherwise the moment shown. */
    cursor: signal<number | null>(null),
    playing: signal(false),
    speed: signal(1),

    /** The user moved through time since the newest cell began: the camera goes with the steps. */
    walked: signal(false),
    /** An iteration that was asked for but has no stored details: its scalars are shown. */
    lostIteration: signal<{ readonly loop: number; readonly iteration: number } | null>(null),

    selected: signal<number | null>(null),
    /** The box that is selected when it is no value's: a call's pill, a group; by key. */
    chosen: signal<string | null>(null),
    /** The other end that the user chose for the paths of the selected value. */
    otherEnd: signal<number | null>(null),
    /** The one path that the user points at. */
    onePath: signal<number | null>(null),

    /** Groups that the user opened (true) or closed (false), by place; others are as by default. */
    opened: signal<ReadonlyMap<string, boolean>>(new Map()),
    /** The group that the user opened last, by place; a new object each time. */
    unfolded: signal<{ readonly place: string } | null>(null),
    /** The box that the reader asked for, or a value, call or node; a new object each time. */
    sought: signal<{ readonly key: string } | null>(null),

    /** The problem that the reader went to last. */
    asked: signal<Asked | null>(null),

    wantedDirection: signal<"auto" | Direction>("auto"),
    /** Also graphs that the newest cell did not touch. */
    everything: signal(false),
    /** How often the picture was laid out anew, as if it were seen for the first time. */
    tidied: signal(0),
    /** Room for the picture, in pixels. */
    room: signal<{ readonly w: number; readonly h: number }>({ w: 900, h: 330 }),
    /** How high the widget becomes by itself at most, in pixels. */
    highest: signal(640),
    /** The height that the user gave the widget, in pixels. */
    height: signal<number | null>(null),
  } as const;
}
