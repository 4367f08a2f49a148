/* Loops of a few short iterations, which are drawn op by op. */

/** What a group is made of. */
interface Part {
  readonly kind: string;
  readonly times: number;
  readonly items: readonly (number | Part)[];
}

/** The most iterations of a loop that is drawn op by op, and the most ops of each. */
const FEW_ITERATIONS = 12;
const FEW_OPS = 4;

const isOp = (item: number | Part): boolean => typeof item === "number";

/** Whether a loop is short enough to be drawn op by op; its iterations are then no groups. */
export function isShort({ times, items }: Part): boolean {
  const fits = (item: number | Part): boolean =>
    typeof item === "number" ||
    (item.kind === "iteration" && item.items.length <= FEW_OPS && item.items.every(isOp));
  return times <= FEW_ITERATIONS && items.every(fits);
}

/** Whether a group is a loop that is drawn so. */
export const isOpByOp = ({ kind, items }: Part): boolean => kind === "loop" && items.every(isOp);
