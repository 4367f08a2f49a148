/* English: the bars around the picture and the panel beside it. */

/** The player. */
const player = {
  toolbar: "Replay and picture",
  first: "First (Home)",
  previous: "Previous (←)",
  play: "Play (space)",
  pause: "Pause (space)",
  next: "Next (→)",
  last: "Last (End)",
  lastIs: "Last: the latest step (End)",
  nextRuns: "Next: the kernel runs one node (→)",
  noNext: (why: string): string => `No next step. ${why}`,
  nextNone: "Next (→): this is the newest step",
  speed: "Speed",
  step: "Step",
  stepOf: (at: string, count: string): string => `step ${at} of ${count}`,
  stepIs: (step: string, title: string): string => `${step}: ${title}`,
  beginning: "the beginning",
  rounded: "The numbers of this page are rounded, so that it is not too large.",
  digits: (count: number): string => `${count} digits`,
  dropped: (count: number): string =>
    `The oldest ${count} events were dropped: the log is limited in size.`,
  older: (count: number): string => `… ${count} older`,
  atEarlier: "You are looking at an earlier step: back to the latest",
  backToLatest: "back to latest",
  recorded: "recorded",
  kernelBusy: "The kernel runs a cell. Your command runs after it.",
  waiting: "waiting for the cell",
  pausedLong: "Backward is paused: each Next runs one node in the kernel.",
  paused: "paused in backward",
  latest: "latest",
};

/** How the picture lies. */
const view = {
  onlyNewest: "Only the newest values are drawn; the older ones are recorded.",
  notDrawn: (count: number): string => `${count} older values not drawn`,
  drawNewest: "Draw only what the newest cell computed",
  drawAll: "Draw also the graphs that the newest cell did not use",
  newestOnly: "newest only",
  showOlder: (count: number): string =>
    count === 1 ? "show 1 older graph" : `show ${count} older graphs`,
  find: "Find (/)",
  leftToRight: "Left to right; switch to top down",
  topDown: "Top down; switch to left to right",
  smaller: "Smaller",
  larger: "Larger (or ctrl + wheel)",
  fit: "Fit: close groups until the picture fits (f)",
  help: "Keys and legend (?)",
  height: "Height",
  dragHeight: "Drag to change the height; double click to let it follow the picture",
  map: "The whole picture, and the part of it that is in view",
  otherEnd: "The other end of the red arrow: go there",
};

/** Problems, one after another. */
const problemChips = {
  error: "error",
  hazard: "overwritten value",
  nan: "NaN or Inf",
  count: (count: number): string => `${count} problems`,
  title: "Errors, overwritten values, NaN and Inf: go to the next (!)",
  oneMore: "One more saved value was overwritten.",
  more: (count: number): string => `${count} more saved values were overwritten.`,
  oneEarlier: "1 overwritten value of an earlier cell",
  earlier: (count: number): string => `${count} overwritten values of earlier cells`,
};

/** A backward run that is paused. */
const pausedRun = {
  label: "The paused run",
  inCell:
    "Backward is paused in the running cell, which continues after the run. Next (→) runs one node.",
  paused: "Backward is paused. Next (→) runs one node.",
  toEndTitle: "Run the remaining nodes",
  toEnd: "run to the end",
  stopCell: "Interrupt the cell here; gradients that were accumulated stay",
  stopTitle: "Stop here; gradients that were accumulated stay",
  stop: "stop here",
  left: (why: string): string => `Backward stopped here before its end. ${why}`,
  upToTitle: (node: string, value: string): string =>
    `Run up to and with ${node}, which made ${value}`,
  upTo: (value: string): string => `run up to ${value}`,
  runTo: (node: string): string => `run to ${node}`,
  whereRan: (node: string): string => `where ${node} ran`,
  itsNode: "its node",
};

/** The iterations of loops. */
const iterations = {
  at: (nr: number, count: number): string => `iteration ${nr} / ${count}`,
  after: (nr: number, count: number): string => `after iteration ${nr} / ${count}`,
  before: (nr: number, count: number): string => `before iteration ${nr} / ${count}`,
  slider: "Iteration of the loop",
  sliderOf: (loop: string): string => `Iteration of the loop ${loop}`,
  is: (nr: number, count: number): string => `iteration ${nr} of ${count}`,
  isWith: (nr: number, count: number, scalars: string): string =>
    `iteration ${nr} of ${count}: ${scalars}`,
  keptTitle: (kept: string): string =>
    `${kept}. The other iterations keep their scalars and the final values of the parameters.`,
  curveOnly: "curve only",
  keptOf: (kept: number, count: number): string => `all details: ${kept} of ${count} iterations`,
  keptOne: (nr: string): string => `all details: iteration ${nr}`,
  kept: (list: string): string => `all details: iterations ${list}`,
  nr: (nr: number): string => `iteration ${nr}`,
  notStored: (iteration: string): string => `${iteration} (details not stored)`,
  shownInstead: (iteration: string, shown: number): string =>
    `${iteration} (details not stored; the picture shows iteration ${shown})`,
  logarithmic: (names: string): string => `Logarithmic scale: ${names}`,
  log: "log",
  tip: (nr: number, scalars: string): string => `iteration ${nr}: ${scalars}`,
};

