import { describe, expect, it } from "vitest";
import { marked, operator, parse, row } from "../src/formula/parse";
import { toTex } from "../src/formula/tex";

/* TeX of the op table's formulas, by what a reader of amsmath would write. */

const [x, w] = [marked("x"), marked("my_w")];
const gradient = row([operator("∂"), parse(marked("L"))]);

describe("a formula as TeX", () => {
  it.each([
    [`${x} × ${w}`, "x \\odot \\mathit{my\\_w}"],
    [`2 × ${x}`, "2 \\cdot x"],
    [`${x} @ ${w}ᵀ + b`, "x \\, {\\mathit{my\\_w}}^{\\top} + b"],
    [`${w}ᵀᵀ`, "\\mathit{my\\_w}"],
    [`(${x} ÷ ${w})`, "\\frac{x}{\\mathit{my\\_w}}"],
    [
      `−${x} × (${x} + 1) ÷ √(${x} + 1)`,
      "- \\frac{x \\odot \\left( x + 1 \\right)}{\\sqrt{x + 1}}",
    ],
    [`${x} ÷ ${w} ÷ 3`, "\\frac{x}{\\mathit{my\\_w}} \\cdot \\frac{1}{3}"],
    [`exp(${x}) ^ (${x} − 1)`, "{\\exp \\left( x \\right)}^{x - 1}"],
    [`${x} where ${x} > 0, else ${w}`, "x \\text{ where } x > 0 , \\text{ else } \\mathit{my\\_w}"],
    [`${marked("x[0]")}[i]`, "{x [ 0 ]}_{i}"],
    [
      `${marked("(a + b)")} × ${marked("net(x)")}`,
      "\\left( a + b \\right) \\odot \\mathit{net} \\left( x \\right)",
    ],
  ])("%s", (text, tex) => {
    expect(toTex(parse(text))).toBe(tex);
  });

  it("has trees for marked texts", () => {
    const tree = parse(`${marked("gradient")} × ${x}`, new Map([["gradient", gradient]]));
    expect(toTex(tree)).toBe("\\partial L \\odot x");
  });

  it.each(["(((", ")]", "÷ ÷", "√", " ^ ", "\uE000x", "Σ", ""])(
    "ends whatever is given: %s",
    (text) => {
      expect(typeof toTex(parse(text))).toBe("string");
    },
  );
});
