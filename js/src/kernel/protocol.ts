/*
 * What travels between the page and the kernel. Only this file and index.ts see anywidget's
 * model; messages are checked here, and what cannot be understood is reported, never guessed.
 */

import { PROTOCOL } from "../log/events";
import { spoken, t } from "../text/text";

/** The part of anywidget's model that is used. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(name: string, callback: (...args: unknown[]) => void): void;
  off(name: string, callback: (...args: unknown[]) => void): void;
  send(content: unknown): void;
}

export type Command =
  | { readonly type: "need"; readonly from: number; readonly language?: string }
  | ({ readonly type: "step"; readonly run: number; readonly count: number } & OfPause)
  | ({ readonly type: "until"; readonly run: number; readonly node: number } & OfPause)
  | ({ readonly type: "abandon"; readonly run: number } & OfPause)
  | { readonly type: "backward"; readonly value: number }
  | { readonly type: "retain_grad"; readonly value: number; readonly on: boolean }
  | { readonly type: "peek"; readonly value: number }
  | { readonly type: "here" };

/** A command to a run that waits in a running cell names the moment at which it waits. */
interface OfPause {
  readonly pause?: number;
}

/** A run that waits in the running cell: the moments at which it did are counted. */
export interface Pause {
  readonly number: number;
  readonly run: number;
}

export type Message =
  | { readonly type: "state"; readonly pause: Pause | null; readonly waiting: boolean }
  | { readonly type: "events"; readonly from: number; readonly events: readonly unknown[] }
  | { readonly type: "reject"; readonly re: unknown; readonly why: string };

/** A log as it is packed into one trait or one file. */
export interface Packed {
  readonly first: number;
  /** How many events it says it has. */
  readonly count: number;
  /** The events, part by part: each is parsed when it is asked for, or throws a TypeError. */
  readonly parts: Iterable<readonly unknown[]>;
  /** The significant digits of its numbers, where they were rounded. */
  readonly digits?: number;
}

/** A message from the kernel, or a TypeError saying what is wrong with it. */
export function parseMessage(content: unknown): Message {
  if (!isObject(content)) throw new TypeError("the kernel sent no object");
  if (content.type === "events") {
    if (!isCount(content.from) || !Array.isArray(content.events)) {
      throw new TypeError("the kernel sent events without their time");
    }
    return { type: "events", from: content.from, events: content.events };
  }
  if (content.type === "state") {
    return { type: "state", pause: parsePause(content.pause), waiting: content.waiting === true };
  }
  if (content.type === "reject") {
    const why = typeof content.why === "string" ? content.why : "no reason was given";
    return { type: "reject", re: content.re, why };
  }
  throw new TypeError(`the kernel sent a message of an unknown type`);
}

function parsePause(pause: unknown): Pause | null {
  if (pause === null) return null;
  if (!Array.isArray(pause) || !isCount(pause[0]) || !isCount(pause[1])) {
    throw new TypeError("the kernel sent a pause without its number");
  }
  return { number: pause[0], run: pause[1] };
}

