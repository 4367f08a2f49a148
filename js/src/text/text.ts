/* The texts of the interface, in the language that was chosen for the page. */

import { en, type Texts } from "./en/texts";
import { zh } from "./zh/texts";

/** The languages of the interface: another one is one more table. */
export const TABLES = { en, zh } as const satisfies Record<string, Texts>;

export type Language = keyof typeof TABLES;

/** The texts in the chosen language: a name that always stands for the present table. */
export let t: Texts = en;

/** Uses this language for all texts from now on. */
export function speak(language: Language): void {
  t = TABLES[language];
}

/** The code of the language that is used. */
export function spoken(): Language {
  return (Object.keys(TABLES) as Language[]).find((code) => TABLES[code] === t) ?? "en";
}

/**
 * Chooses the language of the page: what the kernel wants, where it wants one, else that of
 * JupyterLab (which writes it into the page), else the browser's. English is JupyterLab's where
 * none was chosen, and so says nothing. Gives whether the language changed.
 */
export function chooseLanguage(wanted: unknown): boolean {
  const before = t;
  const page = document.documentElement.lang;
  const own = /^en\b|^$/.test(page) ? navigator.language : page;
  speak(known(wanted) ?? known(own) ?? "en");
  return t !== before;
}

/** A language by its code (`zh-CN`, `zh_Hans`); null where there are no texts in it. */
function known(code: unknown): Language | null {
  const [name = ""] = typeof code === "string" ? code.toLowerCase().split(/[-_]/) : [];
  return name in TABLES ? (name as Language) : null;
}

/** A text of the op table's, or a formula with words in it, in the chosen language. */
export function phrase(english: string): string {
  return t.phrases(english);
}
