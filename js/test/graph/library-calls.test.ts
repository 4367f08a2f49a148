import { describe, expect, it } from "vitest";
import { callIn } from "../../src/graph/select/library-calls";

describe("the title of what a line does", () => {
  it.each([
    ["norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "clip_grad_norm_()"],
    ["f(a)", "f()"],
    ['f(")", (a + b) * 2)', "f()"],
    ["x = f(a) + g(b)", "x = f(a) + g(b)"], // not after the first call alone
    ["f(a)(b)", "f(a)(b)"],
    ["ok = f(a) == g(b)", "ok = f(a) == g(b)"],
    ["total_loss = criterion(out, target) + penalty(net)", "total_loss = …"],
    ["criterion(out, target) + penalty(net.parameters())", "criterion(out, target) + pe…"],
    ["x = f(a", "x = f(a"], // the line goes on
    ["for i, (x, y) in enumerate(loader):", "loader"],
    ["for x, y in tqdm(data.train, leave=False):", "data.train"],
    ["print(trainer.evaluate()['accuracy'])", "evaluate()"],
  ])("%s is %s", (line, title) => {
    expect(callIn(line)).toBe(title);
  });
});
