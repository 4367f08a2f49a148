/* Why a value had been written before anything was recorded of it. */

import type { ValueRow } from "../log/model";
import { t } from "../text/text";

/** A sentence on the version that a leaf had when it was first recorded; null where that is 0. */
export function versionWords({ version, leaf, call, parameter }: ValueRow): string | null {
  if (version === 0 || !leaf || call !== null) return null;
  const { initialised, once, times, parameterTimes } = t.explain.version;
  if (version === 1) return parameter ? initialised : once;
  return (parameter ? parameterTimes : times)(version);
}
