/* Simplified Chinese. */

import type { Texts } from "../en/texts";
import { bars } from "./bars";
import { explain } from "./explain";
import { guess } from "./guess";
import { help } from "./help";
import { phrases } from "./phrases";
import { picture } from "./picture";
import { problems } from "./problems";

export const zh: Texts = { explain, problems, bars, picture, help, guess, phrases };
