/* A call that raised: it is no call of the log, but drawn as one, with its inputs and no output. */

import { once, type CallRow, type ErrorRow, type Model } from "../log/model";
import { Table } from "../log/table";
import { callKey } from "./keys";

/** Its number: beyond those of all calls. */
export const RAISED = 2 ** 40;

export const RAISED_KEY = callKey(RAISED);

/** The model with the call that the newest cell's last error is about, if it is about a call. */
export const withRaised = once((model: Model): Model => {
  const error = model.errors.at(-1);
  const cell = model.cellTimes.at(-1) ?? 0;
  if (error?.kind !== "call" || error.inputs.length === 0 || error.time < cell) return model;
  return { ...model, calls: new Table(model.calls).set(RAISED, raised(error)) };
});

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
