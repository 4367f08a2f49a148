/* What a step of a static graph did, in words: it has no backward, and at first no numbers. */

import type { Event } from "../log/events";
import type { Model } from "../log/model";
import { dim, list, name, plain, toText, type Explanation } from "./text";

/** The explanation of a step of a static graph that is being built, or that runs. */
export function explainStatic(
  model: Model,
  told: Explanation,
  event: Event | undefined,
  building: boolean,
): Explanation {
  if (!building) {
    return { ...told, lines: told.lines.filter((line) => !toText(line).startsWith("It has no")) };
  }
  if (event?.event === "value") {
    return {
      ...told,
      title: [name(model, event.value), plain(" waits for its value")],
      lines: [[dim("Each run is given one.")]],
    };
  }
  const outputs = event?.event === "op" ? event.outputs : [];
  const made = outputs.map((value) => name(model, value));
  const promise = [
    ...list(made),
    plain(made.length === 1 ? " has" : " have"),
    plain(" no value yet."),
  ];
  return { ...told, lines: [made.length > 0 ? promise.map(dimmed) : []] };
}

const dimmed = (piece: ReturnType<typeof plain>) =>
  piece.tone === "plain" ? dim(piece.text) : piece;
