/* All about the selected value: its numbers, its commands, and the paths through it. */

import { full, matrix, number } from "../log/format";
import { role } from "../graph/boxes";
import { bracketed, called, symbol } from "../graph/names";
import type { Model, ValueRow } from "../log/model";
import type { Jacobian, Path } from "../graph/paths";
import type { ShownPaths } from "../store/shown";
import type { Store } from "../store/store";
import { backwardEffects } from "../explain/effects";
import { ButtonIcon } from "./icons";
import { Pieces } from "./words";

/** All about the selected value, and what can be done with it. */
export function ValuePanel({ store, value }: { store: Store; value: ValueRow }) {
  const model = store.model.value;
  const names = namesOf(value);
  const node = value.node === null ? undefined : model.nodes.get(value.node);
  const facts = [
    role(value),
    `shape (${value.summary.shape.join(", ")}${value.summary.shape.length === 1 ? "," : ""})`,
    value.summary.dtype,
    `version ${value.version}`,
    `requires_grad ${value.requires_grad ? "True" : "False"}`,
    `grad_fn ${node ? node.name : "None"}`,
    ...(value.alive ? [] : ["no longer held by the program"]),
  ];
  return (
    <section class="gw-value" data-testid="value-panel">
      <div class="gw-value-main">
        <h4 class="gw-title">{names.join(", ").slice(0, 120) || called(model, value.value)}</h4>
        <Commands store={store} value={value} />
        <p class="gw-line gw-full">{full(value.summary).slice(0, 600)}</p>
        {value.grad && (
          <p class="gw-line gw-grad-text-inline">{`grad ${full(value.grad).slice(0, 600)}`}</p>
        )}
        <p class="gw-line gw-dim">{facts.join(" · ")}</p>
        <MoreNumbers store={store} value={value} />
      </div>
      <PathWords store={store} />
      <button
        type="button"
        class="gw-button gw-close"
        data-action="close"
        aria-label="Close"
        onClick={() => {
          store.select(null);
        }}
      >
        <ButtonIcon of="close" />
      </button>
    </section>
  );
}

/** The names of a value; of `weight`, `fc.weight` and `net.fc.weight` only the whole path. */
function namesOf(value: ValueRow): string[] {
  const names = [...new Set(value.names.map(([, own]) => own))];
  return names.filter((name) => !names.some((longer) => longer.endsWith(`.${name}`)));
}

function MoreNumbers({ store, value }: { store: Store; value: ValueRow }) {
  if (value.summary.values !== null || store.connection.value === "offline") return null;
  return (
    <button
      type="button"
      class="gw-command"
      data-action="peek"
      onClick={() => {
        store.send({ type: "peek", value: value.value });
      }}
    >
      more numbers
    </button>
  );
}

function Commands({ store, value }: { store: Store; value: ValueRow }) {
  const run = store.liveRun.value;
  const off = store.connection.value === "offline";
  if (!value.requires_grad || value.next !== null) return null;
  const model = store.model.value;
  return (
    <div class="gw-commands">
      {value.node !== null && (
        <button
          type="button"
          class="gw-command gw-warm"
          data-action="backward"
          disabled={off || run !== null}
          title={off ? store.why.value : "Begins backward here and waits before each node"}
          onClick={() => {
            store.backward(value.value);
          }}
        >
          {`backward from ${called(model, value.value, 16)}`}
        </button>
      )}
      {!value.leaf && (
        <button
          type="button"
          class="gw-command"
          data-action="retain"
          aria-pressed={value.retains_grad}
          disabled={off}
          onClick={() => {
            store.retainGrad(value.value, !value.retains_grad);
          }}
        >
          {value.retains_grad ? "stop retaining grad" : "retain grad"}
        </button>
      )}
      {value.node !== null && (
        <p class="gw-line" data-testid="backward-effects">
          <Pieces of={backwardEffects(model, value.value)} store={store} />
        </p>
      )}
    </div>
  );
}

function PathWords({ store }: { store: Store }) {
  const model = store.model.value;
  const ends = store.shown.others.value;
  if (ends.length === 0) return null;
  const shown = store.shown.paths.value;
  if (!shown) {
    return (
      <div class="gw-paths">
        <p class="gw-line">
          Paths from <OtherEnds store={store} shown={null} />
        </p>
      </div>
    );
  }
  const [from, to] = [called(model, shown.from, 16), called(model, shown.to, 16)];
  const { paths, count, sum } = shown.found;
  return (
    <div class="gw-paths" data-testid="paths">
      <p class="gw-line">
        {count === 1 ? "One path leads" : `${count} paths lead`} from <b>{from}</b> to <b>{to}</b>
        {ends.length > 1 && <OtherEnds store={store} shown={shown} />}
      </p>
      {paths.slice(0, 8).map((path, n) => (
        <PathLine key={n} store={store} shown={shown} path={path} n={n} />
      ))}
      {count > 8 && <p class="gw-line gw-dim">{`and ${count - 8} more`}</p>}
      <p class="gw-line gw-sum" data-testid="path-sum">
        {sumText(from, to, paths, count, sum) ?? symbolicSum(model, shown)}
      </p>
      {!sum && <p class="gw-line gw-dim">Run backward, and the numbers stand here.</p>}
    </div>
  );
}

