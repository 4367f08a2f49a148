/* What backward would do to the program, said before it is pressed. */

import { nodesBelow } from "../graph/reach";
import { called } from "../graph/names";
import { holdsTensor, type Model } from "../log/model";
import { plain, wrong, type Line, type Piece } from "../text/piece";
import { t } from "../text/text";
import { listOf, name } from "./text";

/** Whether a backward that is not over has reached the node: what it leaves is not known yet. */
function runsNow(model: Model, id: number): boolean {
  const run = model.nodes.get(id)?.run ?? null;
  return run !== null && model.runs.get(run)?.status === "running";
}

/** What backward from a value would do to the program, said before it is pressed. */
export function backwardEffects(model: Model, value: number): Line {
  const row = model.values.get(value);
  if (row?.node == null) return [];
  const nodes = nodesBelow(model, row.node);
  if (nodes.some((id) => runsNow(model, id))) return [];
  const leaves: Piece[] = [];
  let saves = 0;
  let freed = 0;
  let stale = 0;
  for (const id of nodes) {
    const node = model.nodes.get(id);
    if (!node) continue;
    if (node.variable !== null) leaves.push(name(model, node.variable));
    const slots = node.saved.filter(holdsTensor);
    if (node.freed && slots.length > 0) freed += 1;
    else saves += slots.length;
    stale += node.freed ? 0 : slots.filter((slot) => slot.stale.length > 0).length;
  }
  const words = t.explain.effects;
  if (freed > 0) return words.willFail;
  const to = listOf(leaves.slice(0, 6), leaves.length - 6);
  return [
    plain(words.runs(called(model, value, 16), nodes.length)),
    ...(leaves.length > 0 ? words.addsTo(to) : []),
    plain(saves > 0 ? words.frees(saves) : words.stop),
    ...(stale > 0 ? [wrong(words.stale)] : []),
  ];
}
