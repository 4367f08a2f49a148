/*
 * What travels between the page and the kernel. Only this file and index.ts see anywidget's
 * model; messages are checked here, and what cannot be understood is reported, never guessed.
 */

import { PROTOCOL } from "../log/events";

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
  | { readonly type: "need"; readonly from: number }
  | { readonly type: "step"; readonly run: number; readonly count: number }
  | { readonly type: "until"; readonly run: number; readonly node: number }
  | { readonly type: "abandon"; readonly run: number }
  | { readonly type: "backward"; readonly value: number }
  | { readonly type: "retain_grad"; readonly value: number; readonly on: boolean }
  | { readonly type: "peek"; readonly value: number };

export type Message =
  | { readonly type: "events"; readonly from: number; readonly events: readonly unknown[] }
  | { readonly type: "reject"; readonly re: unknown; readonly why: string };

/** A log as it is packed into one trait or one file. */
export interface Packed {
  readonly first: number;
  readonly events: readonly unknown[];
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
  if (content.type === "reject") {
    const why = typeof content.why === "string" ? content.why : "no reason was given";
    return { type: "reject", re: content.re, why };
  }
  throw new TypeError(`the kernel sent a message of an unknown type`);
}

/** A packed log (text or bytes), or a TypeError with a sentence that can be shown. */
export function parsePacked(packed: unknown): Packed | null {
  const text = toText(packed);
  if (text.trim() === "") return null;
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new TypeError("The recorded log cannot be read: it is not complete JSON.");
  }
  if (!isObject(content)) throw new TypeError("The recorded log cannot be read: it is no log.");
  checkProtocol(content.protocol);
  if (!isCount(content.first) || !Array.isArray(content.events)) {
    throw new TypeError("The recorded log cannot be read: it has no events.");
  }
  return { first: content.first, events: content.events };
}

/** Refuses a log of another protocol. */
export function checkProtocol(protocol: unknown): void {
  if (protocol === PROTOCOL) return;
  throw new TypeError(
    `This log speaks protocol ${String(protocol)}, this page protocol ${PROTOCOL}. ` +
      "Use the same version of graphwidget in the kernel and in the page: " +
      "restart the kernel, then reload the page.",
  );
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
  return typeof x === "number" && Number.isInteger(x) && x >= 0;
}

/** What the page says to a kernel, and hears from it. */
export class Link {
  private readonly onMessage = (content: unknown): void => {
    this.hear(content);
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
  }

  /** False when there is nobody to send to. */
  send(command: Command): boolean {
    try {
      this.model.send(command);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.model.off("msg:custom", this.onMessage);
    this.model.off("change:count", this.onCount);
  }

  private hear(content: unknown): void {
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
  failed(why: string): void;
}
