/* What went wrong or will: stale saved values, and the errors that autograd raised. */

import { callKey, writerKeys } from "../graph/keys";
import type { Finding, Place } from "../log/events";
import { cut } from "../log/format";
import {
  holdsTensor,
  writeAt,
  type ErrorRow,
  type Hazard,
  type Model,
  type WriteRow,
} from "../log/model";
import { outOfPlace } from "./fix";
import { explainFailedCall } from "./failed-call";
import { code, dim, math, pasted, plain, wrong, type Line, type Piece } from "../text/piece";
import { t } from "../text/text";
import { baseName, codeAt, lineAt, name, place, type Explanation } from "./text";

/** A saved value that a write has made stale, before backward needs it: said at once. */
export function explainHazard(model: Model, hazard: Hazard): Explanation {
  const { slot, node } = hazard;
  const failed = node.state === "failed";
  const writes = slot.stale
    .map((time) => writeAt(model, slot.storage, time))
    .filter((write) => write !== undefined);
  const found = writes.at(-1)?.version ?? slot.version + slot.stale.length;
  return {
    tone: "error",
    title: [wrong(failed ? t.problems.staleFailed : t.problems.stale)],
    lines: [storyOf(model, hazard, writes, found), fixOf(model, hazard, writes)],
    where: null,
    code: null,
  };
}

function storyOf(model: Model, { node, slot }: Hazard, writes: WriteRow[], found: number): Line {
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const key = node.call === null ? undefined : callKey(node.call);
  const saver: Piece = { ...math(node.name), ...(key === undefined ? {} : { key }) };
  const { savedAt, versionNow, wrote, wroteAndMore } = t.problems;
  const where = lineAt(model, call?.source ?? null, key);
  const story = savedAt(saver, name(model, slot.value), slot.version, where);
  const [first, ...more] = writes;
  if (!first) return [...story, plain(versionNow(found))];
  const writer = lineAt(model, first.source, writerKeys(first)[0]);
  const then = more.length > 0 ? wroteAndMore(writer, more.length, found) : wrote(writer, found);
  return [...story, ...then];
}

/** A way out that can be pasted where the user's line tells one; else in general words. */
function fixOf(model: Model, { slot }: Hazard, writes: readonly WriteRow[]): Line {
  const saved = model.values.get(slot.value);
  if (saved?.leaf === true && saved.requires_grad) {
    return t.problems.fixLeaf(name(model, slot.value));
  }
  const [first] = writes;
  const line = first ? codeAt(model, first.source) : null;
  const fix = line === null ? null : outOfPlace(line, first?.base !== null);
  if (first && line !== null && fix !== null) {
    const where = place(model, first.source) ?? t.problems.thatLine;
    return t.problems.fixWrite(code(line), where, pasted(fix));
  }
  return t.problems.fixCopy;
}

/** An error that autograd raised: what was found of it or what the log tells, and its message. */
export function explainError(model: Model, error: ErrorRow): Explanation {
  const { kind, type, message, help, finding, op } = error;
  // Without a line to show, a finding says less than our words, which have links.
  const placed = finding !== null && (finding.culprit ?? finding.reader) !== null;
  let lines = placed ? wordsOfFinding(model, error, finding) : ourWords(model, error);
  if (lines.length === 0 && finding) lines = linesOf(model, finding);
  if (lines.length === 0) lines = help.map((sentence) => [plain(sentence)]);
  const headings: Readonly<Partial<Record<string, string>>> = t.problems.headings;
  const known = headings[kind] ?? headings[finding?.kind ?? ""] ?? type;
  const failed = op === null ? t.problems.aCallFailed : t.problems.callFailed(op);
  const heading = kind === "call" ? failed : known;
  const warns = type.endsWith("Warning"); // the program goes on
  return {
    tone: warns ? "plain" : "error",
    title: [warns ? plain(heading) : wrong(heading)],
    lines: [...lines, [dim(`${type}: ${cut(message, 600)}`)]],
    where: null,
    code: null,
  };
}