/** What is said where there is no picture, and for a while. */
const notices = {
  fault: "The picture of this moment could not be drawn. Nothing that was recorded is lost.",
  again: "try again",
  reading: "Reading the recording …",
  nothing: "Nothing recorded yet.",
  nothingHint: "Run a cell that computes with tensors, and its graph grows here.",
  nothingRun: "Nothing recorded yet. Run a cell that computes with tensors.",
  beforeFirst: "Before the first step: nothing has been computed yet.",
  dismiss: "dismiss",
  moved: (command: string): string =>
    `Moved to the latest step first: ${command} changes the program as it is now.`,
  backwardFrom: (value: string): string => `backward from ${value}`,
  retainOn: (value: string): string => `retain_grad on ${value}`,
  retainOff: (value: string): string => `no retain_grad on ${value}`,
  stopping: "stopping the run",
  toEnd: "running to the end",
  runningOn: "running on",
  gone: "The kernel was restarted or has ended. The recording can be replayed; run the cell again to step live.",
  silent: "The kernel has not answered yet. The recording can be replayed.",
  recording: "This is a recording: run the cell again to step live.",
  unreadable: (why: string): string => `The log cannot be read: ${why}.`,
  contradiction: "The log cannot be read: its events contradict each other.",
  noLog: "The recorded log cannot be read: it is no log.",
  noEvents: "The recorded log cannot be read: it has no events.",
  incomplete: "The recorded log cannot be read: it is not complete JSON.",
  noProtocol: "The recorded log cannot be read: it does not say its protocol.",
  otherProtocol: (log: number, page: number): string =>
    `This log speaks protocol ${log}, this page protocol ${page}. ` +
    "Use the same version of graphwidget in the kernel and in the page: " +
    "restart the kernel, then reload the page.",
  notSaved: "The picture could not be saved here.",
  saveSvg: "Save the whole picture as SVG",
  savePng: "Save the whole picture as PNG",
  graph: "The computation graph",
  start: "Before the first step. Next (→) takes it.",
};

/** Finding by words. */
const find = {
  label: "Find in the graph",
  placeholder: "name, op, (2, 3), line 12 …",
  nothing: "nothing",
  close: "close",
  found: "What was found",
  kinds: { value: "value", op: "op", group: "group" },
  scopes: {
    module: "module",
    function: "function",
    loop: "loop",
    step: "step",
  } as Readonly<Record<string, string>>,
};

/** What is said of a step, and of a value that is selected. */
const panel = {
  show: "Show it in the picture",
  lineGone: "This line is no longer in the notebook",
  showInCell: "Show it in its cell",
  more: "more",
  less: "less",
  copy: "copy",
  copied: "copied",
  roles: {
    leaf: "leaf",
    parameter: "parameter",
    constant: "constant",
    intermediate: "computed",
  },
  shape: (shape: string): string => `shape ${shape}`,
  version: (version: number): string => `version ${version}`,
  notKept: "the program no longer keeps it",
  close: "Close",
  moreNumbers: "more numbers",
  backwardTitle: "Starts backward here and pauses before each node",
  backward: (value: string): string => `backward from ${value}`,
  stopRetaining: "stop retaining grad",
  retain: "retain grad",
  pathsFrom: "Paths from: ",
  andMore: (count: number): string => `and ${count} more`,
};

/** Optimization passes as a table. */
const passTable = {
  operations: "operations",
  operationsTitle: "Calls that a run makes; those of one block count as one",
  memory: "memory",
  memoryTitle: "The most memory that results hold at a time",
  time: "time",
  timeTitle: "A run of the compiled program on this machine: the quickest of several",
  total: "total",
  drawn: "What is drawn",
  looks: { before: "before", changes: "changes", after: "after" },
  counts: {
    removed: "removed",
    added: "added",
    known: "now a constant",
    fused: "fused",
    rewired: "other input",
    over: "written in place",
  },
  marks: {
    removed: "removed by this pass",
    added: "added by this pass",
    known: "computed now, once: a constant from here on",
    fused: "these run together, block by block",
    rewired: "reads another value than before",
    over: "written into the memory of its operand, which is not read again",
  },
  stay: "the calls stay",
  nothing: "nothing to do",
};

/** Two graphs side by side. */
const sideBySide = {
  replay: "Replay",
  step: "Step of both",
  fit: "Fit: both tidied (f)",
  dynamic: "dynamic",
  static: "static",
  graph: (name: string): string => `the ${name} graph`,
  whileRuns: "built while it runs",
  builtFirst: "built first, then run",
  noLine: "no line has run",
  grows: "it grows with each line",
  notBefore: "Nothing: a dynamic graph is not built before it runs.",
  nothingRun: "Nothing: no line has run.",
  notBuilt: "not built yet",
  beingBuilt: "being built: no numbers",
  complete: "complete: values flow through it",
  nothingBuilt: "Nothing: the graph has not been built.",
  phases: { nothing: "nothing yet", building: "building", running: "running", done: "done" },
};

export const bars = {
  player,
  view,
  problemChips,
  pausedRun,
  iterations,
  notices,
  find,
  panel,
  passTable,
  sideBySide,
};
