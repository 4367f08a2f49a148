/* A view in a page that lays nothing out, and a hand on it. */

import { afterEach, beforeAll, expect, vi } from "vitest";
import { mount } from "../../src/index";

/** A view has no size where nothing is laid out: tell it one. */
beforeAll(() => {
  globalThis.ResizeObserver = class {
    constructor(private readonly tell: ResizeObserverCallback) {}
    observe(): void {
      const entry = { contentRect: { width: 900, height: 330 } } as ResizeObserverEntry;
      this.tell([entry], this);
    }
    unobserve(): void {
      /* nothing to do */
    }
    disconnect(): void {
      /* nothing to do */
    }
  };
});

let close: (() => void) | null = null;
afterEach(() => {
  close?.();
  close = null;
  document.body.replaceChildren();
});

export const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 80));

export async function show(packed: string): Promise<HTMLElement> {
  const el = document.createElement("div");
  document.body.append(el);
  close = mount(el, packed);
  await vi.waitFor(() => {
    const shown = el.querySelector('.gw-name, [data-testid="fault"], [data-testid="empty"]');
    expect(shown).not.toBeNull();
  }, 5000);
  return el;
}

export const texts = (el: Element, selector: string): string[] =>
  [...el.querySelectorAll(selector)].map((x) => x.textContent);

export async function press(el: Element, action: string): Promise<void> {
  const button = el.querySelector<HTMLElement>(`[data-action="${action}"]`);
  button?.click();
  await tick();
}
