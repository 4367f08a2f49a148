/*
 * The boxes of a graph: cards of values, pills of calls with the slots of what they saved, and
 * closed groups.
 */

import type { Summary } from "../../log/events";
import type { CallRow, NodeRow, SlotRow, ValueRow } from "../../log/model";
import type { GroupKind } from "../group/group-kind";

export type Role = "leaf" | "parameter" | "constant" | "intermediate";

export interface Card {
  readonly kind: "card";
  readonly key: string;
  readonly value: ValueRow;
  readonly role: Role;
  readonly title: string;
  /** The title before it was cut; null where its shape is the title. */
  readonly label: string | null;
  readonly named: boolean;
  readonly meta: string;
  /** The numbers in lines; empty when a strip of the summary is drawn instead. */
  readonly lines: readonly string[];
  /** The gradient that passed through, when its node has run. */
  readonly passing: Summary | null;
  /** A small copy beside one consumer of a value with many. */
  readonly copy: boolean;
  /** A chip: title and shape, where there is no room for more. */
  readonly slim: boolean;
  /** So many letters a line of numbers may have. */
  readonly letters: number;
  /** Other cards show the same storage. */
  readonly shared: boolean;
  readonly w: number;
  readonly h: number;
}

export interface Slot {
  readonly key: string;
  readonly node: number;
  readonly index: number;
  readonly row: SlotRow;
  readonly name: string;
  readonly state: SlotState;
  /** How many slots it stands for: many that are alike are drawn as one. */
  readonly count: number;
}

/**
 * `empty` after the node's backward released it, `gone` when the node went without having run; of
 * what is not kept `packed` by a hook, or `recomputed` in backward.
 */
export type SlotState = "kept" | "stale" | "empty" | "gone" | "packed" | "recomputed";

export interface Pill {
  readonly kind: "pill";
  readonly key: string;
  readonly call: CallRow;
  /** The node whose outputs are drawn, and others that the same call made (CopySlices). */
  readonly nodes: readonly NodeRow[];
  readonly sign: string;
  readonly slots: readonly Slot[];
  /** The values that it reads in their order, where that matters; else empty. */
  readonly operands: readonly number[];
  /** Whether it stands at the end of the flow: a step that changes what is trained. */
  readonly late: boolean;
  /** The pill alone; slots stand beside it across the direction of flow. */
  readonly w: number;
  readonly h: number;
  readonly slotW: number;
}

/** What a group shows, closed or open. */
export interface GroupFacts {
  /** What it is called in a loop; by this the user opens and closes it. */
  readonly place: string;
  readonly kind: GroupKind;
  /** What the user would type, and the class. */
  readonly title: string;
  readonly subtitle: string;
  readonly sign: string | null;
  readonly times: number;
  readonly ops: number;
  /** The shape of what it made last. */
  readonly shape: string;
  /** The size of the gradient that reached that, as text. */
  readonly norm: string | null;
  /** The optimizer that stepped parameters inside. */
  readonly stepped: string | null;
  /** What is wrong inside, in a few words. */
  readonly trouble: string | null;
  readonly state: "ready" | "running" | "done";
}

/** A closed group. */
export interface GroupBox {
  readonly kind: "group";
  readonly key: string;
  readonly facts: GroupFacts;
  /** The title; of what is known as one thing its sign, with what it is called under it. */
  readonly title: string;
  readonly label: string;
  /** Whether there is room for little more than its name. */
  readonly brief: boolean;
  /** The nodes of all calls inside. */
  readonly nodes: ReadonlySet<number>;
  readonly age: number;
  readonly w: number;
  readonly h: number;
}

export type Box = Card | Pill | GroupBox;

/** Whether a node is drawn by the box: one of the pill's, or one inside the group. */
export function holdsNode(box: Box, node: number): boolean {
  if (box.kind === "pill") return box.nodes.some((own) => own.node === node);
  return box.kind === "group" && box.nodes.has(node);
}

/** When what a box stands for came. */
export function ageOf(box: Box): number {
  if (box.kind === "group") return box.age;
  return box.kind === "card" ? box.value.time : box.call.time;
}
