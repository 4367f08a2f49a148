/* Lookup tables of the model: by call the nodes that it made, by storage the nodes that saved it. */

import type { Model, NodeRow } from "./model";
import type { Table } from "./table";

/** Adds a node to the tables. */
export function addToIndices(model: Model, node: NodeRow): void {
  if (node.call !== null) add(model.made, node.call, node.node);
  for (const { storage } of node.freed ? [] : node.saved) {
    if (storage !== null) add(model.holders, storage, node.node);
  }
}

function add(lists: Table<readonly number[]>, key: number, item: number): void {
  const known = lists.get(key) ?? [];
  if (!known.includes(item)) lists.set(key, [...known, item]);
}

/** The node keeps nothing any more: later writes are no matter to it. */
export function dropSaved(model: Model, id: number): void {
  for (const { storage } of model.nodes.get(id)?.saved ?? []) {
    const nodes = storage === null ? undefined : model.holders.get(storage);
    if (storage === null || !nodes) continue;
    const left = nodes.filter((node) => node !== id);
    if (left.length > 0) model.holders.set(storage, left);
    else model.holders.delete(storage);
  }
}
