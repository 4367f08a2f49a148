/* The texts of the interface, in the language that was chosen for the page. */

import { en, type Texts } from "./en/texts";
import { zh } from "./zh/texts";

/** The languages of the interface: another one is one more table. */
export const TABLES = { en, zh } as const satisfies Record<string, Texts>;

export type Language = keyof typeof TABLES;

/** The texts in the chosen language: a name that always stands for the present table. */
export let t: Texts = en;

/** Chooses the language of all texts from now on. */
export function speak(language: Language): void {
  t = TABLES[language];
}

/** A text of the op table's, or a formula with words in it, in the chosen language. */
export function phrase(english: string): string {
  return t.phrases(english);
}
