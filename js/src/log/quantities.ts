/* Amounts of memory and time as a person would write them. */

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** `481.6 kB`: three digits, in steps of a thousand. */
export function bytes(n: number): string {
  let unit = 0;
  while (n >= 999.5 && unit < UNITS.length - 1) {
    n /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? String(n) : digits(n)} ${UNITS[unit] ?? ""}`;
}

/** Microseconds: `12.3 µs`, `1.23 ms`. */
export function duration(microseconds: number): string {
  if (microseconds >= 999_500) return `${digits(microseconds / 1e6)} s`;
  if (microseconds >= 999.5) return `${digits(microseconds / 1e3)} ms`;
  return `${digits(microseconds)} µs`;
}

/** Three digits that count. */
function digits(n: number): string {
  return n >= 99.95 ? n.toFixed(0) : n >= 9.995 ? n.toFixed(1) : n.toFixed(2);
}
