/* A table beside the picture, which scrolls by itself. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface SheetProps {
  class?: string;
  testid?: string;
  children: ComponentChildren;
}

/** The table in its frame. */
export function Sheet({ class: own = "", testid, children }: SheetProps) {
  return (
    <div class={`gw-sheet ${own}`} data-testid={testid}>
      <table>{children}</table>
    </div>
  );
}

interface Part {
  readonly current: HTMLElement | null;
}

/** While a part of a sheet is `now` what is looked at, the sheet (and not the page) scrolls to it. */
export function useNear(part: Part, now: boolean): void {
  useEffect(() => {
    const sheet = part.current?.closest(".gw-sheet");
    if (!now || !part.current || !sheet) return;
    const [outer, inner] = [sheet.getBoundingClientRect(), part.current.getBoundingClientRect()];
    const head = part.current.closest("tbody")
      ? (sheet.querySelector("thead")?.offsetHeight ?? 0)
      : 0;
    sheet.scrollBy(
      beyond(inner.left, inner.right, outer.left, outer.right),
      beyond(inner.top, inner.bottom, outer.top + head, outer.bottom),
    );
  }, [now]);
}

/** How far an interval lies outside another one; its beginning counts where it is the longer. */
export function beyond(from: number, to: number, start: number, end: number): number {
  if (from < start || to - from > end - start) return from - start;
  return Math.max(0, to - end);
}
