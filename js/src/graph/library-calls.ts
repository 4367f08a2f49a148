/* What a call into a library is called, and which of them work on gradients, as clipping does. */

import { get } from "../collections";
import { cut } from "../log/format";
import { nodesOf, type Model } from "../log/model";
import { isNameless } from "./versions";

/** Whether ops without a graph read what has no name and came from nowhere: gradients. */
export function isOfGradients(model: Model, items: readonly unknown[]): boolean {
  let read = false;
  for (const item of items) {
    const call = typeof item === "number" ? get(model.calls, item) : null;
    if (!call || nodesOf(model, call.call).length > 0) return false;
    read ||= call.inputs.some((input) => {
      const value = typeof input === "number" ? model.values.get(input) : undefined;
      return value !== undefined && isNameless(model, value);
    });
  }
  return read;
}

/** What a line calls, if it does nothing else: `norm = nn.utils.clip_grad_norm_(…)`; else the line. */
export function callIn(line: string): string {
  const [, name] = /^(?:[\w.]+\s*=\s*)?(?:\w+\.)*(\w+)\(.*\)$/.exec(line) ?? [];
  return name === undefined ? cut(line, 28) : `${name}()`;
}
