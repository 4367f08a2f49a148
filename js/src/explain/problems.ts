/* What went wrong or will: stale saved values, and the errors that autograd raised. */

import { called } from "../graph/names";
import {
  holdsTensor,
  writeAt,
  type ErrorRow,
  type Hazard,
  type Model,
  type WriteRow,
} from "../log/model";
import { code, dim, lineAt, math, name, plain, wrong, type Explanation, type Line } from "./text";

/** A saved value that a write has made stale, before backward needs it: said at once. */
export function explainHazard(model: Model, hazard: Hazard): Explanation {
  const { slot } = hazard;
  const writes = slot.stale
    .map((time) => writeAt(model, slot.storage, time))
    .filter((write) => write !== undefined);
  const found = writes.at(-1)?.version ?? slot.version + slot.stale.length;
  return {
    tone: "error",
    title: [wrong("A saved value was changed in place: backward will fail")],
    lines: [storyOf(model, hazard, writes, found), fixOf(model, hazard)],
    where: null,
    code: null,
  };
}

function storyOf(model: Model, { node, slot }: Hazard, writes: WriteRow[], found: number): Line {
  const call = node.call === null ? undefined : model.calls.get(node.call);
  const story: Line = [
    math(node.name),
    plain(" saved "),
    name(model, slot.value),
    plain(` at version ${slot.version} (`),
    ...lineAt(model, call?.source ?? null),
    plain("). "),
  ];
  const [first] = writes;
  if (!first) return [...story, plain(`It is at version ${found} now.`)];
  const more = writes.length > 1 ? ` and ${writes.length - 1} more` : "";
  return [
    ...story,
    plain("Then "),
    ...lineAt(model, first.source),
    plain(`${more} wrote into the same memory, which is now at version ${found}. `),
    plain("The derivative needs the value as it was."),
  ];
}

function fixOf(model: Model, { slot }: Hazard): Line {
  const own = called(model, slot.value);
  const text = /^[A-Za-z_][\w.]*$/.test(own) ? own : "x";
  return [
    plain("Fix: make a new value instead of writing into this one ("),
    code(`${text} = ${text} + 1`),
    plain(" instead of "),
    code(`${text} += 1`),
    plain("), or write into a copy ("),
    code(`${text} = ${text}.clone()`),
    plain("), or write after backward."),
  ];
}

/** An error that autograd raised, in the words of its exception and its notes. */
export function explainError(model: Model, error: ErrorRow): Explanation {
  let lines = ourWords(model, error);
  if (lines.length === 0) lines = error.help.map((sentence) => [plain(sentence)]);
  lines.push([dim(`${error.type}: ${firstSentences(error.message)}`)]);
  return {
    tone: "error",
    title: [wrong(HEADINGS[error.kind] ?? error.type)],
    lines,
    where: null,
    code: null,
  };
}

const HEADINGS: Readonly<Record<string, string>> = {
  version: "Backward failed: a saved value was changed in place",
  leaf: "A leaf that requires grad may not be written in place",
  freed: "Backward failed: the saved values were released by an earlier backward",
  none: "This value keeps no gradient",
};

function firstSentences(message: string): string {
  return message.length <= 600 ? message : `${message.slice(0, 599)}…`;
}

/** The story with links into the picture, where all of it is on record. */
function ourWords(model: Model, error: ErrorRow): Line[] {
  const node = error.node === null ? undefined : model.nodes.get(error.node);
  if (error.kind === "version" && node) {
    const index = node.saved.findIndex((slot) => slot.slot === error.slot);
    const slot = node.saved[index];
    if (slot && holdsTensor(slot)) return [...explainHazard(model, { node, slot, index }).lines];
  }
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
          plain("Backward releases what the nodes saved, to free memory. Call the first one with "),
          code("retain_graph=True"),
          plain(", or compute the forward pass again."),
        ],
      ];
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
