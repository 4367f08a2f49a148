/* English: the texts by which those of other languages are typed. */

import { bars } from "./bars";
import { explain } from "./explain";
import { guess } from "./guess";
import { help } from "./help";
import { picture } from "./picture";
import { problems } from "./problems";

export const en = {
  explain,
  problems,
  bars,
  picture,
  help,
  guess,
  /** Formulas of the op table: English as they are. */
  phrases: (formula: string): string => formula,
};

/** All texts of a language: functions where a text has places. */
export type Texts = typeof en;
