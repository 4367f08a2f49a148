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

/**
 * What a line calls, if it does nothing else: `norm = nn.utils.clip_grad_norm_(…)`; else the line,
 * or of a long one whose it is: `loss = …`.
 */
export function callIn(line: string): string {
  const [, target, text = ""] = /^(?:([\w.]+)\s*=(?!=)\s*)?(.*)$/.exec(line) ?? [];
  const [, name] = /^(?:\w+\.)*(\w+)\(/.exec(text) ?? [];
  if (name !== undefined && endOfCall(text) === text.length) return `${name}()`;
  return line.length > LONGEST && target !== undefined ? `${target} = …` : cut(line, LONGEST);
}

const LONGEST = 28;

/** Behind the bracket that closes the first one, of those that stand in no string; -1 for none. */
function endOfCall(text: string): number {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()]/g)) {
    depth += found === "(" ? 1 : found === ")" ? -1 : 0;
    if (found === ")" && depth === 0) return index + 1;
  }
  return -1;
}
