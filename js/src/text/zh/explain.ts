/* Simplified Chinese: what is said of steps, nodes and values. */

import type { Texts } from "../en/texts";
import { code, dim, dimmed, grad, line, wrong } from "../piece";

const place: Texts["explain"]["place"] = {
  cell: (cell, nr) => `单元格 ${cell}，第 ${nr} 行`,
  file: (file, nr) => `${file}，第 ${nr} 行`,
  line: (nr) => `第 ${nr} 行`,
  unknown: "未知的一行",
  withCode: (where, text) => line`${where}，${text}`,
  comma: "、",
  and: " 和 ",
  stop: "。",
  more: (count) => `，还有 ${count} 个`,
};

const step: Texts["explain"]["step"] = {
  beforeCell: "本单元格之前：先前的单元格留下的内容",
  beforeFirst: "第一步之前",
  named: (name) => line`${name} 现在是一个值的名字`,
  alsoNamed: (name, before) => line`${name} 现在是 ${before} 的另一个名字`,
  isView: (base) => line`它是视图：与 ${base} 共用内存和版本计数器。`,
  noGradFn: "它没有 grad_fn：反向传播不经过这里。",
  packed: (node) => line`${node} 已记录，等待反向。它需要的值由钩子打包，反向时再由钩子交还。`,
  recomputed: (node) =>
    line`${node} 已记录，等待反向。它什么也没有保存：需要的值在反向时重新计算。`,
  savedHidden: (node) => line`${node} 已记录，等待反向。它保存了一个没有显示的张量。`,
  savedNothing: (node) => line`${node} 已记录，等待反向。它没有保存张量。`,
  saved: (node, values) => line`${node} 已记录，等待反向；已保存 ${values}。`,
  atVersion: (name, version) => `${name}（版本 ${version}）`,
  shapeIs: (shape) => line`它的形状是 ${shape}`,
  valueIs: (value) => line`它的值是 ${value}`,
  valueIsNow: (value) => line`它的值现在是 ${value}`,
  shared: (names) => line`内存是共用的，所以 ${names} 也随之改变。`,
  throughData:
    "这次写入经由 .data，自动求导察觉不到：为反向保存的值现在可能已经变了，而且不会报错。",
  harmless: "没有覆盖反向所需要的值。",
  givenData: (name) => line`${name} 换上了别的数据：版本不变`,
  writtenData: (name) => line`${name} 经由 .data 被写入：版本不变`,
  written: (name, from, to) => line`${name} 被原地写入：版本 ${from} → ${to}`,
  newValue: "一个新的值",
  parameter: (name) => line`${name} 是参数`,
  leaf: (name) => line`${name} 是需要梯度的叶子`,
  constant: (name) => line`${name} 不需要梯度：反向不为它计算梯度`,
  begins: (roots) => line`反向传播从 ${roots} 开始。`,
  beginsLive: (roots) => line`反向传播从 ${roots} 开始。按“下一步”：引擎每次运行一个节点。`,
  runsFromOne: "结果对自己的梯度是 1。从这里起，梯度逆着箭头走。",
  runsFromOneTo: (node) => line`结果对自己的梯度是 1。从这里起，梯度逆着箭头走，首先经过 ${node}。`,
  runs: "它的梯度逆着箭头走。",
  runsTo: (node) => line`它的梯度逆着箭头走，首先经过 ${node}。`,
  onlyOf: (inputs) => line`只求 ${inputs} 的梯度；不改变任何 .grad。`,
  retainGraph: "retain_graph=True：保留已保存的值。",
  createGraph: "create_graph=True：梯度也有自己的图。",
  done: "反向传播已完成",
  failed: "反向传播失败",
  stopped: "反向传播中途停止",
  ended: "反向传播已结束",
  keepsGrad: (name) => line`${name} 将把梯度保留在 .grad 中（retain_grad）`,
  passesGrad: (name) => line`${name} 需要梯度；除非是叶子，否则不保留自己的梯度`,
  requiresGrad: (name) => line`${name} 需要梯度`,
  requiresNone: (name) => line`${name} 不需要梯度`,
  gradZeroed: (own) => line`${own} 已清零`,
  gradCleared: (own) => line`${own} 已清除：又是 None`,
  gradAssigned: (own) => line`${own} 被赋值`,
  gradChanged: (own) => line`${own} 变了`,
};

