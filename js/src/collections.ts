/* Lists and maps: look-ups that must succeed, and groups. */

/** The item at an index that the list is known to have. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  if (index < 0 || index >= list.length) throw new RangeError(`no item ${index}`);
  return list[index] as T;
}

/** What a map holds under a key that it is known to have. */
export function get<K, V>(map: { get: (key: K) => V | undefined }, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new RangeError(`nothing is known of ${String(key)}`);
  return value;
}

/** How many items at the beginning of a list hold, where none holds after one that does not. */
export function countWhile<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(at(list, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds to the list under a key. */
export function push<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** The items that share a key, in their order. */
export function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items) push(groups, keyOf(item), item);
  return groups;
}
