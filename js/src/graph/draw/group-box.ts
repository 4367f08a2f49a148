/* What a closed group shows of what matters inside it. */

import { countWhile } from "../../collections";
import type { Summary } from "../../log/events";
import { cut, isUnknown, number, shape } from "../../log/format";
import { hazards, nodesOf, once, type Model, type NodeRow } from "../../log/model";
import { hasSpoilt, isTrouble, spoilt } from "../../log/not-finite";
import { rare } from "../../log/table";
import { t } from "../../text/text";
import type { GroupBox, GroupFacts } from "./boxes";
import { textWidth } from "./measure";
import { callsOf, type Group } from "../group/groups";
import { RAISED } from "../select/raised";
import { briefSign } from "../group/signs";

/** The calls of a group that were made by this moment. */
export function callsBy(model: Model, group: Group): readonly number[] {
  const calls = callsOf(group);
  const made = countWhile(calls, (call) => model.calls.has(call));
  return made === calls.length ? calls : calls.slice(0, made);
}

/** How much of a group is there, of which these calls were made: its nodes come after a call. */
export const stageOf = (model: Model, calls: readonly number[]): string =>
  `${calls.length} ${model.made.get(calls.at(-1) ?? -1)?.length ?? 0}`;

const inside = new WeakMap<Group, { readonly stage: string; readonly nodes: Set<number> }>();

/** The nodes of a group's calls; the same set while no node was made. */
export function nodesIn(model: Model, group: Group, calls: readonly number[]): ReadonlySet<number> {
  const known = inside.get(group);
  const stage = stageOf(model, calls);
  if (known?.stage === stage) return known.nodes;
  const nodes = new Set<number>();
  for (const call of calls) for (const { node } of nodesOf(model, call)) nodes.add(node);
  inside.set(group, { stage, nodes });
  return nodes;
}

const found = new WeakMap<Group, { readonly model: Model; readonly facts: GroupFacts }>();

/** A group in words and numbers, for its closed box and for its frame; found once of a model. */
export function factsOf(
  model: Model,
  group: Group,
  calls: readonly number[],
  stepped: ReadonlyMap<number, string>,
  uses: ReadonlyMap<number, readonly number[]>,
): GroupFacts {
  const known = found.get(group);
  if (known?.model === model) return known.facts;
  const facts = findFacts(model, group, calls, stepped, uses);
  found.set(group, { model, facts });
  return facts;
}

function findFacts(
  model: Model,
  group: Group,
  calls: readonly number[],
  stepped: ReadonlyMap<number, string>,
  uses: ReadonlyMap<number, readonly number[]>,
): GroupFacts {
  const { running, done, trouble } = stateOf(model, calls);
  const value = model.values.get(givenBy(model, calls, uses) ?? -1);
  const maker = value?.node == null ? undefined : model.nodes.get(value.node);
  const grad = maker?.grads_in[value?.nr ?? 0] ?? null;
  return {
    place: group.place,
    kind: group.kind,
    title: cut(group.title, 30),
    subtitle: group.kind === "repeat" || group.title !== group.subtitle ? group.subtitle : "",
    sign: group.sign,
    times: group.times,
    ops: group.ops,
    shape: value && !isUnknown(value.summary) ? shape(value.summary.shape) : "",
    norm: grad ? normOf(grad) : null,
    stepped: stepIn(model, calls, stepped),
    trouble,
    state: running ? "running" : done ? "done" : "ready",
  };
}