const node: Texts["explain"]["node"] = {
  runs: (name) => line`${name} 运行`,
  hasRun: (name) => line`${name} 已运行`,
  derivativeOf: (output, incoming) => line`它是 ${output} 的导数。${incoming}`,
  wires: (count) => `梯度沿 ${count} 条连线传入。`,
  incoming: (gradient) => line`传入的梯度：${gradient}`,
  gradients: (count, shape) => `${count} 个形状为 ${shape} 的梯度`,
  equal: (count, gradient) => `${count} 份相等的贡献，每份 ${gradient}`,
  contributions: (first, count) => `${first} + …（共 ${count} 份贡献）`,
  partOf: (outputs, incoming) => line`它是 ${outputs} 的导数的一部分。传入的梯度：${incoming}`,
  to: (target, rest) => line`→ ${target}：${rest}`,
  toPart: (target, rest) => line`→ ${target}（同一导数的一部分）：${rest}`,
  aroundWritten: (op) => `梯度，写入的部分经 ${op} 传回`,
  ofWritten: (op) => `梯度中写入的部分，经 ${op} 传回`,
  times: "，乘以梯度：",
  so: "，所以 ",
  more: (count) => `→ 另外 ${count} 个输入同理`,
  words: (formula, sum) => line`${formula}，${sum}`,
  shapes: (from, to) => `（形状 ${from} → ${to}）`,
  gradient: "梯度",
  retains: (name, gradient) => line`${name} 保留自己的梯度：${gradient}`,
  freed: (names) => dimmed(line`已释放 ${names}：不再需要。`),
  kept: (names) => dimmed(line`${names} 仍然保存着，供下一次反向使用。`),
  addsTo: (name, leaf) => line`${name} 累加到 ${leaf}`,
  added: (count, sum) => line`梯度沿 ${count} 条连线到达，相加得：${sum}`,
  addedTo: (own, sum) => line`加到 ${own} 原有的值上：${sum}`,
  hook: (before, after) => line`钩子改变了它：${before}${grad(" → ")}${after}`,
  summedAll: (items) => `对全部 ${items} 个元素求和`,
  summedRows: (items) => `对这一批的 ${items} 行求和`,
  summedBatches: (items) => `对所有批的 ${items} 行求和`,
  summedDims: (dims, items) => `沿维度 ${dims} 求和（${items} 个元素）`,
};

const run: Texts["explain"]["run"] = {
  whole: (name, count) => `${name} 是 ${count} 个结果各乘以自己的梯度之和。`,
  differentiated: (formula) => line`求导的对象是 ${formula}。`,
  given: (gradient) => line`你给出了梯度 ${gradient}：它代替了通常的 1。`,
  computed: (call, gradients) => line`${call} 算得 ${gradients}`,
  thenStep: (optimizer) => line`然后优化器走一步：${optimizer}`,
  thenOne: (text) => line`然后 ${text} 原地改变了一个梯度。`,
  thenMany: (text, count) => line`然后 ${text} 原地改变了 ${count} 个梯度。`,
  gradientFor: (gradient, leaf) => line`${leaf} 的梯度 ${gradient}`,
  upTo: (leaf, size) => line`${leaf}（最大 ${size}）`,
  one: (leaf) => line`${leaf} 的梯度`,
  parameters: (count) => `${count} 个参数的梯度`,
  leaves: (count) => `${count} 个叶子的梯度`,
  extremes: (gradients, largest, smallest) =>
    line`${gradients}，最大的是 ${largest}，最小的是 ${smallest}`,
  gradGaveOne: (roots, inputs) =>
    line`autograd.grad 给出了它：${roots} 对 ${inputs} 的梯度。没有改变任何 .grad。`,
  gradGaveInOrder: (roots, inputs) =>
    line`autograd.grad 给出了它们：${roots} 对 ${inputs} 的梯度，依此顺序。没有改变任何 .grad。`,
  gradGave: (roots, inputs) =>
    line`autograd.grad 给出了它们：${roots} 对 ${inputs} 的梯度。没有改变任何 .grad。`,
  graphBehind: "create_graph=True：它背后有图，所以可以再次求导。",
  before: (values) => line`在它之前：${values}`,
  noValue: (names) => dimmed(line`${names} 还没有值。`),
  waits: (name) => line`${name} 等待自己的值`,
  eachRun: "每次运行时给出。",
};

