/*
 * What a widget holds that is not computed from anything else: how much of the log is there, the
 * moment shown, and what the user chose. `derived.ts` computes the rest.
 */

import { signal } from "@preact/signals";
import type { Step } from "../replay/steps";
import type { Direction } from "../scene/flow";

/** Whether there is a kernel behind the page; it may not have answered yet. */
export type Connection = "offline" | "waiting" | "live";

/** Something to tell the user for a while: a refusal, a jump to the present. */
export interface Notice {
  readonly text: string;
  readonly tone: "info" | "error";
}

export type State = ReturnType<typeof createState>;

export function createState() {
  return {
    /** The time of the oldest event held, and the time after the newest. */
    first: signal(0),
    end: signal(0),
    steps: signal<readonly Step[]>([]),
    connection: signal<Connection>("waiting"),
    /** The log cannot be read: a sentence saying why. */
    fault: signal<string | null>(null),
    notice: signal<Notice | null>(null),

    /** Null follows the present; otherwise the moment shown. */
    cursor: signal<number | null>(null),
    playing: signal(false),
    speed: signal(1),

    selected: signal<number | null>(null),
    /** The other end that the user chose for the paths of the selected value. */
    otherEnd: signal<number | null>(null),
    /** The one path that the user points at. */
    onePath: signal<number | null>(null),

    wantedDirection: signal<"auto" | Direction>("auto"),
    /** Also graphs that the newest cell did not touch. */
    everything: signal(false),
    /** How often the picture was laid out anew, as if it were seen for the first time. */
    tidied: signal(0),
    /** Room for the picture, in pixels. */
    width: signal(900),
  } as const;
}
