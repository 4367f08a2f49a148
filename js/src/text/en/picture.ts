/* English: what stands in the picture. */

/** Arrays in short. */
const numbers = {
  unseen: "not recorded",
  empty: "empty",
  all: (item: string): string => `all ${item}`,
  allZero: (shape: string): string => `${shape}, all 0`,
  mean: (shape: string, mean: string): string => `${shape}, mean ${mean}`,
  emptyShape: (shape: string): string => `empty, shape ${shape}`,
  range: (shape: string, min: string, max: string, mean: string): string =>
    `${shape} from ${min} to ${max}, mean ${mean}`,
  rangeNotFinite: (shape: string, min: string, max: string, mean: string, count: number): string =>
    `${shape} from ${min} to ${max}, mean ${mean}, ${count} not finite`,
  jacobian: (size: string): string => `${size} Jacobian`,
  diagonal: (size: string): string => `${size} diagonal`,
  none: "none",
};

/** What values without a name are called. */
const names = {
  scalar: "scalar",
  outputOf: (size: string, op: string): string => `the ${size} output of ${op}`,
  parameter: (size: string): string => `the ${size} parameter`,
  value: (size: string): string => `the ${size} value`,
  leaf: (size: string): string => `the ${size} leaf without a name`,
  constant: (size: string): string => `the ${size} constant without a name`,
  /** How what these give can be told from a name. */
  isDescription: /^the /,
  earlier: (name: string): string => `${name} (earlier)`,
  unnamed: "unnamed",
  reductions: { mean: "mean of ", sum: "sum of " },
  weightedMean: (weight: string): string => `mean, weighted by ${weight}, of `,
};

/** Groups: modules, functions, loops. */
const groups = {
  iteration: (nr: string): string => `iteration ${nr}`,
  iterations: (from: string, to: string): string => `iterations ${from}–${to}`,
  line: (nr: number): string => `line ${nr}`,
  lines: (from: number, to: number): string => `lines ${from}–${to}`,
  opsFromTo: (from: number, to: number): string => `ops ${from}–${to}`,
  ops: (count: number): string => `${count} ${count === 1 ? "op" : "ops"}`,
  loop: (times: number, ops: string): string => `${times} iterations, ${ops}`,
  times: (times: number, title: string): string => `${times} times ${title}`,
  comma: ", ",
  gives: (shape: string): string => `gives ${shape}`,
  stepped: "stepped",
  steppedBy: (optimizer: string): string => `stepped by ${optimizer}`,
  open: (group: string): string => `Open ${group}`,
  close: (group: string): string => `Close ${group}`,
  closeTitle: (group: string): string => `${group}: close`,
  troubles: {
    error: "an error inside",
    stale: "a saved value was written in place",
    nan: "NaN or Inf inside",
    nanGradient: "NaN or Inf in a gradient",
  },
};

/** Slots of saved values. */
const slots = {
  freed: "freed",
  unused: "unused",
  packed: "packed",
  recomputed: "recomputed",
  saved: "saved",
  counted: (count: number, word: string): string => `${count} ${word}`,
  isPacked: "not saved here: packed by a hook, which gives it back in backward",
  isRecomputed: "not saved: recomputed in backward, by a checkpoint",
  values: (count: number): string => `${count} saved values`,
  value: (slot: string, name: string, version: number): string =>
    `${slot} (${name}), saved at version ${version}`,
  wasFreed: (what: string): string => `${what}; freed by backward`,
  wasUnused: (what: string): string =>
    `${what}; released unused: backward never ran through this graph`,
  isStale: (what: string): string => `${what}; overwritten since then: backward will fail`,
  forBackward: (what: string): string => `${what} for backward`,
};

/** Cards and wires. */
const cards = {
  notFinite: (count: number): string => `${count} nan/inf`,
  shared: "Other values here share this storage: a write into one changes all.",
  grad: "grad",
  pinOn: "retain_grad is on: the gradient is kept in .grad. Click to turn it off.",
  pinOff: "retain_grad is off: the gradient only passes through. Click to keep it in .grad.",
  pin: (name: string): string => `retain_grad of ${name}`,
  backwardFrom: (name: string): string => `Backward from ${name}: shows first what it would do`,
  backwardHere: "Backward from here: shows first what it would do",
  backward: "◂ backward",
  roles: {
    leaf: "leaf",
    parameter: "parameter",
    constant: "constant",
    intermediate: "intermediate",
  },
  described: (name: string, role: string, numbers: string, meta: string): string =>
    `${name}: ${role}, ${numbers}, ${meta}`,
  version: (version: number): string => `, version ${version}`,
  requiresGrad: (truth: string): string => `, requires_grad ${truth}`,
  withGrad: (grad: string): string => `, grad ${grad}`,
  sentence: (words: string): string => `. ${words}`,
  noGradFn: "no grad_fn",
  becomesNan: "Here the gradient becomes NaN or Inf",
  wrote: (version: number): string => `wrote v${version}`,
  view: "view",
  values: (count: number): string => `${count} values`,
  operand: (nr: number): string => `operand ${nr} of this operation`,
  gradient: (numbers: string): string => `gradient ${numbers}`,
};

export const picture = { numbers, names, groups, slots, cards };