const scope: Texts["explain"]["scope"] = {
  step: (optimizer) => line`${dim("它属于优化器的一步：")}${optimizer}`,
  module: (name, kind) => line`${dim("它属于 ")}${name}（${kind}）`,
  compiled: "。torch.compile 把它编译成了一个函数",
};

const paths: Texts["explain"]["paths"] = {
  moreThan: (count) => `超过 ${count}`,
  one: (from, to) => line`从 ${from} 到 ${to} 有一条路径`,
  many: (count, from, to) => line`从 ${from} 到 ${to} 有 ${count} 条路径`,
  runBackward: "运行反向后可以看到数值。",
  product: "沿这条路径的乘积",
  sum: (count) => `全部 ${count} 条路径之和`,
  factors: (count) => `${count} 个因子`,
  products: (count) => `${count} 个乘积之和`,
};

const version: Texts["explain"]["version"] = {
  initialised: "它一开始就是版本 1：初始化时原地写入了最初的数值。",
  once: "在首次记录之前，它已被原地写入过一次。",
  times: (count) => `在首次记录之前，它已被原地写入过 ${count} 次。`,
  parameterTimes: (count) => `在首次记录之前，它已被原地写入过 ${count} 次，第一次是初始化。`,
};

const effects: Texts["explain"]["effects"] = {
  willFail: line`${wrong("从这里反向会失败：")}它需要的已保存的值已被先前的反向释放。`,
  runs: (name, nodes) => `从 ${name} 反向将运行 ${nodes} 个节点`,
  addsTo: (leaves) => line`，累加到这些值的 .grad：${leaves}`,
  frees: (count) => `，并释放 ${count} 个已保存的值。`,
  stop: "。",
  stale: "到被覆盖的已保存的值处将会失败。",
};

const notFinite: Texts["explain"]["notFinite"] = {
  value: (made) => line`${made}：${wrong("NaN 或 Inf 最先出现在这里")}`,
  either: "nan 或 inf",
  gradient: (what, call) => line`${wrong(`梯度在这里变成了 ${what}`)}：${call} 的反向`,
  gradientAt: (what, call, places) =>
    line`${wrong(`梯度在这里变成了 ${what}`)}：${call} 在 ${places} 处的反向`,
};

const passes: Texts["explain"]["passes"] = {
  about: {
    built: "刚建好的程序",
    stabilise: "指数的对数改写成不会溢出的形式",
    uniform: "各元素相等的数组用一个数代替",
    constants: "只取决于常量的部分现在就算好，只算一次",
    common: "算两次的只算一次",
    algebra: "去掉不起作用的运算（× 1、+ 0、形状不变的视图）",
    dead: "去掉没有结果需要的部分",
    fusion: "对大数组逐元素的运算合在一起，一块一块地运行",
    reuse: "值在最后一次使用之后释放，内存重新利用",
    other: "优化的一遍",
  },
  title: (pass, about) => line`${code(pass)}：${about}`,
  eachStep: "每一步是优化器的一遍。它改变的地方都有标记。",
  leftOut: (calls) => line`− 去掉：${calls}`,
  inPlace: (calls) => line`+ 换成：${calls}`,
  rewired: (calls) => line`→ 现在读取别的值：${calls}`,
  known: (values) => line`= 从此是常量：${values}`,
  fused: (count) => `∘ ${count} 个运算合成了一个分块循环。`,
  over: (values) => line`↻ 原地写入：${values}`,
  overOne: (result, operand) => `${result} 写在 ${operand} 上`,
  freedEarly: "各个调用不变；每个大的值在最后一次使用之后就释放。",
  nothing: "这个程序里没有它可做的事。",
  operations: (figure) => `运算 ${figure}`,
  memory: (figure) => `内存 ${figure}`,
  notRun: "在这里无法运行：没有测量内存和时间",
  run: (figure) => `运行一次 ${figure}`,
  chance: (figure) => `运行一次 ${figure}，可能只是偶然`,
};

export const explain: Texts["explain"] = {
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
