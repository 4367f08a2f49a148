/*
 * Stops: where "next" and "previous" rest. The steps inside one closed group are stepped over at
 * once, because there is nothing to be seen of them one by one.
 */

/** The closed group that the box of a step is in; null when the box itself is drawn. */
export type GroupAt = (step: number) => string | null;

/** The stop after a step: the next step, or the last one of the closed group that begins there. */
export function nextStop(from: number, count: number, groupAt: GroupAt): number {
  let to = from + 1;
  const group = to < count ? groupAt(to) : null;
  if (group !== null) while (to + 1 < count && groupAt(to + 1) === group) to += 1;
  return to;
}

/** The stop before a step: before the closed group that the step is in, else the step before. */
export function previousStop(from: number, groupAt: GroupAt): number {
  let to = from - 1;
  const group = from >= 0 ? groupAt(from) : null;
  if (group !== null) while (to >= 0 && groupAt(to) === group) to -= 1;
  return Math.max(-1, to);
}

/** What of a waiting run is known: what ran, and where gradients go from there. */
export interface Waiting {
  readonly order: readonly number[];
  readonly roots: readonly (readonly [number | null, number])[];
}

/** The nodes that can run next: those that a gradient has reached, of the newest first. */
function reached(
  { order, roots }: Waiting,
  next: (node: number) => readonly number[],
): ReadonlySet<number> {
  const ran = new Set(order);
  const found = new Set<number>();
  for (const [, node] of roots) if (!ran.has(node)) found.add(node);
  for (const node of order) for (const to of next(node)) if (!ran.has(to)) found.add(to);
  return found;
}

/**
 * The node to run to, so that one press steps over a closed group: the last one of the group that
 * the run enters next. Null when what comes next is drawn by itself: then one node is run.
 *
 * The engine runs the newest node first, so the last one of a group is the oldest that the run
 * reaches.
 */
export function stepOver(
  waiting: Waiting,
  next: (node: number) => readonly number[],
  groupOf: (node: number) => string | null,
): number | null {
  const coming = Math.max(-1, ...reached(waiting, next));
  const group = coming < 0 ? null : groupOf(coming);
  if (group === null) return null;
  const seen = new Set([coming]);
  const stack = [coming];
  let oldest = coming;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    oldest = Math.min(oldest, node);
    for (const to of next(node)) {
      if (seen.has(to) || groupOf(to) !== group) continue;
      seen.add(to);
      stack.push(to);
    }
  }
  return oldest === coming ? null : oldest;
}
