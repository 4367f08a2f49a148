/* What the user asks of the kernel. A command's effect is visible only as events that come back. */

import { batch } from "@preact/signals";
import { called } from "../graph/names";
import type { Command } from "../kernel/protocol";
import type { Derived } from "./derived";
import type { State } from "./state";
import { t } from "../text/text";

/** Sends to the kernel; false when there is nobody to send to. */
export type Send = (command: Command) => boolean;

export type Commands = ReturnType<typeof createCommands>;

export function createCommands(state: State, { present, liveRun }: Derived) {
  let link: Send = () => false;
  const connect = (to: Send): void => {
    link = to;
  };
  const send: Send = (command) => link(answering(command));
  /** A command to the run that waits in the running cell says which moment it answers. */
  const answering = (command: Command): Command => {
    const pause = state.pause.value;
    if (pause === null || !("run" in command) || command.run !== pause.run) return command;
    return { ...command, pause: pause.number };
  };

  /** Commands apply to the present: one given in the past moves there first and says so. */
  const apply = (command: Command, what: string): void => {
    const past = state.cursor.value !== null;
    batch(() => {
      state.cursor.value = null;
      state.notice.value = past
        ? {
            text: t.bars.notices.moved(what),
            tone: "info",
          }
        : null;
    });
    if (state.connection.value === "offline" || !send(command)) {
      state.notice.value = {
        text: state.why.value,
        tone: "error",
      };
    }
  };

  const backward = (value: number): void => {
    apply({ type: "backward", value }, t.bars.notices.backwardFrom(called(present.value, value)));
  };
  const retainGrad = (value: number, on: boolean): void => {
    const own = called(present.value, value);
    apply(
      { type: "retain_grad", value, on },
      on ? t.bars.notices.retainOn(own) : t.bars.notices.retainOff(own),
    );
  };
  const abandon = (): void => {
    const run = liveRun.value;
    if (run) apply({ type: "abandon", run: run.run }, t.bars.notices.stopping);
  };
  const finishRun = (): void => {
    const run = liveRun.value;
    if (run) apply({ type: "step", run: run.run, count: 1_000_000 }, t.bars.notices.toEnd);
  };
  const runTo = (node: number): void => {
    const run = liveRun.value;
    if (run) apply({ type: "until", run: run.run, node }, t.bars.notices.runningOn);
  };
  return { connect, send, backward, retainGrad, abandon, finishRun, runTo };
}
