/* A formula as TeX, for papers and slides. */

import type { Formula } from "./parse";

const SIGNS: Readonly<Record<string, string>> = {
  "−": "-",
  "×": "\\odot",
  "·": "\\cdot",
  "@": "\\,",
  "∗": "\\ast",
  "⊗": "\\otimes",
  "≤": "\\le",
  "≥": "\\ge",
  "≠": "\\ne",
  "∈": "\\in",
  "∧": "\\land",
  "∨": "\\lor",
  "⊻": "\\oplus",
  "¬": "\\lnot",
  Σ: "\\sum",
  Π: "\\prod",
  "∂": "\\partial",
  "⊤": "\\top",
  "∞": "\\infty",
  "‖": "\\|",
  "|": "|",
  "⌊": "\\lfloor",
  "⌋": "\\rfloor",
  "←": "\\leftarrow",
  "±": "\\pm",
  "…": "\\dots",
  "(": "\\left(",
  ")": "\\right)",
};
const GREEK: Readonly<Record<string, string>> = {
  σ: "\\sigma",
  Φ: "\\Phi",
  φ: "\\phi",
  ψ: "\\psi",
  Γ: "\\Gamma",
  π: "\\pi",
};
const FUNCTIONS = new Set("arg cos cosh det dim exp log ln max min sin sinh tan tanh".split(" "));

const escaped = (text: string): string => text.replace(/[\\{}_#$%&^~]/g, "\\$&");

/** The TeX of a formula, in the notation of amsmath. */
export function toTex(formula: Formula): string {
  switch (formula.kind) {
    case "row":
      return formula.items.map(toTex).join(" ");
    case "operator":
      return SIGNS[formula.text] ?? escaped(formula.text);
    case "number":
      return formula.text.replace("−", "-");
    case "words":
      return `\\text{ ${escaped(formula.text)} }`;
    case "identifier":
      return nameInTex(formula.text);
    case "fraction":
      return `\\frac{${toTex(formula.over)}}{${toTex(formula.under)}}`;
    case "power":
      return `{${toTex(formula.base)}}^{${toTex(formula.exponent)}}`;
    case "index":
      return `{${toTex(formula.base)}}_{${toTex(formula.index)}}`;
    case "root":
      return `\\sqrt{${toTex(formula.of)}}`;
  }
}

function nameInTex(name: string): string {
  if (FUNCTIONS.has(name)) return `\\${name}`;
  const known = GREEK[name] ?? SIGNS[name];
  if (known !== undefined) return known;
  return /^\p{L}$/u.test(name) ? name : `\\mathit{${escaped(name)}}`;
}
