/* Tables of a model: rows by number, of which a copy costs next to nothing. */

/** Rows that lie in one page. */
const SIZE = 64;

interface Page<R> {
  /** The table that may change it; others copy it first. */
  owner: object;
  readonly rows: (R | undefined)[];
}

/**
 * Rows by number, in pages. A copy shares all pages with its original, and whichever of the two
 * changes a page takes a page of its own first.
 */
export class Table<R extends object> implements Iterable<[number, R]> {
  private readonly pages: Map<number, Page<R>>;
  private me: object = {};
  private count: number;
  // The page that was asked for last: neighbours are asked for one after the other.
  private nr = -1;
  private page: Page<R> | undefined;

  constructor(from?: Table<R>) {
    this.pages = new Map(from?.pages);
    this.count = from?.count ?? 0;
    if (from) from.me = {};
  }

  get size(): number {
    return this.count;
  }

  get(id: number): R | undefined {
    const nr = Math.floor(id / SIZE);
    if (nr !== this.nr) {
      this.nr = nr;
      this.page = this.pages.get(nr);
    }
    return this.page?.rows[id - nr * SIZE];
  }

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  set(id: number, row: R): this {
    const { rows } = this.ownPage(Math.floor(id / SIZE));
    if (rows[id % SIZE] === undefined) this.count += 1;
    rows[id % SIZE] = row;
    return this;
  }

  delete(id: number): void {
    if (!this.has(id)) return;
    this.ownPage(Math.floor(id / SIZE)).rows[id % SIZE] = undefined;
    this.count -= 1;
  }

  clear(): void {
    this.pages.clear();
    this.count = 0;
    this.nr = -1;
  }

  private ownPage(nr: number): Page<R> {
    const known = this.pages.get(nr);
    if (known?.owner === this.me) return known;
    const rows: (R | undefined)[] = known ? known.rows.slice() : [];
    if (!known) for (let i = 0; i < SIZE; i += 1) rows.push(undefined);
    const page = { owner: this.me, rows };
    this.pages.set(nr, page);
    this.nr = -1;
    return page;
  }

  *[Symbol.iterator](): Generator<[number, R], undefined> {
    for (const [nr, { rows }] of this.pages) {
      for (let slot = 0; slot < SIZE; slot += 1) {
        const row = rows[slot];
        if (row !== undefined) yield [nr * SIZE + slot, row];
      }
    }
    return undefined;
  }

  /** The rows page by page; tables that share a page give the same list. */
  *lists(): Generator<readonly (R | undefined)[], undefined> {
    for (const { rows } of this.pages.values()) yield rows;
    return undefined;
  }

  *values(): Generator<R, undefined> {
    for (const { rows } of this.pages.values()) {
      for (const row of rows) if (row !== undefined) yield row;
    }
    return undefined;
  }

  *keys(): Generator<number, undefined> {
    for (const [id] of this) yield id;
    return undefined;
  }
}

/**
 * Finds what is rare among the rows of tables that are not changed any more: page by page, and in
 * each page once, however many moments share it.
 */
export function rare<R extends object, T>(
  find: (row: R, add: (item: T) => void) => void,
): (table: Table<R>) => T[] {
  const known = new WeakMap<readonly (R | undefined)[], readonly T[]>();
  return (table) => {
    const all: T[] = [];
    for (const rows of table.lists()) {
      let found = known.get(rows);
      if (!found) {
        const made: T[] = [];
        for (const row of rows) if (row !== undefined) find(row, (item) => made.push(item));
        known.set(rows, (found = made));
      }
      for (const item of found) all.push(item);
    }
    return all;
  };
}
