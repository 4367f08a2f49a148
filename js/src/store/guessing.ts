/* Guess first: before a step is shown the learner says what it does. */

import { batch, computed, effect, signal } from "@preact/signals";
import { formulasOf } from "../formula/of-step";
import { isRight, questionOf, type Question } from "../guess/question";
import type { Timeline } from "../log/timeline";
import type { Derived } from "./derived";
import type { State } from "./state";

/** What became of an answer. */
export type Verdict = "right" | "wrong" | "shown";

export type Guessing = ReturnType<typeof createGuessing>;

/** `toNext` and `toFirst` move through the steps. */
export function createGuessing(
  state: State,
  { present, index }: Pick<Derived, "present" | "index">,
  timeline: Timeline,
  move: { readonly toNext: () => void; readonly toFirst: () => void },
) {
  const on = signal(false);
  const asked = signal<{ readonly step: number; readonly question: Question } | null>(null);
  const verdict = signal<Verdict | null>(null);
  const score = signal({ right: 0, asked: 0 });
  const tries = signal(0);

  /** The question that is open: about the step after the one shown. */
  const question = computed(() =>
    on.value && asked.value?.step === index.value + 1 ? asked.value.question : null,
  );
  /** The formula of the step that is asked for, without its numbers: the hint. */
  const hint = computed(() => {
    const step = state.steps.value[asked.value?.step ?? -1];
    if (!question.value || !step) return [];
    return formulasOf(present.value, timeline.eventAt(step.anchor));
  });
  /** Asks about the next step, or goes there where nothing is asked. */
  const toNext = (): void => {
    const at = index.value + 1;
    const step = state.steps.value[at];
    const open = question.value !== null;
    const ask =
      on.value && !open && step && state.cursor.value !== null
        ? questionOf(present.value, step, timeline.between(step.from, step.to))
        : null;
    batch(() => {
      if (ask) {
        state.playing.value = false;
        asked.value = { step: at, question: ask };
        [verdict.value, tries.value] = [null, 0];
      } else if (open) state.playing.value = false;
      else {
        verdict.value = null;
        move.toNext();
      }
    });
  };
  const close = (end: Verdict): void => {
    batch(() => {
      const right = end === "right" && tries.value === 0 ? 1 : 0;
      score.value = { right: score.value.right + right, asked: score.value.asked + 1 };
      asked.value = null;
      verdict.value = end;
      move.toNext();
    });
  };
  /** Judges an answer: a right one shows the step, a wrong one its hint. */
  const answer = (given: readonly number[]): void => {
    if (!question.value) return;
    if (isRight(question.value, given)) close("right");
    else [verdict.value, tries.value] = ["wrong", tries.value + 1];
  };
  const giveUp = (): void => {
    if (question.value) close("shown");
  };
  /** Turns it on or off; from the newest step it begins at the first one. */
  const turn = (wanted: boolean): void => {
    batch(() => {
      on.value = wanted;
      [asked.value, verdict.value] = [null, null];
      score.value = { right: 0, asked: 0 };
      if (wanted && state.cursor.value === null) move.toFirst();
    });
  };
  /** Keeps the newest picture covered: it begins before its first step. Returns what ends this. */
  const cover = (): (() => void) =>
    effect(() => {
      if (on.value && state.steps.value.length > 0 && !state.walked.value) move.toFirst();
    });
  return { on, cover, question, verdict, score, tries, hint, toNext, answer, giveUp, turn };
}
