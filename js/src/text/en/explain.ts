/* English: what is said of steps, nodes and values. */

import { code, dim, dimmed, grad, line, wrong, type Line, type Piece } from "../piece";

/** Where a line of the program is, and lists. */
const place = {
  cell: (cell: number, nr: number): string => `cell ${cell}, line ${nr}`,
  file: (file: string, nr: number): string => `${file}, line ${nr}`,
  line: (nr: number): string => `line ${nr}`,
  unknown: "an unknown line",
  withCode: (where: Piece, text: Piece): Line => line`${where}, ${text}`,
  comma: ", ",
  and: " and ",
  stop: ".",
  more: (count: number): string => ` and ${count} more`,
};

const step = {
  beforeCell: "Before this cell: what earlier cells left",
  beforeFirst: "Before the first step",
  named: (name: Piece): Line => line`${name} is the name of a value now`,
  alsoNamed: (name: Piece, before: Piece): Line => line`${name} is now another name of ${before}`,
  isView: (base: Piece): Line =>
    line`It is a view: it shares the memory and the version counter of ${base}.`,
  noGradFn: "It has no grad_fn: backward does not pass here.",
  packed: (node: Piece): Line =>
    line`${node} is recorded for backward. What it needs was packed by a hook, which gives it back in backward.`,
  recomputed: (node: Piece): Line =>
    line`${node} is recorded for backward. It saved nothing: what it needs is recomputed in backward.`,
  savedHidden: (node: Piece): Line =>
    line`${node} is recorded for backward. It saved a tensor that is not shown.`,
  savedNothing: (node: Piece): Line => line`${node} is recorded for backward. It saved no tensor.`,
  saved: (node: Piece, values: Line): Line =>
    line`${node} is recorded for backward; saved ${values}.`,
  atVersion: (name: string, version: number): string => `${name} (version ${version})`,
  shapeIs: (shape: Piece): Line => line`Its shape is ${shape}`,
  valueIs: (value: Piece): Line => line`Its value is ${value}`,
  valueIsNow: (value: Piece): Line => line`Its value is now ${value}`,
  shared: (names: Line, count: number): Line =>
    line`The memory is shared, so ${names} ${count === 1 ? "changes" : "change"} with it.`,
  throughData:
    "It was written through .data, which autograd does not notice: " +
    "what was saved for backward may have other numbers now, and no error is raised.",
  harmless: "Nothing that backward needs was overwritten.",
  givenData: (name: Piece): Line => line`${name} is given other data: its version stays`,
  writtenData: (name: Piece): Line => line`${name} is written through .data: its version stays`,
  written: (name: Piece, from: number, to: number): Line =>
    line`${name} is written in place: version ${from} → ${to}`,
  newValue: "A new value",
  parameter: (name: Piece): Line => line`${name} is a parameter`,
  leaf: (name: Piece): Line => line`${name} is a leaf that requires grad`,
  constant: (name: Piece): Line =>
    line`${name} does not require grad: backward computes no gradient for it`,
  begins: (roots: Line): Line => line`Backward begins at ${roots}.`,
  beginsLive: (roots: Line): Line =>
    line`Backward begins at ${roots}. Press next: the engine runs one node at a time.`,
  runsFromOne: "The gradient of a result by itself is 1. From there it runs against the arrows.",
  runsFromOneTo: (node: Piece): Line =>
    line`The gradient of a result by itself is 1. From there it runs against the arrows, first through ${node}.`,
  runs: "Its gradient runs against the arrows.",
  runsTo: (node: Piece): Line => line`Its gradient runs against the arrows, first through ${node}.`,
  onlyOf: (inputs: Line): Line =>
    line`Only the gradients of ${inputs} are asked for; no .grad is changed.`,
  retainGraph: "retain_graph=True: saved values are kept.",
  createGraph: "create_graph=True: the gradients get a graph too.",
  done: "Backward is done",
  failed: "Backward failed",
  stopped: "Backward was stopped before its end",
  ended: "Backward ended",
  keepsGrad: (name: Piece): Line => line`${name} will keep its gradient in .grad (retain_grad)`,
  passesGrad: (name: Piece): Line =>
    line`${name} requires grad; its own gradient is not kept unless it is a leaf`,
  requiresGrad: (name: Piece): Line => line`${name} requires grad`,
  requiresNone: (name: Piece): Line => line`${name} does not require grad`,
  gradZeroed: (own: Piece): Line => line`${own} was set to zero`,
  gradCleared: (own: Piece): Line => line`${own} was cleared: it is None again`,
  gradAssigned: (own: Piece): Line => line`${own} was assigned`,
  gradChanged: (own: Piece): Line => line`${own} changed`,
};

