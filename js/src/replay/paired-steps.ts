/*
 * Two programs on one time axis: which step of the one and which of the other are shown together.
 */

/** What a step is about: the key of an op, or "" for what is no call (an input). */
export type Key = string;

/** The steps shown at a moment, -1 before the first: of the left program and of the right. */
export type Pair = readonly [number, number];

/** Longer programs are joined in proportion, not call by call. */
const MOST_CELLS = 2_000_000;

/**
 * The moments of both programs. First the right one is built (its first `built` steps), then both
 * run: calls of one op go together, and what only the right one does goes with what comes next.
 */
export function pairSteps(left: readonly Key[], right: readonly Key[], built: number): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i < built; i += 1) pairs.push([-1, i]);
  const runs = right.slice(built);
  let at = built - 1;
  let next = 0;
  const alone = (until: number): void => {
    for (; next < until; next += 1) if (left[next] !== "") pairs.push([next, at]);
  };
  for (const [l, r] of matches(left, runs)) {
    alone(l);
    at = built + r;
    pairs.push([l, at]);
    next = l + 1;
  }
  alone(left.length);
  const last: Pair = [left.length - 1, right.length - 1];
  const end = pairs.at(-1);
  if (!end || end[0] !== last[0] || end[1] !== last[1]) pairs.push(last);
  return pairs;
}

/** The longest common sequence of calls, as pairs of places. */
function matches(left: readonly Key[], right: readonly Key[]): Pair[] {
  const [n, m] = [left.length, right.length];
  if (n === 0 || m === 0) return [];
  if (n * m > MOST_CELLS) {
    return right
      .map((_, r): Pair => [Math.floor((r * n) / m), r])
      .filter(([l], r, all) => {
        return all[r + 1]?.[0] !== l;
      });
  }
  const width = m + 1;
  const best = new Uint32Array((n + 1) * width);
  const of = (l: number, r: number): number => best[l * width + r] ?? 0;
  const same = (l: number, r: number): boolean => left[l] !== "" && left[l] === right[r];
  for (let l = n - 1; l >= 0; l -= 1) {
    for (let r = m - 1; r >= 0; r -= 1) {
      best[l * width + r] = same(l, r)
        ? of(l + 1, r + 1) + 1
        : Math.max(of(l + 1, r), of(l, r + 1));
    }
  }
  const found: Pair[] = [];
  for (let l = 0, r = 0; l < n && r < m;) {
    if (same(l, r)) found.push([l++, r++]);
    else if (of(l + 1, r) >= of(l, r + 1)) l += 1;
    else r += 1;
  }
  return found;
}
