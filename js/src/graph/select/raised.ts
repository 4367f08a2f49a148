/* A call that raised: it is no call of the log, but drawn as one, with its inputs and no output. */

import { once, type CallRow, type ErrorRow, type Model } from "../../log/model";
import { unseen } from "../../log/format";
import { Table } from "../../log/table";
import { isGraphName } from "../names";
import { callKey } from "../keys";

/** Its number: beyond those of all calls. */
export const RAISED = 2 ** 40;

export const RAISED_KEY = callKey(RAISED);

/** The model with the call that the newest cell's last error is about, if it is about a call. */
export const withRaised = once((model: Model): Model => {
  const error = model.errors.at(-1);
  const cell = model.cellTimes.at(-1) ?? 0;
  if (error?.kind !== "call" || error.inputs.length === 0 || error.time < cell) return model;
  const calls = new Table(model.calls);
  const known = [...calls.values()].findLast((call) => isRunOf(model, call, error));
  if (!known) return { ...model, calls: calls.set(RAISED, raised(error)) };
  const outputs = known.outputs.flatMap((id) => model.values.get(id) ?? []);
  if (!outputs.every(({ summary }) => unseen(summary))) return model; // it ran well since
  calls.delete(known.call);
  calls.set(RAISED, { ...known, call: RAISED });
  const values = new Table(model.values);
  for (const row of outputs) values.set(row.value, { ...row, call: RAISED });
  return { ...model, calls, values };
});

/** Whether an error is about a call of a static graph, which is there before it runs. */
function isRunOf(model: Model, call: CallRow, { op, inputs, source }: ErrorRow): boolean {
  const numbered = call.inputs.filter((each) => typeof each === "number");
  return (
    call.op === op &&
    call.source === source &&
    numbered.join() === inputs.join() &&
    call.outputs.some((id) => model.values.get(id)?.names.some(isGraphName))
  );
}

const rows = new WeakMap<ErrorRow, CallRow>();

/** The same object for the same error, so that it is drawn once. */
function raised(error: ErrorRow): CallRow {
  const { op, inputs, scope, source, time } = error;
  const own = { op: op ?? "call", inputs, scope, source, time };
  const rest = { params: {}, outputs: [], view_of: null, inplace: false, node: null };
  const made = rows.get(error) ?? { call: RAISED, ...own, ...rest };
  rows.set(error, made);
  return made;
}
