/*
 * From a line of the user's program to its cell, where the host is JupyterLab or Notebook: their
 * cells stand in the same page. Elsewhere nothing is found, and a line is no link.
 */

import type { SourceLine } from "../text/piece";

const NOTEBOOK = ".jp-Notebook";
const CELL = ".jp-CodeCell";
const LINE = ".cm-line";

/** How long a line that was asked for stays lit, in milliseconds. */
const LIT = 1600;

/** Whether there are cells in this page to go to. */
export function hasCells(): boolean {
  return document.querySelector(NOTEBOOK) !== null;
}

/**
 * Scrolls to a line's cell and lights the line; false where it is not in the page: the cell was
 * changed since or deleted. The cell with that number, of those with the line; numbers begin anew
 * with each kernel, so the line alone decides where none has both.
 */
export function showInNotebook(wanted: SourceLine, near: Element): boolean {
  const notebook = near.closest(NOTEBOOK) ?? document.querySelector(`${NOTEBOOK}:not([hidden])`);
  const cells = [...(notebook?.querySelectorAll(CELL) ?? [])];
  const found = cells.flatMap((cell) => {
    const line = lineIn(cell, wanted);
    return line ? [{ cell, line }] : [];
  });
  const here = found.find(({ cell }) => numberOf(cell) === wanted.cell) ?? found.at(-1);
  if (!here) return false;
  here.line.scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
  // An animation changes nothing in the editor's own elements, which it would put right at once.
  const lit = { backgroundColor: "rgb(255 191 0 / 45%)" };
  here.line.animate([lit, { ...lit, offset: 0.6 }, { backgroundColor: "transparent" }], LIT);
  return true;
}

/** The number in a cell's brackets; null while it has none. */
function numberOf(cell: Element): number | null {
  const text = cell.querySelector(".jp-InputPrompt")?.textContent ?? "";
  const digits = /\d+/.exec(text)?.[0];
  return digits === undefined ? null : Number(digits);
}

/** The element of the line: that with its number, if it says the same, else any that does. */
function lineIn(cell: Element, { line, text }: SourceLine): Element | undefined {
  const lines = [...cell.querySelectorAll(LINE)];
  const says = (one: Element | undefined): boolean =>
    one?.textContent.trim().startsWith(text) === true;
  const own = lines[line - 1];
  return text === "" ? undefined : says(own) ? own : lines.find(says);
}

const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
