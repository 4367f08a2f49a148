/* English: errors and overwritten values, and how to fix them. */

import { code, line, type Line, type Piece } from "../piece";

export const problems = {
  stale: "A saved value was changed in place: backward will fail",
  staleFailed: "A saved value was changed in place: backward failed",
  savedAt: (node: Piece, value: Piece, version: number, where: Line): Line =>
    line`${node} saved ${value} at version ${version} (${where}). `,
  versionNow: (version: number): string => `It is at version ${version} now.`,
  wrote: (where: Line, version: number): Line =>
    line`Then ${where} wrote into the same memory, which is now at version ${version}. The derivative needs the value as it was.`,
  wroteAndMore: (where: Line, more: number, version: number): Line =>
    line`Then ${where} and ${more} more wrote into the same memory, which is now at version ${version}. The derivative needs the value as it was.`,
  fix: (fix: Piece): Line => line`Fix: ${fix}`,
  fixLeaf: (leaf: Piece): Line => line`Fix: write into ${leaf} after backward.`,
  fixWrite: (text: Piece, where: string, fix: Piece): Line =>
    line`Fix: instead of ${text} (${where}) write ${fix}, or write after backward.`,
  thatLine: "that line",
  fixCopy: line`Fix: save a copy (${code(".clone()")} where it is used), make a new value instead of writing into this one, or write after backward.`,
  fixInstead: (text: Piece, where: string, fix: Piece): Line =>
    line`Fix: instead of ${text} (${where}) write ${fix}`,
  callFailed: (op: string): string => `${op} failed`,
  aCallFailed: "A call failed",
  causedBy: (where: Piece, text: Piece): Line => line`Caused by ${where}, ${text}`,
  neededBy: (where: Piece, text: Piece): Line => line`Needed by ${where}, ${text}`,
  /** By the kind of an error, or of what was found of it. */
  headings: {
    version: "Backward failed: a saved value was changed in place",
    leaf: "A leaf that requires grad may not be written in place",
    freed: "Backward failed: the saved values were freed by an earlier backward",
    none: "This value keeps no gradient",
    view: "This view may not be written in place",
    no_grad: "Backward failed: no graph leads back from there",
    custom: "Backward failed in a hook or a Function of the program's own",
  },
  it: "It",
  isLeaf: (value: Piece): Line =>
    line`${value} is a leaf: its gradient belongs to the value it has now. Write under ${code("with torch.no_grad():")} if the graph need not know, or work on a copy (${code(".clone()")}).`,
  wasFreed: line`The backward before this one released what the nodes had saved, to free memory. Give it ${code("retain_graph=True")}, or compute the forward pass again.`,
  keepsNone: (value: Piece): Line =>
    line`${value} is not a leaf: gradients only pass through it. Call ${code(".retain_grad()")} before backward (the pin on its card) to keep it.`,
  cutByDetach: (where: Line, value: Piece): Line =>
    line`${where}: ${value} requires grad, and what was made of it here does not: detach() cuts the graph.`,
  cutHere: (where: Line, value: Piece): Line =>
    line`${where}: ${value} requires grad, and what was made of it here does not: it was not recorded.`,
  wasGiven: (call: Piece, values: Line): Line => line`${call} was given ${values}.`,
  theCall: "The call",
  linear: (input: string, own: number, weight: string, rows: number): string =>
    `A linear layer takes the rows of its input times the rows of its weight: those of ${input} have ${own} items, those of ${weight} have ${rows}.`,
  product: (first: string, own: number, second: string, rows: number): string =>
    `A product takes rows of the first times columns of the second: the rows of ${first} have ${own} items, the columns of ${second} have ${rows}.`,
  broadcast: (first: string, m: number, second: string, n: number): string =>
    `Shapes are compared from the right; sizes must be equal or 1. Here ${first} has ${m} and ${second} has ${n}.`,
};
