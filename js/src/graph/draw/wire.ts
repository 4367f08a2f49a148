/* The wires of the picture. */

/** A forward wire, and the edge of the backward graph that runs the other way beside it. */
export interface Wire {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly value: number;
  /** The call that it leads into or out of; of a closed group one of its calls. */
  readonly call: number;
  /**
   * Into a call or out of it. `through` is into a closed group that reads the value in several
   * places: the gradient is then that of the value itself.
   */
  readonly way: "in" | "out" | "through";
  /**
   * The node and its edge (into a call), or the node that made the value and its output number
   * (else); without: null, -1.
   */
  readonly node: number | null;
  readonly edge: number;
  /** Into the pill of an optimizer's step, which takes the gradient of the value as well. */
  readonly stepped?: boolean;
  /** How many wires it stands for, where it is a bundle: it then has no gradient of its own. */
  readonly times?: number;
}

/** Of a wire that no gradient comes back on. */
export const NO_EDGE = { node: null, edge: -1 } as const;
