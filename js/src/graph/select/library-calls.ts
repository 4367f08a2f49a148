/* What a call into a library is called, and which of them work on gradients, as clipping does. */

import { get, push } from "../../collections";
import { cut } from "../../log/format";
import {
  nodesOf,
  scopesAround,
  type CallRow,
  type Model,
  type ScopeRow,
  type ValueRow,
} from "../../log/model";
import { isNameless, isOwn } from "./versions";

/** The scope of a library's call that an op is a part of, outside of modules; else null. */
export function libraryAround(model: Model, call: CallRow): ScopeRow | null {
  const scope = call.scope === null ? undefined : model.scopes.get(call.scope);
  return scope?.kind === "library" ? scope : null;
}

/**
 * Whether a value is what a library keeps its books with, as a metric or what a logger is given:
 * no gradient passes through it, and no variable of the user's is bound to it. The same of a hook.
 */
export function isBookkeeping(model: Model, value: ValueRow, call: CallRow): boolean {
  if (isInHook(model, call)) return value.names.every(([scope]) => scope !== "");
  if (libraryAround(model, call) === null) return false;
  if (!value.names.every(([scope]) => scope === "library")) return false;
  return !value.requires_grad || isPassedBy(model, call);
}

/** Whether a hook of the user's runs an op: of what it made of a gradient the wire has a badge. */
function isInHook(model: Model, call: CallRow): boolean {
  return scopesAround(model, call.scope).some(({ kind }) => kind === "hook");
}

/** Whether all that a call gives is what a library keeps its books with. */
export function keepsBooks(model: Model, call: CallRow): boolean {
  if (call.inplace || (libraryAround(model, call) === null && !isInHook(model, call))) return false;
  const values = call.outputs.map((id) => model.values.get(id));
  return values.every((value) => !value || isBookkeeping(model, value, call));
}

/** Whether backward has run since, and did not come by. */
function isPassedBy(model: Model, call: CallRow): boolean {
  if (nodesOf(model, call.call).some(({ run }) => run !== null)) return false;
  return [...model.runs.values()].some(({ time }) => time > call.time);
}

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

/** So many copies are one thing. */
const FEW_COPIES = 4;

/** Whether these are the detached tensors of a `state_dict()`. */
export function areCopies(model: Model, items: readonly unknown[]): boolean {
  const isCopy = (item: unknown): boolean =>
    typeof item === "number" && model.calls.get(item)?.op === "detach";
  return items.length >= FEW_COPIES && items.every(isCopy);
}

/**
 * Leaves out what nobody reads of the detached tensors that one line took of a module's own, as
 * `state_dict()` does.
 */
export function dropCopies(model: Model, values: Set<number>, calls: Set<number>): void {
  const used = new Set<number | string>();
  const taken = new Map<number, [number, number][]>(); // by line: calls and what they gave
  for (const id of calls) {
    const call = model.calls.get(id);
    const [input, output] = [call?.inputs[0], call?.outputs[0]];
    for (const read of call?.inputs ?? []) used.add(read);
    const own = typeof input === "number" ? model.values.get(input) : undefined;
    if (call?.op !== "detach" || call.source === null || !own || !isOwn(own)) continue;
    if (output !== undefined) push(taken, call.source, [id, output]);
  }
  const unread = [...taken.values()]
    .filter((copies) => copies.length > 1)
    .flatMap((copies) => copies.filter(([, output]) => !used.has(output)));
  const begun = model.cellTimes.at(-1) ?? 0;
  const isNew = (id: number): boolean => (model.calls.get(id)?.time ?? 0) >= begun;
  const left = new Set(unread.map(([call]) => call));
  // A cell that does nothing else shows them: an empty stage says less.
  if (![...calls].some((id) => !left.has(id) && isNew(id))) return;
  for (const [call, output] of unread) {
    calls.delete(call);
    values.delete(output);
  }
}

/**
 * What a line calls, if it does nothing else: `norm = nn.utils.clip_grad_norm_(…)`; else the line,
 * or of a long one whose it is: `loss = …`.
 */
export function callIn(line: string): string {
  const looped = /^for .* in (.*?)(?:\.(?:items|values|keys)\(\))?:$/.exec(line)?.[1];
  const over = looked(looped);
  if (over !== null) return over;
  const [, target, text = ""] = /^(?:([\w.]+)\s*=(?!=)\s*)?(.*)$/.exec(looped ?? line) ?? [];
  const [, name] = /^(?:\w+\.)*(\w+)\(/.exec(text) ?? [];
  if (name !== undefined && endOfCall(text) === text.length) {
    const [, inner] = PRINTS.has(name) ? (/^\w+\(.*?([A-Za-z_]\w*)\(/.exec(text) ?? []) : [];
    return `${inner ?? name}()`;
  }
  return line.length > LONGEST && target !== undefined ? `${target} = …` : cut(line, LONGEST);
}

/** What a loop goes through, if it only counts it or shows how far it is: `enumerate(loader)`. */
function looked(text: string | undefined): string | null {
  const [, inner] = /^(?:\w+\.)*(?:enumerate|tqdm)\(([\w.]+)(?:,[^()]*)?\)$/.exec(text ?? "") ?? [];
  return inner ?? null;
}

/** What only looks at what another call gives. */
const PRINTS = new Set(["print", "float", "round", "len", "int", "str"]);

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
