/* An explanation as elements: its title, lines and code. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { valueKey } from "../../graph/keys";
import type { Explanation } from "../../explain/text";
import type { Line, Piece, SourceLine } from "../../text/piece";
import type { Store } from "../../store/store";
import { CopyButton } from "../copy-button";
import { hasCells, showInNotebook } from "../notebook-cell";
import { t } from "../../text/text";

interface WordsProps {
  of: Explanation;
  store: Store;
  testid: string;
  children?: ComponentChildren;
}

/** An explanation: the user's line, what happened there, and more sentences about it. */
export function Words({ of, store, testid, children }: WordsProps) {
  return (
    <section class={`gw-explanation gw-tone-${of.tone}`} data-testid={testid}>
      {(of.where ?? of.code) !== null && (
        <p class="gw-source">
          <span class="gw-where">{of.where}</span>
          {of.code !== null && <Code text={of.code} source={of.source} />}
        </p>
      )}
      <h4 class="gw-title">
        <Pieces of={of.title} store={store} />
      </h4>
      {of.lines
        .filter((line) => line.length > 0)
        .map((line, i) => (
          <Sentence key={i} of={line} store={store} />
        ))}
      {children}
    </section>
  );
}

/** So many letters of small print, an error's own long message, are one line that unfolds. */
const LONG = 110;

function Sentence({ of, store }: { of: Line; store: Store }) {
  const unfolded = useSignal(false);
  const [only] = of;
  if (of.length > 1 || only?.tone !== "dim" || only.text.length <= LONG) {
    return (
      <p class="gw-line">
        <Pieces of={of} store={store} />
      </p>
    );
  }
  return (
    <div class="gw-line gw-folding">
      <p class={unfolded.value ? "gw-line" : "gw-line gw-folded"}>
        <Pieces of={of} store={store} />
      </p>
      <button
        type="button"
        class="gw-link"
        data-action="more"
        aria-expanded={unfolded.value}
        onClick={() => {
          unfolded.value = !unfolded.value;
        }}
      >
        {unfolded.value ? t.bars.panel.less : t.bars.panel.more}
      </button>
    </div>
  );
}

/** The pieces of one sentence; those that speak of a value select it when clicked. */
export function Pieces({ of, store }: { of: Line; store: Store }) {
  return (
    <>
      {of.map((piece, i) => (
        <OnePiece key={i} piece={piece} store={store} />
      ))}
    </>
  );
}

function OnePiece({ piece, store }: { piece: Piece; store: Store }) {
  const { text, tone, value, key, copy, source } = piece;
  if (copy) return <Pasted text={text} />;
  if (tone === "code") return <Code text={text} source={source} />;
  if (value === undefined && key === undefined) {
    return <span class={`gw-${tone}-text`}>{text}</span>;
  }
  return (
    <button
      type="button"
      class={`gw-link gw-${tone}-text`}
      title={t.bars.panel.show}
      onClick={() => {
        if (value !== undefined && store.selected.value !== value) store.select(value);
        store.seek(key ?? valueKey(value ?? -1));
      }}
    >
      {text}
    </button>
  );
}

/** Code; a line of a cell is a link to it, where the notebook is in the page. */
function Code({ text, source }: { text: string; source: SourceLine | undefined }) {
  const gone = useSignal(false);
  if (!source || source.cell === null || !hasCells()) return <code>{text}</code>;
  return (
    <button
      type="button"
      class="gw-to-cell"
      data-action="cell"
      title={gone.value ? t.bars.panel.lineGone : t.bars.panel.showInCell}
      onClick={(event) => {
        gone.value = !showInNotebook(source, event.currentTarget);
      }}
    >
      <code>{text}</code>
    </button>
  );
}

/** Code with a button that copies it. */
function Pasted({ text }: { text: string }) {
  return (
    <span class="gw-pasted" data-testid="fix">
      <code>{text}</code>
      <CopyButton text={text} action="copy" label={t.bars.panel.copy} />
    </span>
  );
}
