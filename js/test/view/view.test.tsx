// @vitest-environment happy-dom
import { describe, expect, it, vi } from "vitest";
import widget from "../../src/index";
import type { WidgetModel } from "../../src/kernel/protocol";
import { countWords } from "../../src/view/player/player";
import { Program } from "../builder";
import { exampleA, exampleC, exampleG } from "../examples";
import { press, show, texts, tick } from "./mounted";

describe("the picture", () => {
  it("shows cards, pills, wires and gradients with stable hooks", async () => {
    const el = await show(exampleA().packed());
    expect(texts(el, '[data-testid="value"] .gw-name')).toEqual(["w", "x", "a", "b", "y"]);
    expect(el.querySelector('[data-value="1"]')?.getAttribute("data-role")).toBe("leaf");
    expect(texts(el, '[data-value="1"] .gw-grad-text')).toEqual(["[5.]"]);
    expect(texts(el, '[data-testid="op"] .gw-sign')).toEqual(["+", "+ 1", "×"]);
    expect(texts(el, '[data-testid="gradient"] text').sort()).toEqual(
      ["[2.]", "[2.]", "[2.]", "[3.]", "[3.]"].sort(),
    );
    expect(texts(el, '[data-state="empty"] .gw-slot-name')).toEqual(["2 freed"]);
    expect(el.querySelectorAll('[data-action="pin"]').length).toBe(3);
  });

  it("tells numbers and gradients also where it is drawn small to be seen as a whole", async () => {
    const el = await show(exampleC().packed());
    const stage = el.querySelector('[data-testid="graph"]');
    expect(stage?.classList).toContain("gw-small");
    expect(texts(el, '[data-testid="value"] .gw-name')).toHaveLength(9);
    expect(texts(el, '[data-value="1"] .gw-numbers')).toEqual(["[[1., 1.],", "\u00a0[1., 1.]]"]);
    expect(texts(el, '[data-value="2"] .gw-grad-text')).toEqual(["28."]);
    expect(texts(el, '[data-testid="gradient"] text')).toContain("[28.]");
    expect(el.querySelectorAll('[data-action="pin"]').length).toBe(5);
  });

  it("folds a very long chain to a few parts that hold all of it", async () => {
    const p = new Program();
    p.cell();
    let y = p.leaf("x", [1]);
    for (let i = 0; i < 1900; i++) y = p.op("add", [y, 1], "y");
    const el = await show(p.packed());
    const shown = el.querySelectorAll('[data-testid="group"]').length;
    expect(shown).toBeGreaterThan(0);
    expect(el.querySelectorAll('[data-testid="value"], [data-testid="op"]').length).toBeLessThan(
      40,
    );
    expect(texts(el, '[data-testid="left"]')).toEqual([]);
  }, 20_000);

  it("travels through time with its buttons", async () => {
    const el = await show(exampleA().packed());
    await press(el, "first");
    expect(texts(el, '[data-testid="value"]')).toEqual([]);
    expect(texts(el, '[data-testid="step-count"]')).toEqual(["0 / 11"]);
    await press(el, "next");
    expect(texts(el, ".gw-name")).toEqual(["w"]);
    await press(el, "last");
    expect(texts(el, '[data-testid="step-count"]')).toEqual(["11 / 11"]);
  });

  it("counts as many steps as anybody counts", () => {
    expect([countWords(3, 11), countWords(9999, 9999)]).toEqual(["3 / 11", "9999 / 9999"]);
    const shares = [0, 3, 75_000, 150_212, 150_213].map((at) => countWords(at, 150_213));
    expect(shares).toEqual(["0 %", "<1 %", "49 %", "99 %", "100 %"]);
  });

  it("leaves the focus where the user types when it is drawn anew", async () => {
    const el = await show(exampleA().packed());
    const card = el.querySelector<SVGElement>('[data-value="1"]');
    card?.focus();
    card?.blur(); // as a click on the page's empty ground does
    const field = document.createElement("textarea");
    document.body.append(field);
    field.focus();
    await press(el, "first");
    await press(el, "next");
    expect(document.activeElement).toBe(field);
  });

  it("opens on what was computed last, and goes to the leaf that a step is about", async () => {
    const p = new Program();
    p.cell();
    const w = p.leaf("w", [2]);
    let y = w;
    for (let i = 0; i < 40; i++) y = p.op("mul", [y, 1], `y${i}`);
    p.backward(y);
    const el = await show(p.packed());
    const numbers = (selector: string): number[] =>
      (
        el
          .querySelector(selector)
          ?.getAttribute("style")
          ?.match(/-?[\d.]+(?=px|\))/g) ?? []
      ).map(Number);
    /** Where a value's card begins, from the left of the view. */
    const left = (id: number): number => {
      const [x = NaN, , k = NaN] = numbers(".gw-camera");
      return x + k * (numbers(`[data-value="${String(id)}"]`)[0] ?? NaN);
    };
    expect(left(y.id)).toBeGreaterThan(0);
    expect(left(y.id)).toBeLessThan(900);
    expect(left(w.id)).toBeNaN(); // far from the view cards are not drawn
    await press(el, "previous");
    await press(el, "last");
    expect(texts(el, '[data-value="1"] .gw-grad-text')).toEqual(["[1.]"]);
    expect(left(w.id)).toBeGreaterThan(0);
    expect(left(w.id)).toBeLessThan(900);
    for (let i = 0; i < 30; i++) await press(el, "previous");
    expect(left(w.id)).toBeNaN();
  }, 20_000);

  it("shows paths with products and their sum", async () => {
    const el = await show(exampleA().packed());
    el.querySelector<SVGElement>('[data-value="1"]')?.dispatchEvent(
      new MouseEvent("click", { bubbles: true }),
    );
    await tick();
    expect(texts(el, '[data-testid="path"]').length).toBe(2);
    expect(texts(el, '[data-testid="path-sum"]')).toEqual(["∂y/∂w = 2·1 + 3·1 = 5"]);
  });

  it("joins the write and the stale slot", async () => {
    const el = await show(exampleG(false).packed());
    expect(el.querySelectorAll('[data-testid="stale-arrow"]').length).toBe(1);
    expect(el.querySelectorAll('[data-state="stale"]').length).toBe(2);
    const [line, ...more] = texts(el, ".gw-overwrite .gw-node-name");
    expect(more).toEqual([]);
    expect(texts(el, '[data-testid="hazard"]').join("")).toContain(`${line ?? "?"}, b[0] = 1000.`);
    expect(texts(el, ".gw-overwrite .gw-sign")).toEqual(["←="]);
  });

  it("marks the node that failed", async () => {
    const el = await show(exampleG().packed());
    expect(texts(el, ".gw-failed .gw-sign")).toEqual(["×"]);
    expect(texts(el, '[data-testid="error"]').join("")).toContain("Backward failed");
  });

  it("opens the groups around the node that failed", async () => {
    const p = new Program();
    p.cell();
    const b = p.op("mul", [p.leaf("a", [1, 3]), 2], "b");
    let loss = b;
    p.within("module", "net", "Linear", () => {
      loss = p.op("mul", [b, b]);
    });
    const after = p.fill(b, 1000);
    const closed = await show(p.packed());
    expect(closed.querySelectorAll('[data-testid="group"]').length).toBe(1);
    p.backward(loss, [after]);
    expect(texts(await show(p.packed()), ".gw-failed .gw-sign")).toEqual(["×"]);
  });

  it("says whether what was saved was freed by backward or went without", async () => {
    const p = new Program();
    p.cell();
    const a = p.leaf("a", [1, 3]);
    const y = p.op("mul", [a, a], "y");
    if (y.node !== null) p.tell("free", y.node);
    const el = await show(p.packed());
    expect(texts(el, '[data-testid="slot"] .gw-slot-name')).toEqual(["2 unused"]);
  });

  it("explains in its legend every sign that it draws", async () => {
    const el = await show(exampleA().packed());
    el.querySelector(".gw")?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "?", bubbles: true }),
    );
    await tick();
    const legend = el.querySelector('[data-testid="legend"]');
    for (const kind of [
      "leaf",
      "parameter",
      "constant",
      "intermediate",
      "past",
      "storage",
      "bracket",
      "strip",
      "label",
      "pin",
      "plain",
      "inplace",
      "active",
      "failed",
      "fresh",
      "tick",
      "group-body",
      "frame-body",
    ])
      expect(legend?.querySelector(`.gw-${kind}`), kind).not.toBeNull();
    for (const word of ["∂ ", "grad ", "‖∂‖", "all 2.", "×3", "unused", "◂ backward", "recorded"])
      expect(legend?.textContent).toContain(word);
    for (const state of ["kept", "empty", "stale"])
      expect(legend?.querySelector(`.gw-slot.gw-slot-${state}`), state).not.toBeNull();
  });

  it("marks the wire where a hook changed the gradient, and no other", async () => {
    const p = exampleA();
    const start = p.json.filter(([kind]) => kind === "start")[1] ?? [];
    expect(await badges(p)).toEqual([]);
    start[3] = [[[1], "float32", [30], null, null]];
    expect(await badges(p)).toEqual(["A hook changed it: [3.] → [30.]"]);
  });

  async function badges(p: Program): Promise<string[]> {
    const el = await show(p.packed());
    const found = texts(el, '.gw-window [data-testid="hook"] title');
    el.remove();
    return found;
  }

  it("says of what is not kept whether hooks keep it or it is computed again", async () => {
    for (const [text, word] of [
      ["packed by a hook", "2 packed"],
      ["recomputed in backward", "2 recomputed"],
    ] as const) {
      const p = exampleA(false);
      for (const [kind, , name, , , , ...rest] of p.json) {
        const saved = kind === "node" && name === "MulBackward0" ? (rest[0] as unknown[]) : [];
        saved.splice(
          0,
          2,
          ...saved.map((slot) => [(slot as unknown[])[0], null, null, null, text]),
        );
      }
      const el = await show(p.packed());
      expect(texts(el, ".gw-slot-name")).toEqual([word]);
      expect(texts(el, ".gw-slot title")[0]).toMatch(/^not saved/);
      el.remove();
    }
  });

  it("names a write once, however many saved values it made stale", async () => {
    const p = new Program();
    p.cell();
    const b = p.op("mul", [p.leaf("a", [1, 3]), 2], "b");
    p.op("mul", [b, b], "c");
    p.op("mul", [b, b], "d");
    p.fill(b, 1000);
    const el = await show(p.packed());
    expect(el.querySelectorAll('[data-testid="stale-arrow"]').length).toBe(2);
    expect(texts(el, ".gw-stale-label")).toEqual(["wrote v1"]);
  });

  it("writes an assignment to a part as it was typed", async () => {
    const p = new Program();
    p.cell();
    const b = p.op("mul", [p.leaf("a", [1, 3]), 2], "b");
    p.fill(b, 0, "b[0] = 0");
    const op = p.json.find(([kind, , key]) => kind === "op" && key === "fill_") ?? [];
    [op[3], op[4]] = [[b.id, "0"], { index: "0" }];
    expect(texts(await show(p.packed()), ".gw-inplace .gw-sign")).toEqual(["[0] = 0"]);
  });

  it("draws a call that raised with what it was given", async () => {
    const p = new Program();
    p.cell();
    const a = p.leaf("a", [1, 2], true, [1, 2]);
    const b = p.leaf("b", [1, 2, 3], true, [1, 3]);
    const none = [null, null, null, null, null];
    p.tell(
      "error",
      "call",
      "RuntimeError",
      "m",
      [],
      ...none,
      null,
      [],
      null,
      "mm",
      [a.id, b.id],
      null,
    );
    const el = await show(p.packed());
    expect(texts(el, ".gw-failed .gw-sign")).toEqual(["mm"]);
    const wires = [...el.querySelectorAll<SVGElement>('[data-testid="wire"]')];
    expect(wires.map(({ dataset }) => dataset.from).sort()).toEqual([`v${a.id}`, `v${b.id}`]);
    await press(el, "previous");
    expect(texts(el, ".gw-failed")).toEqual([]);
  });

  it("draws a call that raised inside the module that made it", async () => {
    const p = new Program();
    p.cell();
    const x = p.leaf("x", [1, 2]);
    const y = p.leaf("y", [1, 2, 3]);
    let inner = 0;
    p.within("module", "net", "Net", () => {
      const h = p.op("add", [x, 1]);
      p.op("mul", [h, h], "h");
      inner = p.within("module", "net.head", "Head", () => undefined);
    });
    const none = [null, null, null, null, null];
    p.tell("error", "call", "E", "m", [], ...none, null, [], null, "mm", [x.id, y.id], inner);
    const el = await show(p.packed());
    expect(texts(el, ".gw-failed .gw-sign")).toEqual(["mm"]);
    expect(texts(el, "[data-testid=frame] .gw-frame-title").join()).toContain("net.head");
  });

  it("keeps names inert and short", async () => {
    const p = new Program();
    p.cell();
    const evil = "<script>hacked=1</script><img src=x onerror=hacked=1>".repeat(20);
    p.op("mul", [p.leaf(evil, [1]), p.leaf("empty", [], false, [0, 3])], "out");
    const el = await show(p.packed());
    expect(el.querySelectorAll("script, img").length).toBe(0);
    for (const name of texts(el, ".gw-name")) expect(name.length).toBeLessThan(20);
    expect(el.textContent).toContain("empty");
  });

  it("draws large arrays as a strip and bad numbers in words", async () => {
    const p = new Program();
    p.cell();
    const big = [[1000, 1000], "float32", null, [-1, "inf", "nan", 7], null];
    p.tell("value", 1, 1, 0, true, true, false, null, big);
    p.tell("name", 1, "big", "");
    const el = await show(p.packed());
    expect(el.querySelectorAll(".gw-strip").length).toBe(1);
    expect(texts(el, ".gw-bad")).toEqual(["7 nan/inf"]);
  });
});

