import { Program, type Tensor } from "./builder";

/* The worked examples and some larger graphs, as logs. */

/** y = (x + w) * (w + 1), w = 1, x = 2: w reaches y along two paths. */
export function exampleA(backward = true): Program {
  const p = new Program();
  p.cell("w = tensor([1.]) ...");
  const w = p.leaf("w", [1]);
  const x = p.leaf("x", [2]);
  const a = p.op("add", [w, x], "a");
  const b = p.op("add", [w, 1], "b");
  const y = p.op("mul", [a, b], "y");
  if (backward) p.backward(y);
  return p;
}

/** l1 = input*w1; l2 = l1+w2; l3 = l1*w3; l4 = l2*l3; loss = mean(l4). */
export function exampleC(backward = true): Program {
  const p = new Program();
  p.cell();
  const input = p.leaf("input", [1, 1, 1, 1], false, [2, 2]);
  const w1 = p.leaf("w1", [2], true, []);
  const w2 = p.leaf("w2", [3], true, []);
  const w3 = p.leaf("w3", [4], true, []);
  const l1 = p.op("mul", [input, w1], "l1");
  const l2 = p.op("add", [l1, w2], "l2");
  const l3 = p.op("mul", [l1, w3], "l3");
  const l4 = p.op("mul", [l2, l3], "l4");
  const loss = p.op("mean", [l4], "loss");
  if (backward) p.backward(loss);
  return p;
}

/** b = a + 2; loss = (b * b).mean(); b is written; backward fails. */
export function exampleG(backward = true): Program {
  const p = new Program();
  p.cell();
  const a = p.leaf("a", [1, 3]);
  const b = p.op("add", [a, 2], "b");
  const square = p.op("mul", [b, b]);
  const loss = p.op("mean", [square], "loss");
  const after = p.fill(b, 1000);
  if (backward) p.backward(loss, [after]);
  return p;
}

/** A chain of `n` ops with a branch now and then: for timing. */
export function manyBoxes(n: number): Program {
  const p = new Program();
  p.cell();
  let a = p.leaf("x", [1, 2]);
  let b = p.leaf("w", [0.5, 0.5]);
  for (let i = 0; i < n; i += 1) {
    const next = p.op(i % 3 === 0 ? "mul" : "add", [a, i % 6 === 0 ? b : 0.5], `h${i}`);
    if (i % 7 === 0) b = p.leaf(`w${i}`, [0.5, 0.5]);
    a = next;
  }
  const loss = p.op("mean", [a], "loss");
  p.backward(loss);
  return p;
}

/** Layers of `width` units that all read each other: many crossings to avoid. */
export function network(layers: number, width: number): Program {
  const p = new Program();
  p.cell();
  let units = Array.from({ length: 3 }, (_, i) => p.leaf(`x${i}`, [i], false));
  for (let l = 0; l < layers; l += 1) {
    const next: Tensor[] = [];
    for (let u = 0; u < width; u += 1) {
      const read = units.filter((_, i) => (u + i) % 2 === 0 || units.length <= 3);
      const products = read.map((unit, i) => p.op("mul", [p.leaf(`w${l}${u}${i}`, [1]), unit]));
      next.push(products.reduce((a, b) => p.op("add", [a, b])));
    }
    units = next;
  }
  const [first] = units;
  if (first)
    p.backward(p.op("mean", [units.slice(1).reduce((a, b) => p.op("add", [a, b]), first)], "loss"));
  return p;
}

/** A loop of `count` iterations that train; only the iterations in `kept` have their details in the log. */
export function training(count: number, kept: readonly number[], backward = true): Program {
  const p = new Program();
  p.cell("for step in range(n): ...");
  const w = p.leaf("w", [1]);
  const x = p.leaf("x", [2], false);
  p.tell("scope", 1, null, "loop", "", "for step in range(n):", null, true);
  for (let iteration = 1; iteration <= count; iteration += 1) {
    const loss = iteration === 3 ? "nan" : 8 / iteration;
    if (kept.includes(iteration)) {
      p.tell("scope", 1 + iteration, 1, "iteration", String(iteration), "", null, true);
      const y = p.op("mul", [w, x], "y");
      const last = p.op("mean", [y], "loss");
      if (backward) p.backward(last);
      p.tell("scope", 1 + iteration, null, "iteration", String(iteration), "", null, false);
    }
    p.tell("curve", 1, iteration, ["loss"], [[loss]]);
  }
  p.tell("scope", 1, null, "loop", "", "", null, false);
  return p;
}
