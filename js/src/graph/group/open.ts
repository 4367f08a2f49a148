/* Which groups stand open: as many as fit, the outermost first, and what the user opened. */

import type { Group } from "./groups";
import { isOpByOp } from "./short-loops";

/** About how many boxes a stage shows at reading size, where its size is not known. */
export const BUDGET = 40;

/** The open groups: those of `places`, but as the reader wants it where he chose. */
export function open(
  root: Group,
  wanted: ReadonlyMap<string, boolean>,
  places: ReadonlySet<string>,
): ReadonlySet<Group> {
  const open = new Set<Group>([root]);
  let level: readonly Group[] = [root];
  while (level.length > 0) {
    level = innerOf(level).filter(({ place }) => wanted.get(place) ?? places.has(place));
    for (const group of level) open.add(group);
  }
  return open;
}

/**
 * The places of the groups that open by themselves while there are not too many boxes: for each
 * depth one list, the outermost first.
 */
export function openByDepth(root: Group, budget = BUDGET): string[][] {
  const depths: string[][] = [];
  let boxes = costOf(root);
  let level: readonly Group[] = [root];
  while (level.length > 0) {
    level = innerOf(level).filter((group) => {
      const cost = costOf(group) - 1;
      const fits = opensItself(group) && boxes + cost <= budget;
      if (fits) boxes += cost;
      return fits;
    });
    if (level.length > 0) depths.push(level.map(({ place }) => place));
  }
  return depths;
}

function innerOf(level: readonly Group[]): Group[] {
  return level.flatMap(({ items }) => items.filter((item) => typeof item !== "number"));
}

/**
 * How many boxes it has when open: a call comes with the card of what it made. In a loop that is
 * drawn op by op most of these have no name and are left out.
 */
function costOf(group: Group): number {
  if (isOpByOp(group)) return group.items.length;
  return group.items.reduce<number>((sum, item) => sum + (typeof item === "number" ? 2 : 1), 0);
}

/** What is known as one thing, or folded, opens only for the user. */
function opensItself(group: Group): boolean {
  const { sign, kind, times } = group;
  return sign === null && kind !== "part" && (times <= 2 || isOpByOp(group));
}

/** The groups around a group or call, the outermost first. */
export function groupsAround(root: Group, wanted: (item: Group | number) => boolean): Group[] {
  const stack: Group[] = [root];
  for (let group = stack.pop(); group; group = stack.pop()) {
    for (const item of group.items) {
      if (wanted(item)) {
        const around: Group[] = [];
        for (let up = group; up.parent; up = up.parent) around.push(up);
        return around.reverse();
      }
      if (typeof item !== "number") stack.push(item);
    }
  }
  return [];
}