const node = {
  runs: (name: Piece): Line => line`${name} runs`,
  hasRun: (name: Piece): Line => line`${name} has run`,
  derivativeOf: (output: Line, incoming: Line): Line =>
    line`It is the derivative of ${output}. ${incoming}`,
  wires: (count: number): string => `Gradients came in along ${count} wires.`,
  incoming: (gradient: Line): Line => line`Incoming gradient: ${gradient}`,
  gradients: (count: number, shape: string): string => `${count} gradients of shape ${shape}`,
  equal: (count: number, gradient: string): string => `${count} equal contributions of ${gradient}`,
  contributions: (first: string, count: number): string => `${first} + … (${count} contributions)`,
  partOf: (outputs: Line, incoming: Line): Line =>
    line`It is a part of the derivative of ${outputs}. Incoming gradient: ${incoming}`,
  to: (target: Piece, rest: Line): Line => line`→ ${target}: ${rest}`,
  toPart: (target: Piece, rest: Line): Line => line`→ ${target}, a part of the same: ${rest}`,
  aroundWritten: (op: string): string => `gradient, where it was written led back through ${op}`,
  ofWritten: (op: string): string => `the written part of the gradient led back through ${op}`,
  times: ", times the gradient: ",
  so: ", so ",
  more: (count: number): string => `→ ${count} more inputs likewise`,
  words: (formula: Piece, sum: string): Line => line`${formula}, ${sum}`,
  shapes: (from: string, to: string): string => ` (shapes ${from} → ${to})`,
  gradient: "gradient",
  retains: (name: Piece, gradient: Line): Line => line`${name} retains its gradient: ${gradient}`,
  freed: (names: Line, count: number): Line =>
    dimmed(
      line`${names} ${count === 1 ? "is" : "are"} no longer needed and ${count === 1 ? "is" : "are"} freed.`,
    ),
  kept: (names: Line, count: number): Line =>
    dimmed(line`${names} ${count === 1 ? "stays" : "stay"} saved for another backward.`),
  addsTo: (name: Piece, leaf: Piece): Line => line`${name} adds to ${leaf}`,
  added: (count: number, sum: Line): Line =>
    line`Gradients arrived along ${count} wires and were added: ${sum}`,
  addedTo: (own: string, sum: Line): Line => line`It is added to what ${own} held before: ${sum}`,
  hook: (before: Piece, after: Piece): Line =>
    line`A hook changed it: ${before}${grad(" → ")}${after}`,
  summedAll: (items: number): string => `summed over all ${items} items`,
  summedRows: (items: number): string => `summed over the ${items} rows of the batch`,
  summedBatches: (items: number): string => `summed over the ${items} rows of all batches`,
  summedDims: (dims: string, items: number): string => `summed along dim ${dims} (${items} items)`,
};

/** The results of a cell or a run. */
const run = {
  whole: (name: string, count: number): string =>
    `${name} is the sum of ${count} results, each times its gradient.`,
  differentiated: (formula: Line): Line => line`What is differentiated is ${formula}.`,
  given: (gradient: Piece): Line =>
    line`You gave the gradient ${gradient}: it stands where 1 would.`,
  computed: (call: Line, gradients: Line): Line => line`${call} computed ${gradients}`,
  thenStep: (optimizer: Line): Line => line`Then a step of ${optimizer}`,
  thenOne: (text: Piece): Line => line`Then ${text} changed one gradient in place.`,
  thenMany: (text: Piece, count: number): Line =>
    line`Then ${text} changed ${count} gradients in place.`,
  gradientFor: (gradient: Piece, leaf: Piece): Line => line`${gradient} for ${leaf}`,
  upTo: (leaf: Piece, size: Piece): Line => line`${leaf} (up to ${size})`,
  one: (leaf: Line): Line => line`a gradient for ${leaf}`,
  parameters: (count: number): string => `gradients for ${count} parameters`,
  leaves: (count: number): string => `gradients for ${count} leaves`,
  extremes: (gradients: string, largest: Line, smallest: Line): Line =>
    line`${gradients}, the largest for ${largest}, the smallest for ${smallest}`,
  gradGaveOne: (roots: Line, inputs: Line): Line =>
    line`autograd.grad gave it: the gradient of ${roots} by ${inputs}. No .grad was changed.`,
  gradGaveInOrder: (roots: Line, inputs: Line): Line =>
    line`autograd.grad gave them: the gradients of ${roots} by ${inputs}, in this order. No .grad was changed.`,
  gradGave: (roots: Line, inputs: Line): Line =>
    line`autograd.grad gave them: the gradients of ${roots} by ${inputs}. No .grad was changed.`,
  graphBehind: "create_graph=True: there is a graph behind, so it can be differentiated again.",
  before: (values: Line): Line => line`Before it: ${values}`,
  noValue: (names: Line, count: number): Line =>
    dimmed(line`${names} ${count === 1 ? "has" : "have"} no value yet.`),
  waits: (name: Piece): Line => line`${name} waits for its value`,
  eachRun: "Each run is given one.",
};

