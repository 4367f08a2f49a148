/* Simplified Chinese: questions about the next step. */

import type { Texts } from "../en/texts";

export const guess: Texts["guess"] = {
  switch: "先猜后看：每一步显示之前先回答 (g)",
  question: "关于下一步的问题",
  answer: "你的答案",
  placeholder: "例如 2, 0.5",
  check: "检查",
  hint: "提示",
  show: "看答案",
  right: "答对了。",
  wrong: "还不对。",
  shown: "这就是答案。",
  score: (right: number, asked: number): string => `${asked} 题中一次答对 ${right} 题。`,
  result: (value: string): string => `${value} 的数值是多少？`,
  sent: (node: string, value: string): string => `${node} 传给 ${value} 的梯度是多少？`,
  grad: (value: string): string => `这一步之后 ${value}.grad 的数值是多少？`,
  version: (value: string): string => `这一步之后 ${value} 的版本号是多少？`,
  next: "接下来运行哪个节点？",
  nodeOf: (node: string, value: string): string => `${node}（属于 ${value}）`,
  fails: "这次 backward() 能运行到底吗？",
  failsYes: "不能，会报错",
  failsNo: "能",
  slot: (node: string): string => `哪个保存的值使 ${node} 报错？`,
  hints: {
    result: "把输入的数值代入公式。",
    sent: "用传入的梯度乘以局部导数。",
    grad: "把到达的梯度加到 .grad 已有的数值上。",
    version: "每次原地写入都使版本号加 1。",
    next: "节点的梯度全部到达后才运行。AccumulateGrad 优先，其次是最后记录的节点。",
    fails: "比较每个保存的值当时的版本号和现在的版本号。有没有值已被释放？",
    slot: "找出保存之后又被写入的那个值。",
  },
};