/** A packed log (text or bytes), or a TypeError with a sentence that can be shown. */
export function parsePacked(packed: unknown): Packed | null {
  const text = toText(packed).trim();
  if (text === "") return null;
  const head = /^{"protocol":[^\n]*,"events":\[\n/.exec(text)?.[0];
  const content = parse(head === undefined ? text : `${head}]}`);
  if (!isObject(content)) throw new TypeError(t.bars.notices.noLog);
  checkProtocol(content.protocol);
  const { first, events, count } = content;
  if (!isCount(first) || !Array.isArray(events)) {
    throw new TypeError(t.bars.notices.noEvents);
  }
  if (head === undefined) return { first, count: events.length, parts: cut(events) };
  if (!text.endsWith("\n]}")) throw new TypeError(t.bars.notices.incomplete);
  const { columns, digits } = content;
  const rows = lines(text, head.length);
  return {
    first,
    count: isCount(count) ? count : 0,
    parts: isObject(columns) ? absolute(rows, columns) : rows,
    ...(isCount(digits) ? { digits } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError(t.bars.notices.incomplete);
  }
}

/** So many events are one part where the log does not say. */
const PART = 500;

/** Events in parts. */
export function* cut(events: readonly unknown[]): Generator<readonly unknown[]> {
  for (let i = 0; i < events.length; i += PART) yield events.slice(i, i + PART);
}

/** Kernels write the events in lines of a few hundred, so that no task need parse all of them. */
function* lines(text: string, begin: number): Generator<readonly unknown[]> {
  for (let from = begin, to; from < text.length - 2; from = to + 1) {
    to = text.indexOf("\n", from);
    yield parse(`[${text.slice(from, to).replace(/,$/, "")}]`) as unknown[];
  }
}

/** Ids as they are: in a page they are the difference to the event of the same kind before. */
function* absolute(
  parts: Iterable<readonly unknown[]>,
  columns: Readonly<Record<string, unknown>>,
): Generator<readonly unknown[]> {
  const places = new Map(
    Object.entries(columns).map(([kind, all]) => [kind, Array.isArray(all) ? all.map(Number) : []]),
  );
  const last = new Map([...places].map(([kind, all]) => [kind, all.map(() => 0)]));
  for (const part of parts) {
    for (const row of part) {
      if (!Array.isArray(row)) continue;
      const before = last.get(String(row[0])) ?? [];
      places.get(String(row[0]))?.forEach((place, i) => {
        const step: unknown = row[place];
        if (typeof step === "number") before[i] = row[place] = (before[i] ?? 0) + step;
      });
    }
    yield part;
  }
}

/** Refuses a log of another protocol. */
export function checkProtocol(protocol: unknown): void {
  if (protocol === PROTOCOL) return;
  if (!isCount(protocol)) {
    throw new TypeError(t.bars.notices.noProtocol);
  }
  throw new TypeError(t.bars.notices.otherProtocol(protocol, PROTOCOL));
}

function toText(packed: unknown): string {
  if (typeof packed === "string") return packed;
  if (packed instanceof DataView || packed instanceof Uint8Array) {
    return new TextDecoder().decode(packed);
  }
  if (packed instanceof ArrayBuffer) return new TextDecoder().decode(packed);
  return "";
}

function isObject(x: unknown): x is Record<string, unknown> {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

function isCount(x: unknown): x is number {
  return Number.isSafeInteger(x) && (x as number) >= 0;
}

/** How long a kernel may take to answer before the page says that it waits. */
const PATIENCE = 4000;

/** Messages to and from a kernel. */
export class Link {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onMessage = (content: unknown): void => {
    this.receive(content);
  };
  private readonly onCount = (): void => {
    this.receiver.counted(Number(this.model.get("count")));
  };

  constructor(
    private readonly model: WidgetModel,
    private readonly receiver: Receiver,
  ) {
    model.on("msg:custom", this.onMessage);
    model.on("change:count", this.onCount);
    model.on("comm_live_update", this.onKernel);
  }

  /** False when there is nobody to send to. */
  send(command: Command): boolean {
    try {
      this.model.send(command.type === "need" ? { ...command, language: spoken() } : command);
    } catch {
      return false;
    }
    if (command.type !== "here") this.expect(this.receiver.silent);
    return true;
  }

  close(): void {
    clearTimeout(this.timer);
    this.model.off("msg:custom", this.onMessage);
    this.model.off("change:count", this.onCount);
    this.model.off("comm_live_update", this.onKernel);
  }

  /** Each message is answered at once where the host allows it; say so when one is not. */
  private expect(otherwise: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(otherwise, PATIENCE);
  }

  /** The kernel was restarted, or is connected again: a new one does not know this widget. */
  private readonly onKernel = (): void => {
    if (this.send({ type: "need", from: this.receiver.known() })) this.expect(this.receiver.gone);
    else this.receiver.gone();
  };

  private receive(content: unknown): void {
    clearTimeout(this.timer);
    try {
      this.receiver.received(parseMessage(content));
    } catch (error) {
      this.receiver.failed(error instanceof Error ? error.message : String(error));
    }
  }
}

export interface Receiver {
  received(message: Message): void;
  /** The kernel has this many events by now. */
  counted(count: number): void;
  /** How many events the page has. */
  known(): number;
  /** The kernel does not answer: it is busy, or there is none. */
  readonly silent: () => void;
  /** The kernel that could have answered is no more. */
  readonly gone: () => void;
  failed(why: string): void;
}
