/* Why a value had been written before anything was recorded of it. */

import type { ValueRow } from "../log/model";

/** A sentence on the version that a leaf had when it was first recorded; null where that is 0. */
export function versionWords({ version, leaf, call, parameter }: ValueRow): string | null {
  if (version === 0 || !leaf || call !== null) return null;
  if (parameter && version === 1) {
    return "It was version 1 from the beginning: initialisation wrote its first numbers in place.";
  }
  const times = version === 1 ? "once" : `${version} times`;
  const first = parameter ? ", the first time by its initialisation" : "";
  return `It had been written in place ${times} before it was first recorded${first}.`;
}
