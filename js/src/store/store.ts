import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Event } from "../log/events";
import { explainStep } from "../explain/step";
import type { Explanation } from "../explain/text";
import { called } from "../graph/names";
import { buildGraph, type Graph } from "../graph/graph";
import { focus, type Focus } from "../graph/focus";
import { hazards, type Hazard, type Model, type RunRow } from "../log/model";
import { parsePacked, type Command, type Message, type Receiver } from "../kernel/protocol";
import { Pictures } from "../scene/pictures";
import { Shown } from "./shown";
import { stepAt, Stepper, type Step } from "../replay/steps";
import type { Direction, Scene } from "../scene/scene";
import { Timeline } from "../log/timeline";

export type Connection = "offline" | "waiting" | "live";

/** Something to tell the user for a while: a refusal, a jump to the present. */
export interface Notice {
  readonly text: string;
  readonly tone: "info" | "error";
}

/**
 * The state of one widget, shared by all its views: the log, the cursor, and what the user
 * chose. Everything else is computed from them.
 */
export class Store implements Receiver {
  private readonly timeline = new Timeline();
  private stepper = new Stepper();
  private readonly pictures = new Pictures();
  /** Changes when the picture is to be laid out anew. */
  private readonly fresh = signal(0);
  readonly first = signal(0);
  readonly end = signal(0);
  readonly steps = signal<readonly Step[]>([]);

  /** Null follows the present; otherwise the moment shown. */
  readonly cursor = signal<number | null>(null);
  readonly selected = signal<number | null>(null);
  readonly hovered = signal<number | null>(null);
  readonly wantedDirection = signal<"auto" | Direction>("auto");
  readonly everything = signal(false);
  readonly playing = signal(false);
  readonly speed = signal(1);
  readonly width = signal(900);
  readonly notice = signal<Notice | null>(null);
  readonly connection = signal<Connection>("waiting");
  /** The log cannot be read: a sentence saying why. */
  readonly fault = signal<string | null>(null);

  readonly shown: Shown;

  send: (command: Command) => boolean = () => false;

  constructor() {
    this.shown = new Shown(this);
  }

  readonly time: ReadonlySignal<number> = computed(() =>
    Math.max(this.first.value, this.cursor.value ?? this.end.value),
  );
  readonly model: ReadonlySignal<Model> = computed(() => this.timeline.at(this.time.value));
  readonly present: ReadonlySignal<Model> = computed(() => this.timeline.at(this.end.value));
  /** The index of the step shown, -1 before the first. */
  readonly index: ReadonlySignal<number> = computed(() =>
    this.cursor.value === null
      ? this.steps.value.length - 1
      : stepAt(this.steps.value, this.time.value),
  );
  readonly step: ReadonlySignal<Step | null> = computed(
    () => this.steps.value[this.index.value] ?? null,
  );
  readonly stepEvents: ReadonlySignal<readonly Event[]> = computed(() => {
    const step = this.step.value;
    return step ? this.eventsOf(step) : [];
  });
  readonly explanation: ReadonlySignal<Explanation | null> = computed(() => {
    const step = this.step.value;
    return step ? explainStep(this.model.value, step, this.stepEvents.value) : null;
  });
  readonly hazards: ReadonlySignal<readonly Hazard[]> = computed(() => hazards(this.model.value));
  /** The node that the step shown ran. */
  readonly activeNode: ReadonlySignal<number | null> = computed(() => {
    const start = this.stepEvents.value.find((event) => event.event === "start");
    return start?.event === "start" ? start.node : null;
  });
  /** A run that waits for commands. */
  readonly liveRun: ReadonlySignal<RunRow | null> = computed(() => {
    const runs = [...this.present.value.runs.values()];
    return runs.findLast((run) => run.live && run.status === "running") ?? null;
  });

  readonly focus: ReadonlySignal<Focus> = computed(() =>
    focus(buildGraph(this.model.value), this.model.value, this.everything.value),
  );
  readonly graph: ReadonlySignal<Graph> = computed(() => this.focus.value.graph);
  /** The end of the cell that the cursor is in. */
  private readonly horizon: ReadonlySignal<number> = computed(() => {
    const time = this.time.value;
    return this.present.value.cellTimes.find((cell) => cell >= time) ?? this.end.value;
  });
  private readonly later: ReadonlySignal<Graph> = computed(() => {
    const model = this.timeline.at(this.horizon.value);
    return focus(buildGraph(model), model, this.everything.value).graph;
  });
  /** The graph at the horizon: what will be drawn of this cell, and where. */
  private readonly whole: ReadonlySignal<Graph> = computed(() =>
    this.horizon.value === this.time.value ? this.graph.value : this.later.value,
  );
  readonly direction: ReadonlySignal<Direction> = computed(() => {
    const wanted = this.wantedDirection.value;
    if (wanted !== "auto") return wanted;
    return this.pictures.suited(this.whole.value, this.width.value);
  });
  readonly scene: ReadonlySignal<Scene> = computed(() => {
    const direction = this.fresh.value >= 0 ? this.direction.value : "LR";
    return this.pictures.scene(this.graph.value, this.whole.value, direction);
  });