/** What a group gives: of what calls after it use the value that was made last, else its last. */
function givenBy(
  model: Model,
  calls: readonly number[],
  uses: ReadonlyMap<number, readonly number[]>,
): number | undefined {
  const last = calls.at(-1) ?? -1;
  for (let nr = calls.length - 1; nr >= 0; nr -= 1) {
    const outputs = model.calls.get(calls[nr] ?? -1)?.outputs ?? [];
    const given = outputs.find((id) => uses.get(id)?.some((reader) => reader > last));
    if (given !== undefined) return given;
  }
  return model.calls.get(last)?.outputs[0];
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

interface State {
  readonly running: boolean;
  readonly done: boolean;
  /** What is wrong inside, in a few words, or null. */
  readonly trouble: string | null;
}

/** How far the nodes inside have run, and what is wrong. */
function stateOf(model: Model, calls: readonly number[]): State {
  const { running, ...wrong } = unusual(model);
  const { troubles } = t.picture.groups;
  const among = (some: ReadonlySet<number>): boolean =>
    some.size > 0 && calls.some((call) => some.has(call));
  const trouble = (Object.keys(wrong) as (keyof typeof wrong)[]).find((text) => among(wrong[text]));
  const undone = (node: number): boolean => model.nodes.get(node)?.state !== "done";
  const done =
    calls.some((call) => model.made.has(call)) &&
    !calls.some((call) => model.made.get(call)?.some(undone));
  return { running: among(running), done, trouble: trouble ? troubles[trouble] : null };
}

/** The calls with something to tell of, the worst first. */
const unusual = once((model) => {
  const calls = {
    error: new Set<number>(),
    stale: new Set<number>(),
    nan: new Set<number>(),
    nanGradient: new Set<number>(),
    running: new Set<number>(),
  };
  for (const { call, state } of eventful(model.nodes)) {
    if (call === null) continue;
    if (state === "failed") calls.error.add(call);
    else if (state === "running") calls.running.add(call);
    else calls.nanGradient.add(call);
  }
  if (model.calls.has(RAISED)) calls.error.add(RAISED);
  for (const { node } of hazards(model)) {
    if (node.call !== null) calls.stale.add(node.call);
  }
  for (const value of spoilt(model)) {
    if (value.call !== null && isTrouble(model, value)) calls.nan.add(value.call);
  }
  return calls;
});

const eventful = rare<NodeRow, NodeRow>((node, add) => {
  const unusual = node.state === "failed" || node.state === "running";
  if (unusual || hasSpoilt(node.grads_out)) add(node);
});

/** The length of a gradient, or of a large one its largest item, as far as it is known. */
function normOf({ values, stats }: Summary): string | null {
  if (values) return `‖∂‖ ${number(Math.hypot(...values.map(Number)))}`;
  if (!stats) return null;
  const most = Math.max(Math.abs(Number(stats.min)), Math.abs(Number(stats.max)));
  return `max |∂| ${number(most)}`;
}

export const PILL_GROUP_H = 42;
export const GROUP_H = 66;

/** The size in words: `12 ops`, `5 iterations, 40 ops`. */
export function sizeText({ kind, ops, times }: Pick<GroupFacts, "kind" | "ops" | "times">): string {
  const words = t.picture.groups;
  return kind === "loop" ? words.loop(times, words.ops(ops)) : words.ops(ops);
}

/** The width of the badge that says how many equal ones a group stands for. */
export const timesWidth = (times: number): number => 12 + textWidth(`×${times}`, 11, "mono");

const classWidth = (name: string): number =>
  name === "" ? 0 : 8 + textWidth(name, 10.5, "regular");

/** The room that the title on a frame takes. */
export function frameTitleWidth({ title, subtitle }: GroupFacts): number {
  return 32 + textWidth(title, 13.5, "bold") + classWidth(subtitle);
}

/** The box of a closed group, `brief` where there is room for little more than its name. */
export function groupBox(
  group: Group,
  facts: GroupFacts,
  brief: boolean,
  age: number,
  nodes: ReadonlySet<number>,
): GroupBox {
  const { sign, subtitle, times } = facts;
  const path = facts.kind === "module" || facts.kind === "repeat";
  const name = brief && path ? facts.title.replace(/^.*\.(?=[^.]+$)/, "") : facts.title;
  const known = sign !== null && subtitle !== "" && subtitle !== name && !brief;
  const label = sign === null ? subtitle : known ? `${name} ${subtitle}` : name;
  const title = sign === null ? name : brief ? briefSign(sign) : sign;
  const badge = times > 1 ? timesWidth(times) + 10 : 0;
  const small = brief ? 11 : 10.5;
  const lines =
    sign === null
      ? [
          textWidth(title, 13.5, "bold") + badge + classWidth(label),
          textWidth(`${sizeText(facts)} → ${facts.shape}`, small, "regular"),
          brief ? 0 : textWidth("max |∂| 1.2e-7", 10.5, "mono"),
          textWidth(gradText(facts), small, "mono"),
        ]
      : [textWidth(title, 13, "bold") + badge, textWidth(label, small, "regular"), 48];
  return {
    kind: "group",
    key: group.key,
    facts,
    title,
    label,
    brief,
    nodes,
    age,
    w: Math.ceil((Math.max(...lines) + (brief ? 20 : 26)) / 6) * 6,
    h: sign === null ? GROUP_H : PILL_GROUP_H,
  };
}
