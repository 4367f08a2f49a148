/* A call that raised: what it was given, why that does not fit, and what would. */

import { called, isDescription } from "../graph/names";
import { shape } from "../log/format";
import type { ErrorRow, Model } from "../log/model";
import { math, pasted, plain, type Line } from "../text/piece";
import { t } from "../text/text";
import { list, name } from "./text";

/** Sentences on a call that raised; none when its inputs are not on record. */
export function explainFailedCall(model: Model, { op, inputs }: ErrorRow): Line[] {
  const given = inputs.flatMap((id) => {
    const value = model.values.get(id);
    return value ? [{ id, name: called(model, id, 16), dims: value.summary.shape }] : [];
  });
  if (given.length === 0) return [];
  const pieces = given.slice(0, 4).map(({ id, name: own, dims }) => {
    const text = isDescription(own) ? own : `${own} ${shape(dims)}`; // its shape is its name
    return { ...name(model, id), text };
  });
  const { wasGiven, theCall, fix } = t.problems;
  const lines: Line[] = [wasGiven(math(op ?? theCall), list(pieces))];
  const [a, b] = ADDS.test(op ?? "") ? given.slice(1) : given; // what is added comes first
  if (!a || !b) return lines;
  const found = PRODUCTS.test(op ?? "") ? product(a, b, op ?? "") : broadcast(a, b);
  if (found === null) return lines;
  lines.push([plain(found.why)]);
  if (found.fix !== null) lines.push(fix(pasted(found.fix)));
  return lines;
}

interface Given {
  readonly name: string;
  readonly dims: readonly number[];
}

interface Found {
  readonly why: string;
  readonly fix: string | null;
}

const PRODUCTS = /^(mm|bmm|matmul|linear|addmm|mv|__matmul__|@)/;
const ADDS = /^addmm/;
const NAME = /^[A-Za-z_][\w.]*$/;

/** The inner sizes of a product of matrices, and which transpose would fit. */
function product(a: Given, b: Given, op: string): Found | null {
  const linear = op.startsWith("linear");
  const own = a.dims.at(-1);
  const rows = linear ? b.dims.at(-1) : (b.dims.at(-2) ?? b.dims.at(-1));
  if (own === undefined || rows === undefined || own === rows) return null;
  const words = linear ? t.problems.linear : t.problems.product;
  const why = words(a.name, own, b.name, rows);
  const names = NAME.test(a.name) && NAME.test(b.name);
  if (!names || linear || a.dims.length !== 2 || b.dims.length !== 2) return { why, fix: null };
  if (own === b.dims[1]) return { why, fix: `${a.name} @ ${b.name}.T` };
  if (a.dims[0] === rows) return { why, fix: `${a.name}.T @ ${b.name}` };
  if (a.dims[0] === b.dims[1]) return { why, fix: `${b.name} @ ${a.name}` };
  return { why, fix: null };
}

/** The first sizes from the right that differ while none is 1. */
function broadcast(a: Given, b: Given): Found | null {
  const most = Math.max(a.dims.length, b.dims.length);
  for (let i = 1; i <= most; i += 1) {
    const [m, n] = [a.dims.at(-i) ?? 1, b.dims.at(-i) ?? 1];
    if (m === n || m === 1 || n === 1) continue;
    const why = t.problems.broadcast(a.name, m, b.name, n);
    return { why, fix: unsqueezed(a, b) ?? unsqueezed(b, a) };
  }
  return null;
}

/** One number for each row of a matrix: as a column it fits. */
function unsqueezed(short: Given, long: Given): string | null {
  if (short.dims.length !== 1 || long.dims.length !== 2 || !NAME.test(short.name)) return null;
  return short.dims[0] === long.dims[0] ? `${short.name}[:, None]` : null;
}
