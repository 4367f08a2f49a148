/* Simplified Chinese: what stands in the picture. */

import type { Texts } from "../en/texts";

const numbers: Texts["picture"]["numbers"] = {
  unseen: "未记录",
  empty: "空",
  all: (item) => `全是 ${item}`,
  allZero: (shape) => `${shape}，全是 0`,
  mean: (shape, mean) => `${shape}，均值 ${mean}`,
  emptyShape: (shape) => `空，形状 ${shape}`,
  range: (shape, min, max, mean) => `${shape}，从 ${min} 到 ${max}，均值 ${mean}`,
  rangeNotFinite: (shape, min, max, mean, count) =>
    `${shape}，从 ${min} 到 ${max}，均值 ${mean}，其中 ${count} 个不是有限的数`,
  jacobian: (size) => `${size} 雅可比矩阵`,
  diagonal: (size) => `${size} 对角矩阵`,
  none: "无",
};

const names: Texts["picture"]["names"] = {
  scalar: "标量",
  outputOf: (size, op) => `${op} 输出的${size}`,
  parameter: (size) => `未命名的${size}参数`,
  value: (size) => `未命名的${size}值`,
  leaf: (size) => `未命名的${size}叶子`,
  constant: (size) => `未命名的${size}常量`,
  isDescription: /^未命名的| 输出的/,
  earlier: (name) => `${name}（之前）`,
  unnamed: "未命名",
  reductions: { mean: "平均 ", sum: "求和 " },
  weightedMean: (weight) => `以 ${weight} 加权平均 `,
};

const groups: Texts["picture"]["groups"] = {
  iteration: (nr) => `第 ${nr} 次迭代`,
  iterations: (from, to) => `第 ${from}–${to} 次迭代`,
  line: (nr) => `第 ${nr} 行`,
  lines: (from, to) => `第 ${from}–${to} 行`,
  opsFromTo: (from, to) => `运算 ${from}–${to}`,
  ops: (count) => `${count} 个运算`,
  loop: (times, ops) => `${times} 次迭代，${ops}`,
  times: (times, title) => `${times} 个 ${title}`,
  comma: "，",
  gives: (shape) => `给出 ${shape}`,
  stepped: "已更新",
  steppedBy: (optimizer) => `由 ${optimizer} 更新`,
  open: (group) => `打开 ${group}`,
  close: (group) => `折叠 ${group}`,
  closeTitle: (group) => `${group}：折叠`,
  troubles: {
    error: "里面有错误",
    stale: "一个已保存的值被原地写入",
    nan: "里面有 NaN 或 Inf",
    nanGradient: "梯度中有 NaN 或 Inf",
  },
};

const slots: Texts["picture"]["slots"] = {
  freed: "已释放",
  unused: "未使用",
  packed: "已打包",
  recomputed: "重新计算",
  saved: "已保存",
  counted: (count, word) => `${word} ${count}`,
  isPacked: "没有保存在这里：由钩子打包，反向时再由钩子交还",
  isRecomputed: "没有保存：由检查点在反向时重新计算",
  values: (count) => `${count} 个已保存的值`,
  value: (slot, name, version) => `${slot}（${name}），保存时是版本 ${version}`,
  wasFreed: (what) => `${what}；已由反向释放`,
  wasUnused: (what) => `${what}；未使用即释放：反向从未经过这张图`,
  isStale: (what) => `${what}；此后被覆盖：反向将会失败`,
  forBackward: (what) => `${what}，供反向使用`,
};

const cards: Texts["picture"]["cards"] = {
  notFinite: (count) => `${count} nan/inf`,
  shared: "这里还有别的值共用这块存储：写入其中一个，全都改变。",
  grad: "grad",
  pinOn: "retain_grad 已打开：梯度保留在 .grad 中。点击关闭。",
  pinOff: "retain_grad 已关闭：梯度只是经过。点击后保留在 .grad 中。",
  pin: (name) => `${name} 的 retain_grad`,
  backwardFrom: (name) => `从 ${name} 反向：先显示它会做什么`,
  backwardHere: "从这里反向：先显示它会做什么",
  backward: "◂ 反向",
  roles: { leaf: "叶子", parameter: "参数", constant: "常量", intermediate: "中间结果" },
  described: (name, role, numbers, meta) => `${name}：${role}，${numbers}，${meta}`,
  version: (version) => `，版本 ${version}`,
  requiresGrad: (truth) => `，requires_grad ${truth}`,
  withGrad: (grad) => `，grad ${grad}`,
  sentence: (words) => `。${words}`,
  noGradFn: "没有 grad_fn",
  becomesNan: "梯度在这里变成 NaN 或 Inf",
  wrote: (version) => `写成 v${version}`,
  view: "视图",
  values: (count) => `${count} 个值`,
  operand: (nr) => `这个运算的第 ${nr} 个操作数`,
  gradient: (numbers) => `梯度 ${numbers}`,
};

export const picture: Texts["picture"] = { numbers, names, groups, slots, cards };
