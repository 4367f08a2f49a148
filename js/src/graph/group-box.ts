/* What a closed group shows of what matters inside it. */

import type { Summary } from "../log/events";
import { cut, number, shape } from "../log/format";
import { holdsTensor, type Model, type NodeRow } from "../log/model";
import type { GroupBox, GroupFacts } from "./boxes";
import { textWidth } from "./measure";
import { callsIn, type Group } from "./groups";

/** A group in words and numbers, for its closed box and for its frame. */
export function factsOf(
  model: Model,
  group: Group,
  nodes: (call: number) => readonly NodeRow[],
  stepped: ReadonlyMap<number, string>,
): GroupFacts {
  const calls = callsIn(group);
  const inside = calls.flatMap(nodes);
  const last = calls.at(-1);
  const output = last === undefined ? undefined : model.calls.get(last)?.outputs[0];
  const value = output === undefined ? undefined : model.values.get(output);
  const maker = value?.node == null ? undefined : model.nodes.get(value.node);
  const grad = maker?.grads_in[value?.nr ?? 0] ?? null;
  const running = inside.some((node) => node.state === "running");
  const done = inside.length > 0 && inside.every((node) => node.state === "done");
  return {
    place: group.place,
    kind: group.kind,
    title: cut(group.title, 30),
    subtitle: group.kind === "repeat" || group.title !== group.subtitle ? group.subtitle : "",
    sign: group.sign,
    times: group.times,
    ops: group.ops,
    shape: value ? shape(value.summary.shape) : "",
    norm: grad ? normOf(grad) : null,
    stepped: stepIn(model, calls, stepped),
    trouble: troubleOf(model, calls, inside),
    state: running ? "running" : done ? "done" : "ready",
  };
}

/** What stepped a parameter that is read inside, or null. */
function stepIn(
  model: Model,
  calls: readonly number[],
  stepped: ReadonlyMap<number, string>,
): string | null {
  if (stepped.size === 0) return null;
  for (const id of calls) {
    for (const input of model.calls.get(id)?.inputs ?? []) {
      const storage = typeof input === "number" ? model.values.get(input)?.storage : undefined;
      const by = storage === undefined ? undefined : stepped.get(storage);
      if (by !== undefined) return by;
    }
  }
  return null;
}

/** The third line of a closed group: the size of its gradient, and what stepped its parameters. */
export const gradText = ({ norm, stepped }: GroupFacts): string =>
  [norm, stepped === null ? null : `↻ ${stepped}`].filter((text) => text !== null).join("  ");

/** What is wrong inside, in a few words, or null. */
function troubleOf(
  model: Model,
  calls: readonly number[],
  nodes: readonly NodeRow[],
): string | null {
  if (nodes.some((node) => node.state === "failed")) return "an error inside";
  const stale = nodes.some(
    (node) =>
      !node.freed &&
      node.state !== "done" &&
      node.saved.some((slot) => holdsTensor(slot) && slot.stale.length > 0),
  );
  if (stale) return "a saved value was written in place";
  for (const id of calls) {
    for (const output of model.calls.get(id)?.outputs ?? []) {
      const summary = model.values.get(output)?.summary;
      if (summary && !isFinite(summary)) return "NaN or Inf inside";
    }
  }
  for (const node of nodes) {
    if (node.grads_out.some((grad) => grad && !isFinite(grad))) return "NaN or Inf in a gradient";
  }
  return null;
}

function isFinite({ values, stats }: Summary): boolean {
  if (stats) return stats.nonfinite === 0;
  return !(values ?? []).some((x) => typeof x === "string");
}

/** The length of a gradient, or of a large one its largest item, as far as it is known. */
function normOf({ values, stats }: Summary): string | null {
  if (values) return `‖∂‖ ${number(Math.hypot(...values.map(Number)))}`;
  if (!stats) return null;
  const most = Math.max(Math.abs(Number(stats.min)), Math.abs(Number(stats.max)));
  return `max |∂| ${number(most)}`;
}

export const PILL_GROUP_H = 42;
export const GROUP_H = 66;

/** Counted as it is meant: `12 ops`, `5 turns, 40 ops`. */
export function sizeText({ kind, ops, times }: Pick<GroupFacts, "kind" | "ops" | "times">): string {
  const count = `${ops} ${ops === 1 ? "op" : "ops"}`;
  return kind === "loop" ? `${times} turns, ${count}` : count;
}

/** The width of the badge that says how many equal ones a group stands for. */
export const timesWidth = (times: number): number => 12 + textWidth(`×${times}`, 11, "mono");

const classWidth = (name: string): number =>
  name === "" ? 0 : 8 + textWidth(name, 10.5, "regular");

/** The room that the title on a frame takes. */
export function frameTitleWidth({ title, subtitle }: GroupFacts): number {
  return 32 + textWidth(title, 13.5, "bold") + classWidth(subtitle);
}

/** The box of a closed group. */
export function groupBox(
  group: Group,
  facts: GroupFacts,
  age: number,
  nodes: ReadonlySet<number>,
): GroupBox {
  const { sign, title, subtitle, times } = facts;
  const badge = times > 1 ? timesWidth(times) + 10 : 0;
  const lines =
    sign === null
      ? [
          textWidth(title, 13.5, "bold") + badge + classWidth(subtitle),
          textWidth(`${sizeText(facts)} → ${facts.shape}`, 10, "regular"),
          textWidth("max |∂| 1.2e-7", 10.5, "mono"),
          textWidth(gradText(facts), 10.5, "mono"),
        ]
      : [
          textWidth(sign, 13, "bold") + badge,
          textWidth(subtitle === title ? title : `${title} ${subtitle}`, 10.5, "regular"),
          48,
        ];
  return {
    kind: "group",
    key: group.key,
    facts,
    nodes,
    age,
    w: Math.ceil((Math.max(...lines) + 26) / 6) * 6,
    h: sign === null ? GROUP_H : PILL_GROUP_H,
  };
}
