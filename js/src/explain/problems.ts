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
import {
  baseName,
  code,
  codeAt,
  dim,
  lineAt,
  math,
  name,
  pasted,
  place,
  plain,
  wrong,
  type Explanation,
  type Line,
  type Piece,
} from "./text";

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
    title: [
      wrong(`A saved value was changed in place: backward ${failed ? "failed" : "will fail"}`),
    ],
    lines: [storyOf(model, hazard, writes, found), fixOf(model, hazard, writes)],
    where: null,
    code: null,
  };
}

function storyOf(model: Model, { node, slot }: Hazard, writes: WriteRow[], found: number): Line {
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const key = node.call === null ? undefined : callKey(node.call);
  const saver: Piece = { ...math(node.name), ...(key === undefined ? {} : { key }) };
  const story: Line = [
    saver,
    plain(" saved "),
    name(model, slot.value),
    plain(` at version ${slot.version} (`),
    ...lineAt(model, call?.source ?? null, key),
    plain("). "),
  ];
  const [first] = writes;
  if (!first) return [...story, plain(`It is at version ${found} now.`)];
  const more = writes.length > 1 ? ` and ${writes.length - 1} more` : "";
  return [
    ...story,
    plain("Then "),
    ...lineAt(model, first.source, writerKeys(first)[0]),
    plain(`${more} wrote into the same memory, which is now at version ${found}. `),
    plain("The derivative needs the value as it was."),
  ];
}

/** A way out that can be pasted where the user's line tells one; else in general words. */
function fixOf(model: Model, { slot }: Hazard, writes: readonly WriteRow[]): Line {
  const saved = model.values.get(slot.value);
  if (saved?.leaf === true && saved.requires_grad) {
    return [plain("Fix: write into "), name(model, slot.value), plain(" after backward.")];
  }
  const [first] = writes;
  const line = first ? codeAt(model, first.source) : null;
  const fix = line === null ? null : outOfPlace(line, first?.base !== null);
  if (first && line !== null && fix !== null) {
    return [
      plain("Fix: instead of "),
      code(line),
      plain(` (${place(model, first.source) ?? "that line"}) write `),
      pasted(fix),
      plain(", or write after backward."),
    ];
  }
  return [
    plain("Fix: save a copy ("),
    code(".clone()"),
    plain(" where it is used), make a new value instead of writing into this one, or write "),
    plain("after backward."),
  ];
}

/** An error that autograd raised: what was found of it or what the log tells, and its message. */
export function explainError(model: Model, error: ErrorRow): Explanation {
  const { kind, type, message, help, finding, op } = error;
  // Without a line to show, a finding says less than our words, which have links.
  const placed = finding !== null && (finding.culprit ?? finding.reader) !== null;
  let lines = placed ? wordsOfFinding(model, error, finding) : ourWords(model, error);
  if (lines.length === 0 && finding) lines = linesOf(model, finding);
  if (lines.length === 0) lines = help.map((sentence) => [plain(sentence)]);
  const known = HEADINGS[kind] ?? HEADINGS[finding?.kind ?? ""] ?? type;
  const heading = kind === "call" ? `${op ?? "A call"} failed` : known;
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
  if (culprit) lines.push(placedLine(model, "Caused by ", culprit));
  if (reader && !(culprit && isSame(reader, culprit))) {
    lines.push(placedLine(model, "Needed by ", reader));
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
function placedLine(model: Model, what: string, at: Place): Line {
  const start: Piece = { ...plain(whereIs(at)), ...linkTo(model, at) };
  return [plain(what), start, plain(", "), code(at.text)];
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

const whereIs = ({ file, line }: Place): string => `${baseName(file)}, line ${line}`;

const isSame = (a: Place, b: Place): boolean =>
  a.file === b.file && a.line === b.line && a.text === b.text && a.function === b.function;

/** The fix of a finding to be pasted, if it has one; one that stands `alone` says for which line. */
function fixIn({ fix, culprit }: Finding, alone: boolean): Line[] {
  if (!fix) return [];
  // A fix of one line without a comment on where it belongs stands for the line that wrote.
  if (!alone || !culprit || /[\n#]/.test(fix)) return [[plain("Fix: "), pasted(fix)]];
  const instead = [
    plain("instead of "),
    code(culprit.text),
    plain(` (${whereIs(culprit)}) write `),
  ];
  return [[plain("Fix: "), ...instead, pasted(fix)]];
}

/** By the kind of an error, or of what was found of it. */
const HEADINGS: Readonly<Record<string, string>> = {
  version: "Backward failed: a saved value was changed in place",
  leaf: "A leaf that requires grad may not be written in place",
  freed: "Backward failed: the saved values were freed by an earlier backward",
  none: "This value keeps no gradient",
  view: "This view may not be written in place",
  no_grad: "Backward failed: no graph leads back from there",
  custom: "Backward failed in a hook or a Function of the program's own",
};

/** The story with links into the picture, where all of it is on record. */
function ourWords(model: Model, error: ErrorRow): Line[] {
  const node = error.node === null ? undefined : model.nodes.get(error.node);
  if (error.kind === "version" && node) {
    const index = node.saved.findIndex((slot) => slot.slot === error.slot);
    const slot = node.saved[index];
    if (slot && holdsTensor(slot)) return [...explainHazard(model, { node, slot, index }).lines];
  }
  if (error.kind === "call") return explainFailedCall(model, error);
  const value = error.value === null ? plain("It") : name(model, error.value);
  switch (error.kind) {
    case "leaf":
      return [
        [
          value,
          plain(" is a leaf: its gradient belongs to the value it has now. Write under "),
          code("with torch.no_grad():"),
          plain(" if the graph need not know, or work on a copy ("),
          code(".clone()"),
          plain(")."),
        ],
      ];
    case "freed":
      return [
        [
          plain(
            "The backward before this one released what the nodes had saved, to free memory. Give it ",
          ),
          code("retain_graph=True"),
          plain(", or compute the forward pass again."),
        ],
      ];
    case "no_grad":
      return error.value === null ? [] : cutBefore(model, error.value);
    case "none":
      return [
        [
          value,
          plain(" is not a leaf: gradients only pass through it. Call "),
          code(".retain_grad()"),
          plain(" before backward (the pin on its card) to keep it."),
        ],
      ];
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
      const gave = " requires grad, and what was made of it here does not: ";
      const why = /^detach/.test(call.op) ? "detach() cuts the graph." : "it was not recorded.";
      const where = lineAt(model, call.source, callKey(call.call));
      return [[...where, plain(": "), name(model, lost), plain(gave + why)]];
    }
    waiting.push(...inputs.filter((input) => !seen.has(input)));
    for (const input of inputs) seen.add(input);
  }
  return [];
}
