/* Simplified Chinese: errors and overwritten values, and how to fix them. */

import type { Texts } from "../en/texts";
import { code, line } from "../piece";

export const problems: Texts["problems"] = {
  stale: "一个已保存的值被原地修改：反向将会失败",
  staleFailed: "一个已保存的值被原地修改：反向失败",
  savedAt: (node, value, version, where) =>
    line`${node} 保存了 ${value}，当时是版本 ${version}（${where}）。`,
  versionNow: (version) => `它现在是版本 ${version}。`,
  wrote: (where, version) =>
    line`随后 ${where} 写入了同一块内存，现在是版本 ${version}。导数需要的是原来的值。`,
  wroteAndMore: (where, more, version) =>
    line`随后 ${where} 和另外 ${more} 处写入了同一块内存，现在是版本 ${version}。导数需要的是原来的值。`,
  fix: (fix) => line`修改：${fix}`,
  fixLeaf: (leaf) => line`修改：等反向之后再写入 ${leaf}。`,
  fixWrite: (text, where, fix) =>
    line`修改：把 ${text}（${where}）换成 ${fix}，或者等反向之后再写入。`,
  thatLine: "那一行",
  fixCopy: line`修改：保存一个副本（在使用它的地方加 ${code(".clone()")}），或者产生新的值而不写入这一个，或者等反向之后再写入。`,
  fixInstead: (text, where, fix) => line`修改：把 ${text}（${where}）换成 ${fix}`,
  callFailed: (op) => `${op} 失败`,
  aCallFailed: "一个调用失败",
  causedBy: (where, text) => line`起因：${where}，${text}`,
  neededBy: (where, text) => line`需要它的是：${where}，${text}`,
  headings: {
    version: "反向失败：一个已保存的值被原地修改",
    leaf: "需要梯度的叶子不能原地写入",
    freed: "反向失败：已保存的值已被先前的反向释放",
    none: "这个值不保留梯度",
    view: "这个视图不能原地写入",
    no_grad: "反向失败：那里没有可以往回走的图",
    custom: "反向失败：错误出在程序自己的钩子或 Function 中",
  },
  it: "它",
  isLeaf: (value) =>
    line`${value} 是叶子：它的梯度属于它现在的值。如果不需要图来记录，就在 ${code("with torch.no_grad():")} 下写入；或者改用副本（${code(".clone()")}）。`,
  wasFreed: line`为了节省内存，前一次反向释放了各个节点保存的值。请给它加上 ${code("retain_graph=True")}，或者重新计算前向。`,
  keepsNone: (value) =>
    line`${value} 不是叶子：梯度只是从它经过。要保留梯度，请在反向之前调用 ${code(".retain_grad()")}（即卡片上的图钉）。`,
  cutByDetach: (where, value) =>
    line`${where}：${value} 需要梯度，而这里由它产生的值不需要：detach() 剪断了图。`,
  cutHere: (where, value) =>
    line`${where}：${value} 需要梯度，而这里由它产生的值不需要：这次运算没有被记录。`,
  wasGiven: (call, values) => line`${call} 得到的是 ${values}。`,
  theCall: "这个调用",
  linear: (input, own, weight, rows) =>
    `线性层用输入的行乘以权重的行：${input} 的行有 ${own} 个元素，${weight} 的行有 ${rows} 个。`,
  product: (first, own, second, rows) =>
    `矩阵乘积用前者的行乘以后者的列：${first} 的行有 ${own} 个元素，${second} 的列有 ${rows} 个。`,
  broadcast: (first, m, second, n) =>
    `形状从右边起逐个比较；大小必须相等，或者其中一个是 1。这里 ${first} 是 ${m}，${second} 是 ${n}。`,
};
