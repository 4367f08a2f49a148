/* Reads a formula of the op table (`exp(x) ÷ b²`) into a tree, which is typeset or written as TeX. */

export type Formula =
  | { readonly kind: "row"; readonly items: readonly Formula[] }
  | { readonly kind: "identifier" | "number" | "operator" | "words"; readonly text: string }
  | { readonly kind: "fraction"; readonly over: Formula; readonly under: Formula }
  | { readonly kind: "power"; readonly base: Formula; readonly exponent: Formula }
  | { readonly kind: "index"; readonly base: Formula; readonly index: Formula }
  | { readonly kind: "root"; readonly of: Formula };

export const row = (items: readonly Formula[]): Formula =>
  items.length === 1 && items[0] ? items[0] : { kind: "row", items };
export const operator = (text: string): Formula => ({ kind: "operator", text });
export const identifier = (text: string): Formula => ({ kind: "identifier", text });

/** Marks around a name of the program within a formula: what else has letters is words. */
const [BEGIN, END] = ["\uE000", "\uE001"];

/** A piece of the program's text, so marked. */
export const marked = (text: string): string => `${BEGIN}${text}${END}`;

const ONE: Formula = { kind: "number", text: "1" };
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "⌊": "⌋" };
const EXPONENTS: Readonly<Record<string, Formula>> = {
  "²": { kind: "number", text: "2" },
  "³": { kind: "number", text: "3" },
  ᵀ: operator("⊤"),
  "⁻¹": { kind: "number", text: "−1" },
};
/** Signs that bind like a product: a quotient takes all that stands before it in its product. */
const PRODUCTS = new Set(["×", "·", "@", "∗", "⊗"]);
const WORD = /[\p{Lu}\p{Ll}\p{Lo}_][\p{Lu}\p{Ll}\p{Lo}\d_.]*/uy;
const LETTER = /^[\p{L}_]$/u;
const NUMBER = /\d+(?:\.\d*)?(?:e[+-]?\d+)?/y;

/** The tree of a formula; `terms` are trees that stand for marked texts. */
export function parse(text: string, terms: ReadonlyMap<string, Formula> = new Map()): Formula {
  return new Parser(text, terms, false).row(null);
}

class Parser {
  private at = 0;

  /** `code` is whether the text is the program's, where each word is a name. */
  constructor(
    private readonly text: string,
    private readonly terms: ReadonlyMap<string, Formula>,
    private readonly code: boolean,
  ) {}

  /** Everything up to a closing bracket, or to the end. */
  row(close: string | null): Formula {
    const items: Formula[] = [];
    let product = 0; // where the product begins that is being read
    for (;;) {
      const space = this.skipSpace();
      const sign = this.text[this.at];
      if (sign === undefined) break;
      if (sign === close) {
        this.at += 1;
        break;
      }
      if (sign === "÷" && items.length > product) {
        this.at += 1;
        this.skipSpace();
        const over = bare(row(items.splice(product)));
        const under = bare(this.factor());
        if (over.kind !== "fraction") items.push({ kind: "fraction", over, under });
        else items.push(over, operator("·"), { kind: "fraction", over: ONE, under });
      } else if (this.startsFactor(sign)) {
        const factor = this.factor();
        if (factor.kind === "words" || (space && items.at(-1)?.kind === "words"))
          product = items.length;
        items.push(factor);
        if (factor.kind === "words") product = items.length;
      } else {
        this.at += 1;
        const scales = sign === "×" && items.at(-1)?.kind === "number"; // `2 · x`
        items.push(operator(scales ? "·" : sign));
        if (!PRODUCTS.has(sign)) product = items.length;
      }
    }
    return row(items);
  }

  private skipSpace(): boolean {
    const from = this.at;
    while (this.text[this.at] === " ") this.at += 1;
    return this.at > from;
  }

  private startsFactor(sign: string): boolean {
    return (
      sign === BEGIN || sign === "√" || sign in CLOSING || /[\p{Lu}\p{Ll}\p{Lo}\d_]/u.test(sign)
    );
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  /** One operand with its exponents and indices. */
  private factor(): Formula {
    let base = this.operand();
    for (;;) {
      const rest = this.text.slice(this.at);
      const exponent = Object.keys(EXPONENTS).find((sign) => rest.startsWith(sign));
      const raised = EXPONENTS[exponent ?? ""];
      if (exponent !== undefined && raised) {
        this.at += exponent.length;
        if (base.kind === "fraction") base = row([operator("("), base, operator(")")]);
        if (base.kind === "power" && exponent === "ᵀ" && base.exponent === raised) base = base.base;
        else base = { kind: "power", base, exponent: raised };
      } else if (/^ \^ [^ ]/.test(rest)) {
        this.at += 3;
        base = { kind: "power", base, exponent: bare(this.factor()) };
      } else if (rest.startsWith("[") && !this.code && base.kind !== "words") {
        this.at += 1;
        base = { kind: "index", base, index: this.row("]") };
      } else return base;
    }
  }

  private operand(): Formula {
    const sign = this.text[this.at] ?? "";
    if (sign === BEGIN) return this.name();
    if (sign === "√") {
      this.at += 1;
      return { kind: "root", of: bare(this.factor()) };
    }
    if (sign in CLOSING) {
      const tree = this.bracket();
      const inner = bare(tree);
      return inner.kind === "row" ? tree : inner; // one thing needs no brackets
    }
    const number = this.take(NUMBER);
    if (number !== null) return { kind: "number", text: number };
    const word = this.take(WORD);
    if (word === null) {
      this.at += 1;
      return operator(sign);
    }
    if (this.text[this.at] === "(") return row([identifier(word), this.bracket()]);
    if (this.code || LETTER.test(word)) {
      const name = identifier(word);
      return this.code && this.text[this.at] === "[" ? row([name, this.bracket()]) : name;
    }
    return this.words(word);
  }

  private words(first: string): Formula {
    const words = [first];
    for (;;) {
      const before = this.at;
      this.skipSpace();
      const next = this.take(WORD);
      if (next === null || this.text[this.at] === "(" || LETTER.test(next)) {
        this.at = before;
        return { kind: "words", text: words.join(" ") };
      }
      words.push(next);
    }
  }

  private name(): Formula {
    const end = this.text.indexOf(END, this.at);
    const text = this.text.slice(this.at + 1, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + 1;
    const same = /^all (\d\S*)$/.exec(text)?.[1]; // a tensor of equal items
    if (same !== undefined) return { kind: "number", text: same };
    return this.terms.get(text) ?? new Parser(text, this.terms, true).row(null);
  }

  private bracket(): Formula {
    const open = this.text[this.at] ?? "(";
    const close = CLOSING[open] ?? ")";
    this.at += 1;
    const inner = this.row(close);
    const items = inner.kind === "row" ? inner.items : [inner];
    return { kind: "row", items: [operator(open), ...items, operator(close)] };
  }
}

/** A tree without brackets around all of it, where its place shows that it is one thing. */
function bare(tree: Formula): Formula {
  if (tree.kind !== "row" || tree.items.length < 2) return tree;
  const [first, last] = [tree.items[0], tree.items.at(-1)];
  const enclosed =
    first?.kind === "operator" &&
    first.text === "(" &&
    last?.kind === "operator" &&
    last.text === ")";
  return enclosed ? row(tree.items.slice(1, -1)) : tree;
}
