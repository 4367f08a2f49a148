/* The question of "guess first", over the words of the step shown. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { called } from "../../graph/names";
import { numbersIn, type Question } from "../../guess/question";
import type { Model } from "../../log/model";
import type { Store } from "../../store/store";
import { t } from "../../text/text";
import { Formulas } from "./formula";

/** The open question, or what became of the last one. */
export function Guess({ store }: { store: Store }) {
  const { on, question, verdict, score } = store.guess;
  if (!on.value) return null;
  const asked = question.value;
  if (!asked) {
    if (verdict.value !== "right" && verdict.value !== "shown") return null;
    const text = verdict.value === "right" ? t.guess.right : t.guess.shown;
    return (
      <p class={`gw-verdict gw-${verdict.value}`} role="status" data-testid="verdict">
        {`${text} ${t.guess.score(score.value.right, score.value.asked)}`}
      </p>
    );
  }
  return <Asked key={store.index.value} store={store} of={asked} />;
}

function Asked({ store, of }: { store: Store; of: Question }) {
  const { verdict, hint, answer, giveUp } = store.guess;
  const hinted = useSignal(false);
  const model = store.present.value;
  const wrong = verdict.value === "wrong";
  return (
    <section class="gw-guess" data-testid="question" aria-label={t.guess.question}>
      <p class="gw-line">
        <b class="gw-mark">?</b> {wordsOf(model, of)}
      </p>
      <div class="gw-answer">
        {"choices" in of ? (
          <Choices
            of={of}
            model={model}
            choose={(choice) => {
              answer([choice]);
            }}
          />
        ) : (
          <Typed give={answer} />
        )}
        <button
          type="button"
          class="gw-command"
          data-action="hint"
          onClick={() => {
            hinted.value = true;
          }}
        >
          {t.guess.hint}
        </button>
        <button type="button" class="gw-command" data-action="show" onClick={giveUp}>
          {t.guess.show}
        </button>
        {wrong && (
          <span class="gw-wrong" role="status" data-testid="verdict">
            {t.guess.wrong}
          </span>
        )}
      </div>
      {(hinted.value || wrong) && (
        <div class="gw-hint" data-testid="hint">
          <p class="gw-line gw-dim">{t.guess.hints[of.kind]}</p>
          {(of.kind === "result" || of.kind === "sent") && <Formulas of={hint.value} />}
        </div>
      )}
    </section>
  );
}

function wordsOf(model: Model, of: Question): string {
  const node = of.node === null ? "" : (model.nodes.get(of.node)?.name ?? "");
  switch (of.kind) {
    case "result":
      return t.guess.result(called(model, of.value));
    case "sent":
      return t.guess.sent(node, called(model, of.value));
    case "grad":
      return t.guess.grad(called(model, of.value));
    case "version":
      return t.guess.version(called(model, of.value));
    case "next":
      return t.guess.next;
    case "fails":
      return t.guess.fails;
    case "slot":
      return t.guess.slot(node);
  }
}

function Typed({ give }: { give: (numbers: readonly number[]) => void }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
  }, []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        give(numbersIn(box.current?.value ?? ""));
      }}
    >
      <input
        ref={box}
        type="text"
        class="gw-input"
        data-action="answer"
        inputMode="text"
        autocomplete="off"
        aria-label={t.guess.answer}
        placeholder={t.guess.placeholder}
      />
      <button type="submit" class="gw-command" data-action="check">
        {t.guess.check}
      </button>
    </form>
  );
}

interface ChoicesProps {
  of: Extract<Question, { choices: readonly number[] }>;
  model: Model;
  choose: (choice: number) => void;
}

function Choices({ of, model, choose }: ChoicesProps) {
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => {
    first.current?.querySelector("button")?.focus({ preventScroll: true });
  }, []);
  const label = (choice: number): string => {
    if (of.kind === "fails") return choice === 1 ? t.guess.failsYes : t.guess.failsNo;
    if (of.kind === "slot") return called(model, choice);
    const node = model.nodes.get(choice);
    const value = node?.variable ?? node?.outputs[0];
    return value === undefined
      ? (node?.name ?? "")
      : t.guess.nodeOf(node?.name ?? "", called(model, value));
  };
  return (
    <div ref={first} class="gw-choices">
      {of.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          class="gw-command"
          data-action={`choice-${choice}`}
          onClick={() => {
            choose(choice);
          }}
        >
          {label(choice)}
        </button>
      ))}
    </div>
  );
}