/** Modules and optimizers around a call. */
const scope = {
  step: (optimizer: Line): Line => line`${dim("It is part of a step of ")}${optimizer}`,
  module: (name: Piece, kind: string): Line => line`${dim("It is part of ")}${name} (${kind})`,
  compiled: ". torch.compile made one function of it",
};

const paths = {
  moreThan: (count: number): string => `More than ${count}`,
  one: (from: Piece, to: Piece): Line => line`One path leads from ${from} to ${to}`,
  many: (count: string, from: Piece, to: Piece): Line =>
    line`${count} paths lead from ${from} to ${to}`,
  runBackward: "Run backward to see the numbers.",
  product: "the product along the path",
  sum: (count: number): string => `the sum over all ${count} paths`,
  factors: (count: number): string => `${count} factors`,
  products: (count: number): string => `sum of ${count} products`,
};

/** Writes before the recording. */
const version = {
  initialised:
    "It was version 1 from the beginning: initialisation wrote its first numbers in place.",
  once: "It had been written in place once before it was first recorded.",
  times: (count: number): string =>
    `It had been written in place ${count} times before it was first recorded.`,
  parameterTimes: (count: number): string =>
    `It had been written in place ${count} times before it was first recorded, the first time by its initialisation.`,
};

/** What backward would do. */
const effects = {
  willFail: line`${wrong("Backward from here will fail: ")}an earlier backward has freed saved values it needs.`,
  runs: (name: string, nodes: number): string => `Backward from ${name} runs ${nodes} nodes`,
  addsTo: (leaves: Line): Line => line`, adds to .grad of ${leaves}`,
  frees: (count: number): string =>
    `, and frees ${count} saved ${count === 1 ? "value" : "values"}.`,
  stop: ".",
  stale: " It will fail at a stale saved value.",
};

/** Where numbers stop being numbers. */
const notFinite = {
  value: (made: Line): Line => line`${made}: ${wrong("here NaN or Inf comes up first")}`,
  either: "nan or inf",
  gradient: (what: string, call: Piece): Line =>
    line`${wrong(`The gradient became ${what} here`)}: backward of ${call}`,
  gradientAt: (what: string, call: Piece, places: string): Line =>
    line`${wrong(`The gradient became ${what} here`)}: backward of ${call} at ${places}`,
};

/** Optimization passes over a static graph. */
const passes = {
  about: {
    built: "the program as it was built",
    stabilise: "logarithms of exponentials are written so that they cannot overflow",
    uniform: "an array of equal numbers is one number",
    constants: "what depends on constants alone is computed now, once",
    common: "what is computed twice is computed once",
    algebra: "what changes nothing is left out (× 1, + 0, a view of the same shape)",
    dead: "what no result needs is left out",
    fusion: "operations on large arrays, item by item, run together on one block after the other",
    reuse: "a value is freed after its last use, and its memory is written again",
    other: "a pass",
  },
  title: (pass: string, about: string): Line => line`${code(pass)}: ${about}`,
  eachStep: "Each step is one pass of the optimiser. Marked is what it changes.",
  leftOut: (calls: Line): Line => line`− Left out: ${calls}`,
  inPlace: (calls: Line): Line => line`+ In its place: ${calls}`,
  rewired: (calls: Line): Line => line`→ Reads another value now: ${calls}`,
  known: (values: Line): Line => line`= Constant from here on: ${values}`,
  fused: (count: number): string => `∘ ${count} operations are one loop over blocks now.`,
  over: (values: Line): Line => line`↻ Written in place: ${values}`,
  overOne: (result: string, operand: string): string => `${result} over ${operand}`,
  freedEarly: "The calls stay; each large value is freed after its last use.",
  nothing: "There was nothing for it to do in this program.",
  operations: (figure: string): string => `operations ${figure}`,
  memory: (figure: string): string => `memory ${figure}`,
  notRun: "it could not be run here: no memory or time was measured",
  run: (figure: string): string => `a run ${figure}`,
  chance: (figure: string): string => `a run ${figure}, which may be chance`,
};

export const explain = {
  place,
  step,
  node,
  run,
  scope,
  paths,
  version,
  effects,
  notFinite,
  passes,
};
