/*
 * What may stand in an event: the decoders in `events.ts` ask here for every field. What is not
 * as it should be is named in one sentence that can be shown.
 */

/** A log that cannot be read; its message says what is wrong with it. */
export class Unreadable extends TypeError {}

/** No list in an event is longer, no text and no number of sizes: what is drawn is bounded. */
const MOST_ITEMS = 100_000;
const MOST_LETTERS = 1_000_000;
const MOST_DIMS = 64;
const MOST_NUMBERS = 10_000;
const MOST_ITERATIONS = 1_000_000;

/** A kind of field: how to know one, and what to call one and several. */
interface Kind<T> {
  readonly is: (x: unknown) => x is T;
  readonly one: string;
  readonly many: string;
}

export const WHOLE: Kind<number> = {
  is: (x): x is number => Number.isSafeInteger(x) && (x as number) >= 0,
  one: "whole number",
  many: "whole numbers",
};
/** A size of a shape; -1 where it is known only when the graph runs. */
export const SIZE: Kind<number> = {
  is: (x): x is number => WHOLE.is(x) || x === -1,
  one: "size",
  many: "sizes",
};
export const TEXT: Kind<string> = {
  is: (x): x is string => typeof x === "string" && x.length <= MOST_LETTERS,
  one: "text of at most a million letters",
  many: "texts",
};
export const FLAG: Kind<boolean> = {
  is: (x): x is boolean => typeof x === "boolean",
  one: "true or false",
  many: "flags",
};
export const REAL: Kind<number> = {
  is: (x): x is number => typeof x === "number",
  one: "number",
  many: "numbers",
};
/** JSON has no nan and inf: they come as text. */
export const NUMERIC: Kind<number | boolean | string> = {
  is: (x): x is number | boolean | string =>
    typeof x === "number" || typeof x === "boolean" || x === "nan" || x === "inf" || x === "-inf",
  one: "number",
  many: "numbers",
};
export const WHOLE_OR_TEXT: Kind<number | string> = {
  is: (x): x is number | string => WHOLE.is(x) || TEXT.is(x),
  one: "value or number",
  many: "values and numbers",
};

export function one<T>(kind: Kind<T>, x: unknown, field: string): T {
  if (!kind.is(x)) throw new Unreadable(`'${field}' is no ${kind.one}`);
  return x;
}

/** A list whose items are all of a kind. */
export function many<T>(kind: Kind<T>, x: unknown, field: string): readonly T[] {
  const items = list(x, field, kind.many);
  for (const item of items) {
    if (!kind.is(item)) throw new Unreadable(`'${field}' is no list of ${kind.many}`);
  }
  return items as readonly T[];
}

/** A list whose items are looked at by who asked. */
export function list(x: unknown, field: string, of = "parts"): readonly unknown[] {
  if (!Array.isArray(x)) throw new Unreadable(`'${field}' is no list of ${of}`);
  if (x.length > MOST_ITEMS) {
    throw new Unreadable(
      `'${field}' has ${counted(x.length)} items, more than ${counted(MOST_ITEMS)}`,
    );
  }
  return x as readonly unknown[];
}

/** The fields of a part; `count` of them at least, since later protocols may add some. */
export function part(x: unknown, name: string, count: number): readonly unknown[] {
  if (!Array.isArray(x)) throw new Unreadable(`a part (${name}) is no list`);
  if (x.length < count) throw new Unreadable(`a part (${name}) has too few fields`);
  return x as readonly unknown[];
}

export function pair<A, B>(
  x: unknown,
  field: string,
  read: (a: unknown, b: unknown) => readonly [A, B],
): readonly [A, B] {
  const items = list(x, field, "pairs");
  if (items.length !== 2) throw new Unreadable(`'${field}' is no list of pairs`);
  return read(items[0], items[1]);
}

export function table(x: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof x !== "object" || x === null || Array.isArray(x)) {
    throw new Unreadable(`'${field}' is no table`);
  }
  return x as Readonly<Record<string, unknown>>;
}

export function texts(x: unknown, field: string): Readonly<Record<string, string>> {
  for (const text of Object.values(table(x, field))) {
    if (!TEXT.is(text)) throw new Unreadable(`'${field}' is no table of texts`);
  }
  return x as Readonly<Record<string, string>>;
}

/** A summary's numbers are as many as its shape says, and few enough to be drawn. */
export function soundSummary<
  S extends { readonly shape: readonly number[]; readonly values: readonly unknown[] | null },
>(summary: S): S {
  const { shape, values } = summary;
  if (shape.length > MOST_DIMS) {
    throw new Unreadable(`'shape' has ${counted(shape.length)} sizes, more than ${MOST_DIMS}`);
  }
  if (values === null) return summary;
  const size = shape.reduce((product, n) => product * n, 1);
  if (values.length !== size) {
    throw new Unreadable(
      `'values' has ${counted(values.length)} numbers, the shape (${shape.join(", ")}) ` +
        `has ${counted(size)}`,
    );
  }
  few(values, "values");
  return summary;
}

/** A matrix has as many numbers as rows times columns. */
export function soundMatrix<
  M extends {
    readonly rows: number;
    readonly columns: number;
    readonly numbers: readonly unknown[];
  },
>(matrix: M): M {
  if (matrix.numbers.length !== matrix.rows * matrix.columns) {
    throw new Unreadable(
      `'numbers' has ${counted(matrix.numbers.length)} numbers, ` +
        `${matrix.rows} rows of ${matrix.columns} were said`,
    );
  }
  return matrix;
}

function few(numbers: readonly unknown[], field: string): void {
  if (numbers.length > MOST_NUMBERS) {
    throw new Unreadable(
      `'${field}' has ${counted(numbers.length)} numbers, more than ${counted(MOST_NUMBERS)}`,
    );
  }
}

/** A curve is padded up to its first iteration, and has one number for each name in each row. */
export function soundCurve<
  C extends {
    readonly first: number;
    readonly names: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
  },
>(curve: C): C {
  const { first, names, rows } = curve;
  if (first < 1 || first > MOST_ITERATIONS)
    throw new Unreadable(`'first' is no iteration that can be drawn`);
  if (names.length > MOST_DIMS) throw new Unreadable(`'names' has more than ${MOST_DIMS} names`);
  if (rows.some((row) => row.length !== names.length)) {
    throw new Unreadable(`'rows' has not one number for each name`);
  }
  return curve;
}

/** An iteration is named by its number. */
export function soundScope<S extends { readonly kind: string; readonly name: string }>(
  scope: S,
): S {
  if (scope.kind === "iteration" && !/^[1-9]\d{0,8}$/.test(scope.name)) {
    throw new Unreadable(`'name' of an iteration is not its number`);
  }
  return scope;
}

/** What a pass leaves can run in its order: nothing is read before it is made. */
export function soundPass<
  P extends {
    readonly steps: readonly {
      readonly call: number;
      readonly inputs: readonly (number | string)[];
      readonly outputs: readonly number[];
    }[];
  },
>(pass: P): P {
  const { steps } = pass;
  const later = new Map<number, number>();
  steps.forEach(({ outputs }, i) => {
    for (const value of outputs) {
      if (later.has(value)) throw new Unreadable(`'steps' make value ${value} twice`);
      later.set(value, i);
    }
  });
  steps.forEach(({ inputs, call }, i) => {
    if (inputs.some((value) => typeof value === "number" && (later.get(value) ?? -1) >= i)) {
      throw new Unreadable(`'steps' read what call ${call} needs before it is made`);
    }
  });
  return pass;
}

export function counted(n: number): string {
  return n.toLocaleString("en-US");
}