interface PathLineProps {
  store: Store;
  shown: ShownPaths;
  path: Path;
  n: number;
}

function PathLine({ store, shown, path, n }: PathLineProps) {
  const names = stations(store.model.value, shown, path);
  const symbols = chain(names);
  const numbers = productText(path);
  const parts = [symbols.length <= 34 ? symbols : "", numbers].filter((text) => text !== "");
  return (
    <p
      class={`gw-line gw-path-line gw-path-${(n % 4) + 1}`}
      data-testid="path"
      onMouseEnter={() => {
        store.onePath.value = n;
      }}
      onMouseLeave={() => {
        store.onePath.value = null;
      }}
    >
      <span class="gw-swatch" />
      {route(names)}
      <span class="gw-product">{parts.join(" = ")}</span>
    </p>
  );
}

function OtherEnds({ store, shown }: { store: Store; shown: ShownPaths | null }) {
  return (
    <span class="gw-ends">
      {store.shown.others.value.map((id) => (
        <button
          key={id}
          type="button"
          class="gw-chip"
          data-action="path-end"
          aria-pressed={id === shown?.from || id === shown?.to}
          onClick={() => {
            store.otherEnd.value = id;
          }}
        >
          {called(store.model.value, id, 14)}
        </button>
      ))}
    </span>
  );
}

/** The values along a path, from the output back to the leaf. */
function stations(model: Model, shown: ShownPaths, path: Path): string[] {
  const names = [called(model, shown.to, 14)];
  for (const { node, edge } of path.hops.slice(0, -1)) {
    const [next, nr] = model.nodes.get(node)?.next[edge] ?? [null, 0];
    const output = next === null ? undefined : model.nodes.get(next)?.outputs[nr];
    names.push(output === undefined ? "·" : symbol(model, output, 14));
  }
  names.push(called(model, shown.from, 14));
  return names;
}

/** `y ← a ← w`, shortened in the middle. */
function route(names: readonly string[]): string {
  const short = names.length > 7 ? names.toSpliced(3, names.length - 6, "…") : names;
  return short.join(" ← ");
}

/** The chain rule in symbols: `∂y/∂a · ∂a/∂w`. */
function chain(names: readonly string[]): string {
  const factors = names
    .slice(1)
    .map((name, i) => `∂${bracketed(names[i] ?? "")}/∂${bracketed(name)}`);
  return factors.join(" · ");
}

function symbolicSum(model: Model, shown: ShownPaths): string {
  const { paths, count } = shown.found;
  const terms = paths.map((path) => chain(stations(model, shown, path)).replaceAll(" ", ""));
  const [from, to] = [called(model, shown.from, 16), called(model, shown.to, 16)];
  const text = terms.length === count ? terms.join(" + ") : "";
  if (text === "" || text.length > 80) {
    const words = count === 1 ? "the product along the path" : `the sum over all ${count} paths`;
    return `∂${to}/∂${from} = ${words}`;
  }
  return `∂${to}/∂${from} = ${text}`;
}

/** `2 · 1 = 2`: the local derivatives along a path and their product. */
export function productText({ hops, product }: Path): string {
  if (!product) return "";
  const factors = hops.map(({ local }) => (local ? matrix(local) : "?"));
  if (factors.length === 1) return factors[0] ?? "";
  const text = factors.join(" · ");
  return `${text.length > 60 ? `${factors.length} factors` : text} = ${matrix(product)}`;
}

/** `∂y/∂w = 2·1 + 3·1 = 5`; null while the numbers are not known. */
export function sumText(
  from: string,
  to: string,
  paths: readonly Path[],
  count: number,
  sum: Jacobian | null,
): string | null {
  const left = `∂${to}/∂${from} = `;
  if (!sum) return null;
  if (paths.length !== count || count > 6)
    return `${left}sum of ${count} products = ${matrix(sum)}`;
  const parts = paths.map(({ hops, product }) => {
    const scalars = hops.flatMap(({ local }) => (local?.numbers.length === 1 ? local.numbers : []));
    if (scalars.length < hops.length) return product ? matrix(product) : "?";
    return scalars.map(signed).join("·");
  });
  const text = parts.join(" + ");
  const total = matrix(sum);
  return text === total ? `${left}${total}` : `${left}${text} = ${total}`;
}

function signed(x: number): string {
  return x < 0 ? `(${number(x)})` : number(x);
}
