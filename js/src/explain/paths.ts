/* The paths between a value and an output, as sentences and as the chain rule. */

import type { Jacobian, Path, Paths } from "../graph/paths";
import { bracketed, called, symbol } from "../graph/names";
import { matrix, number } from "../log/format";
import type { Model } from "../log/model";
import { dim, grad, plain, type Line } from "../text/piece";
import { t } from "../text/text";
import { name } from "./text";

/** The paths that are spoken of, and the two values they join. */
interface Between {
  readonly from: number;
  readonly to: number;
  readonly found: Paths;
}

/** More paths than these are only said to be many. */
const COUNTED = 10_000;

/** `2 paths lead from w to y`. */
export function pathsLine(model: Model, { from, to, found }: Between): Line {
  const { moreThan, one, many } = t.explain.paths;
  const [start, end] = [name(model, from), name(model, to)];
  if (found.count === 1) return one(start, end);
  return many(found.count > COUNTED ? moreThan(COUNTED) : String(found.count), start, end);
}

/** One path: the values along it, and its product in symbols and numbers. */
export function pathLine(model: Model, between: Between, path: Path): [Line, Line] {
  const names = stations(model, between, path);
  const symbols = chain(names);
  const parts = [symbols.length <= 34 ? symbols : "", productText(path)];
  return [[plain(route(names))], [grad(parts.filter((text) => text !== "").join(" = "))]];
}

/** What the paths add up to, and what to do to see it in numbers. */
export function sumLines(model: Model, between: Between): Line[] {
  const { from, to, found } = between;
  const [leaf, root] = [called(model, from, 16), called(model, to, 16)];
  const text = sumText(leaf, root, found.paths, found.count, found.sum);
  if (text !== null) return [[grad(text)]];
  const later = dim(t.explain.paths.runBackward);
  return [[grad(symbolicSum(model, between))], [later]];
}

/** The values along a path, from the output back to the leaf. */
function stations(model: Model, { from, to }: Between, path: Path): string[] {
  const names = [called(model, to, 14)];
  for (const { node, edge } of path.hops.slice(0, -1)) {
    const [next, nr] = model.nodes.get(node)?.next[edge] ?? [null, 0];
    const output = next === null ? undefined : model.nodes.get(next)?.outputs[nr];
    names.push(output === undefined ? "·" : symbol(model, output, 14));
  }
  names.push(called(model, from, 14));
  return names;
}

/** `y ← a ← w`, shortened in the middle. */
function route(names: readonly string[]): string {
  const short = names.length > 7 ? names.toSpliced(3, names.length - 6, "…") : names;
  return short.join(" ← ");
}

/** The chain rule in symbols: `∂y/∂a · ∂a/∂w`. */
function chain(names: readonly string[]): string {
  const factors = names
    .slice(1)
    .map((name, i) => `∂${bracketed(names[i] ?? "")}/∂${bracketed(name)}`);
  return factors.join(" · ");
}

function symbolicSum(model: Model, between: Between): string {
  const { paths, count } = between.found;
  const terms = paths.map((path) => chain(stations(model, between, path)).replaceAll(" ", ""));
  const [from, to] = [called(model, between.from, 16), called(model, between.to, 16)];
  const text = terms.length === count ? terms.join(" + ") : "";
  if (text === "" || text.length > 80) {
    const words = count === 1 ? t.explain.paths.product : t.explain.paths.sum(count);
    return `∂${to}/∂${from} = ${words}`;
  }
  return `∂${to}/∂${from} = ${text}`;
}

/** `2 · 1 = 2`: the local derivatives along a path and their product. */
export function productText({ hops, product }: Path): string {
  if (!product) return "";
  const factors = hops.map(({ local }) => (local ? matrix(local) : "?"));
  if (factors.length === 1) return factors[0] ?? "";
  const text = factors.join(" · ");
  return `${text.length > 60 ? t.explain.paths.factors(factors.length) : text} = ${matrix(product)}`;
}

/** `∂y/∂w = 2·1 + 3·1 = 5`; null while the numbers are not known. */
export function sumText(
  from: string,
  to: string,
  paths: readonly Path[],
  count: number,
  sum: Jacobian | null,
): string | null {
  const left = `∂${to}/∂${from} = `;
  if (!sum) return null;
  if (paths.length !== count || count > 6)
    return `${left}${t.explain.paths.products(count)} = ${matrix(sum)}`;
  const parts = paths.map(({ hops, product }) => {
    const scalars = hops.flatMap(({ local }) => (local?.numbers.length === 1 ? local.numbers : []));
    if (scalars.length < hops.length) return product ? matrix(product) : "?";
    return scalars.map(signed).join("·");
  });
  const text = parts.join(" + ");
  const total = matrix(sum);
  return text === total ? `${left}${total}` : `${left}${text} = ${total}`;
}

function signed(x: number): string {
  return x < 0 ? `(${number(x)})` : number(x);
}