  eventsOf(step: Step): readonly Event[] {
    const events: Event[] = [];
    for (let time = step.from; time < step.to; time += 1) {
      const event = this.timeline.eventAt(time);
      if (event) events.push(event);
    }
    return events;
  }

  // The log ---------------------------------------------------------------------------------

  /** Takes in a packed log. */
  load(packed: unknown): void {
    try {
      const log = parsePacked(packed);
      if (log) this.take(log.first, log.events);
    } catch (error) {
      this.fault.value = error instanceof Error ? error.message : String(error);
    }
  }

  received(message: Message): void {
    this.connection.value = "live";
    if (message.type === "events") this.take(message.from, message.events);
    else this.notice.value = { text: message.why, tone: "error" };
  }

  counted(count: number): void {
    if (count > this.timeline.end) this.send({ type: "need", from: this.timeline.end });
  }

  /** Nobody answered: the kernel is busy, or there is none. */
  silent(): void {
    if (this.connection.value !== "waiting" || this.fault.value !== null) return;
    this.notice.value = {
      text: "The kernel has not answered yet. What is recorded can be replayed meanwhile.",
      tone: "info",
    };
  }

  failed(why: string): void {
    this.fault.value = why;
  }

  private take(from: number, events: readonly unknown[]): void {
    const { timeline } = this;
    const kind = Array.isArray(events[0]) ? (events[0] as unknown[])[0] : null;
    if (from > timeline.end && kind !== "snapshot") {
      this.send({ type: "need", from: timeline.end }); // something was lost on the way
      return;
    }
    try {
      batch(() => {
        if (from > timeline.end) {
          timeline.reset(from);
          this.stepper = new Stepper(from);
        }
        const known = timeline.end - from;
        const before = timeline.events.length;
        timeline.append(known > 0 ? events.slice(known) : events);
        this.stepper.push(timeline.events.slice(before));
        this.fault.value = null;
        this.first.value = timeline.first;
        this.end.value = timeline.end;
        this.steps.value = [...this.stepper.all()];
      });
    } catch (error) {
      this.fault.value = `An event cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }

  // Moving in time --------------------------------------------------------------------------

  /** Shows the state after a step; -1 is the beginning, the last one follows the present. */
  goTo(index: number): void {
    const steps = this.steps.value;
    const last = steps.length - 1;
    const target = Math.max(-1, Math.min(index, last));
    this.cursor.value = target >= last ? null : (steps[target]?.to ?? this.first.value);
  }

  toFirst(): void {
    if (this.steps.value.length === 0) return;
    this.goTo(-1);
  }

  toPrevious(): void {
    this.goTo(this.index.value - 1);
  }

  toLast(): void {
    this.cursor.value = null;
  }

  /** The next step; at the end of the log a waiting run is advanced by one node. */
  toNext(): void {
    if (this.cursor.value !== null) this.goTo(this.index.value + 1);
    else if (this.liveRun.value) this.send({ type: "step", run: this.liveRun.value.run, count: 1 });
    else this.playing.value = false;
  }

  /** Play from here; from the present, when nothing waits there, from the beginning. */
  togglePlay(): void {
    const start = !this.playing.value;
    if (start && !this.canGoOn) this.toFirst();
    this.playing.value = start;
  }

  get canGoOn(): boolean {
    return this.cursor.value !== null || this.liveRun.value !== null;
  }

  // Choosing --------------------------------------------------------------------------------

  readonly select = (value: number | null): void => {
    this.selected.value = this.selected.value === value ? null : value;
    this.shown.onePath.value = null;
    this.shown.other.value = null;
  };

  readonly hover = (value: number | null): void => {
    this.hovered.value = value;
  };

  readonly pin = (value: number, on: boolean): void => {
    this.retainGrad(value, on);
  };

  // Commands --------------------------------------------------------------------------------

  backward(value: number): void {
    this.command({ type: "backward", value }, `backward from ${called(this.present.value, value)}`);
  }

  retainGrad(value: number, on: boolean): void {
    const own = called(this.present.value, value);
    this.command(
      { type: "retain_grad", value, on },
      on ? `retain_grad on ${own}` : `no retain_grad on ${own}`,
    );
  }

  abandon(): void {
    const run = this.liveRun.value;
    if (run) this.command({ type: "abandon", run: run.run }, "abandoning the run");
  }

  finishRun(): void {
    const run = this.liveRun.value;
    if (run) this.command({ type: "step", run: run.run, count: 1_000_000 }, "running to the end");
  }

  /** Commands apply to the present: one given in the past moves there first and says so. */
  private command(command: Command, what: string): void {
    const past = this.cursor.value !== null;
    batch(() => {
      this.cursor.value = null;
      this.notice.value = past
        ? {
            text: `Moved to the present first: ${what} changes the program as it is now.`,
            tone: "info",
          }
        : null;
    });
    if (this.connection.value === "offline" || !this.send(command)) {
      this.notice.value = {
        text: "This is a recording: there is no kernel that could do this.",
        tone: "error",
      };
    }
  }

  /** Lays the picture out anew, as if it were seen for the first time. */
  tidy(): void {
    this.pictures.forget();
    this.fresh.value += 1;
  }
}
