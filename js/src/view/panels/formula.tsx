/* Formulas as MathML, each with a button that copies it as TeX. */

import type { JSX } from "preact";
import type { Formula } from "../../formula/parse";
import { toTex } from "../../formula/tex";
import { CopyButton } from "../copy-button";

/** The formulas of a step, one below the other. */
export function Formulas({ of }: { of: readonly Formula[] }) {
  if (of.length === 0) return null;
  return (
    <div class="gw-formulas" data-testid="formulas">
      {of.map((formula) => {
        const tex = toTex(formula);
        return <OneFormula key={tex} formula={formula} tex={tex} />;
      })}
    </div>
  );
}

function OneFormula({ formula, tex }: { formula: Formula; tex: string }) {
  return (
    <div class="gw-formula">
      <math>{typeset(formula)}</math>
      <CopyButton text={tex} action="copy-tex" label="LaTeX" title={tex} />
    </div>
  );
}

/** The signs of products: `@` is written as nothing, `×` of tensors item by item. */
const SHOWN: Readonly<Record<string, string>> = { "@": "\u2062\u2009", "×": "⊙" };

function typeset(formula: Formula): JSX.Element {
  switch (formula.kind) {
    case "row":
      return <mrow>{formula.items.map(typeset)}</mrow>;
    case "operator":
      return <mo>{SHOWN[formula.text] ?? formula.text}</mo>;
    case "number":
      return <mn>{formula.text}</mn>;
    case "words":
      return <mtext>{`\u00a0${formula.text}\u00a0`}</mtext>;
    case "identifier":
      return <mi>{formula.text}</mi>;
    case "fraction":
      return (
        <mfrac>
          {typeset(formula.over)}
          {typeset(formula.under)}
        </mfrac>
      );
    case "power":
      return (
        <msup>
          {typeset(formula.base)}
          {typeset(formula.exponent)}
        </msup>
      );
    case "index":
      return (
        <msub>
          {typeset(formula.base)}
          {typeset(formula.index)}
        </msub>
      );
    case "root":
      return <msqrt>{typeset(formula.of)}</msqrt>;
  }
}