/** A finding on an error of PyTorch's; where the log tells the same with links, that and the fix. */
function wordsOfFinding(model: Model, error: ErrorRow, finding: Finding): Line[] {
  const [story] = error.kind === "version" ? ourWords(model, error) : [];
  return story ? [story, ...fixIn(finding, true)] : linesOf(model, finding);
}

/** All that a finding says. */
function linesOf(model: Model, finding: Finding): Line[] {
  const { text, culprit, reader, tried } = finding;
  const lines: Line[] = [sentence(text)];
  const { causedBy, neededBy } = t.problems;
  if (culprit) lines.push(placedLine(model, causedBy, culprit));
  if (reader && !(culprit && isSame(reader, culprit))) {
    lines.push(placedLine(model, neededBy, reader));
  }
  if (tried) lines.push(sentence(tried));
  return [...lines, ...fixIn(finding, false)];
}

/** A sentence of the kernel's, in which code stands between backticks. */
function sentence(text: string): Line {
  const parts = text.split("`").map((part, nr) => (nr % 2 === 1 ? code(part) : plain(part)));
  return parts.filter((part) => part.text !== "");
}

/** A line of the program, as a link to the last that it did. */
function placedLine(model: Model, words: (where: Piece, text: Piece) => Line, at: Place): Line {
  return words({ ...plain(whereIs(at)), ...linkTo(model, at) }, code(at.text));
}

function linkTo(model: Model, at: Place): Partial<Piece> {
  let found: number | null = null;
  for (const { call, source } of model.calls.values()) {
    const row = model.sources.get(source ?? -1);
    if (row?.line !== at.line) continue;
    if (at.file === (row.cell === null ? row.file : `cell ${row.cell}`)) found = call;
  }
  return found === null ? {} : { tone: "name", key: callKey(found) };
}

const whereIs = ({ file, line }: Place): string => t.explain.place.file(baseName(file), line);

const isSame = (a: Place, b: Place): boolean =>
  a.file === b.file && a.line === b.line && a.text === b.text && a.function === b.function;

/** The fix of a finding to be pasted, if it has one; one that stands `alone` says for which line. */
function fixIn({ fix, culprit }: Finding, alone: boolean): Line[] {
  if (!fix) return [];
  // A fix of one line without a comment on where it belongs stands for the line that wrote.
  if (!alone || !culprit || /[\n#]/.test(fix)) return [t.problems.fix(pasted(fix))];
  return [t.problems.fixInstead(code(culprit.text), whereIs(culprit), pasted(fix))];
}

/** The story with links into the picture, where all of it is on record. */
function ourWords(model: Model, error: ErrorRow): Line[] {
  const node = error.node === null ? undefined : model.nodes.get(error.node);
  if (error.kind === "version" && node) {
    const index = node.saved.findIndex((slot) => slot.slot === error.slot);
    const slot = node.saved[index];
    if (slot && holdsTensor(slot)) return [...explainHazard(model, { node, slot, index }).lines];
  }
  if (error.kind === "call") return explainFailedCall(model, error);
  const value = error.value === null ? plain(t.problems.it) : name(model, error.value);
  switch (error.kind) {
    case "leaf":
      return [t.problems.isLeaf(value)];
    case "freed":
      return [t.problems.wasFreed];
    case "no_grad":
      return error.value === null ? [] : cutBefore(model, error.value);
    case "none":
      return [t.problems.keepsNone(value)];
    default:
      return [];
  }
}

/** Where the history of a value was lost: the nearest call from what requires grad to what does not. */
function cutBefore(model: Model, value: number): Line[] {
  const waiting = [value];
  const seen = new Set(waiting);
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const call = model.calls.get(model.values.get(id)?.call ?? -1);
    const inputs = (call?.inputs ?? []).filter((input) => typeof input === "number");
    const lost = inputs.find((input) => model.values.get(input)?.requires_grad);
    if (call && lost !== undefined) {
      const words = /^detach/.test(call.op) ? t.problems.cutByDetach : t.problems.cutHere;
      return [words(lineAt(model, call.source, callKey(call.call)), name(model, lost))];
    }
    waiting.push(...inputs.filter((input) => !seen.has(input)));
    for (const input of inputs) seen.add(input);
  }
  return [];
}