describe("the widget", () => {
  it("says in words that a log cannot be read, and that nothing is recorded", async () => {
    const el = await show('{"protocol":99,"first":0,"events":[]}');
    expect(texts(el, '[data-testid="fault"]').join("")).toContain("protocol 99");
    const empty = await show('{"protocol":2,"first":0,"events":[]}');
    expect(empty.textContent).toContain("othing recorded yet");
  });

  it("says that a page without kernel only replays", async () => {
    const el = await show(exampleA().packed());
    expect(texts(el, '[data-testid="state"]')).toEqual(["recorded"]);
    el.querySelector('[data-value="5"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await tick();
    expect(el.querySelector<HTMLButtonElement>('[data-action="backward"]')?.disabled).toBe(true);
  });

  it("shows several views of one model alike, and asks the kernel for what it lacks", async () => {
    const sent: unknown[] = [];
    const heard = new Map<string, (...args: unknown[]) => void>();
    const model: WidgetModel = {
      get: (name) => (name === "protocol" ? 2 : name === "count" ? 0 : undefined),
      set: () => undefined,
      save_changes: () => undefined,
      on: (name, callback) => heard.set(name, callback),
      off: () => undefined,
      send: (content) => sent.push(content),
    };
    const stop = widget.initialize({ model });
    const views = [document.createElement("div"), document.createElement("div")];
    const closers = views.map((el) => {
      document.body.append(el);
      return widget.render({ model, el });
    });
    expect(sent).toEqual([{ type: "need", from: 0, language: "en" }]);
    heard.get("msg:custom")?.({ type: "events", from: 0, events: exampleA().json });
    await vi.waitFor(() => {
      const [a, b] = views.map((el) => texts(el, ".gw-name").join());
      expect(a).toBe("w,x,a,b,y");
      expect(b).toBe(a);
    }, 5000);
    closers.forEach((closeView) => {
      closeView();
    });
    expect(views.map((el) => el.childElementCount)).toEqual([0, 0]);
    stop();
  });
});
