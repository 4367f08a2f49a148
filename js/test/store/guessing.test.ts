import { describe, expect, it } from "vitest";
import { isRight, numbersIn, type Question } from "../../src/guess/question";
import { createStore, type Store } from "../../src/store/store";
import { exampleA, exampleG } from "../examples";
import type { Program } from "../builder";

/* Guess first: what is asked, and that nothing is shown before it is answered. */

function begun(p: Program): Store {
  const store = createStore();
  store.load(p.packed());
  store.connection.value = "offline";
  store.guess.turn(true);
  return store;
}

/** All questions of a recording, each answered as it should be. */
function asked(store: Store): Question[] {
  const found: Question[] = [];
  for (let i = 0; i < 200 && store.cursor.value !== null; i += 1) {
    const before = store.index.value;
    store.toNext();
    const question = store.guess.question.value;
    if (!question) continue;
    expect(store.index.value).toBe(before); // nothing is shown yet
    found.push(question);
    store.guess.answer(question.answer);
    expect(store.guess.verdict.value).toBe("right");
    expect(store.index.value).toBe(before + 1);
  }
  return found;
}

describe("guess first", () => {
  it("begins before the first step and asks for results, order, gradients and the end", () => {
    const store = begun(exampleA());
    expect(store.index.value).toBe(-1);
    const questions = asked(store);
    const kinds = new Set(questions.map(({ kind }) => kind));
    for (const kind of ["result", "fails", "sent", "grad"]) expect(kinds).toContain(kind);
    const { right, asked: all } = store.guess.score.value;
    expect([right, all]).toEqual([questions.length, questions.length]);
    const ends = questions.find(({ kind }) => kind === "fails");
    expect(ends?.answer).toEqual([0]);
  });

  it("asks whether a backward fails that fails", () => {
    const ends = asked(begun(exampleG())).find(({ kind }) => kind === "fails");
    expect(ends?.answer).toEqual([1]);
  });

  it("stays at a wrong answer, shows the step when asked to, and counts first tries", () => {
    const store = begun(exampleA());
    while (!store.guess.question.value) store.toNext();
    const before = store.index.value;
    store.guess.answer([12345]);
    store.toNext();
    expect([store.guess.verdict.value, store.index.value]).toEqual(["wrong", before]);
    store.guess.giveUp();
    expect(store.index.value).toBe(before + 1);
    expect(store.guess.score.value).toEqual({ right: 0, asked: 1 });
  });

  it("asks nothing once it is off", () => {
    const store = begun(exampleA());
    store.guess.turn(false);
    for (let i = 0; i < 50; i += 1) store.toNext();
    expect([store.cursor.value, store.guess.score.value.asked]).toEqual([null, 0]);
  });

  it.each([
    ["2", [2]],
    ["[2., -0.5]", [2, -0.5]],
    ["1/3 −1e-2", [1 / 3, -0.01]],
    ["", []],
    ["two", []],
  ])("reads %s", (text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });

  it.each([
    [[2, 0.3333333], [2, 0.333], true],
    [[200], [200.9], true],
    [[2], [2.02], false],
    [[2, 2], [2], false],
    [[0], [], false],
  ])("judges %j by %j", (answer, given, right) => {
    expect(isRight({ kind: "result", value: 1, node: null, answer }, given)).toBe(right);
  });
});
