import { full, matrix, number } from "../format";
import { role } from "../graph/boxes";
import { called } from "../graph/names";
import type { Model, ValueRow } from "../model";
import type { Jacobian, Path } from "../paths";
import type { ShownPaths } from "../shown";
import type { Store } from "../store";
import { backwardEffects } from "../explain/effects";
import { Pieces } from "./panel";
import { ButtonIcon } from "./icons";

/** All about the selected value, and what can be done with it. */
export function ValuePanel({ store, value }: { store: Store; value: ValueRow }) {
  const model = store.model.value;
  const names = [...new Set(value.names.map(([, own]) => own))];
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
      <header>
        <h4 class="gw-title">{names.join(", ").slice(0, 120) || called(model, value.value)}</h4>
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
      </header>
      <p class="gw-line gw-dim">{facts.join(" · ")}</p>
      <p class="gw-line gw-full">{full(value.summary).slice(0, 600)}</p>
      {value.grad && (
        <p class="gw-line">
          <span class="gw-grad-text-inline">{`grad ${full(value.grad).slice(0, 600)}`}</span>
        </p>
      )}
      {value.summary.values === null && store.connection.value !== "offline" && (
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
      )}
      <Commands store={store} value={value} />
      <PathWords store={store} />
    </section>
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
        <p class="gw-line" data-testid="backward-effects">
          <Pieces of={backwardEffects(model, value.value)} store={store} />
        </p>
      )}
      {value.node !== null && (
        <button
          type="button"
          class="gw-command gw-warm"
          data-action="backward"
          disabled={off || run !== null}
          title={
            off
              ? "There is no kernel: this is a recording"
              : "Begins backward here and waits before each node"
          }
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
    </div>
  );
}

function PathWords({ store }: { store: Store }) {
  const shown = store.shown.paths.value;
  if (!shown || shown.found.count === 0) return null;
  const model = store.model.value;
  const [from, to] = [called(model, shown.from, 16), called(model, shown.to, 16)];
  const { paths, count, sum } = shown.found;
  return (
    <div class="gw-paths" data-testid="paths">
      <p class="gw-line">
        {count === 1 ? "One path leads" : `${count} paths lead`} from <b>{from}</b> to <b>{to}</b>
        <OtherEnds store={store} shown={shown} />
      </p>
      {paths.slice(0, 8).map((path, n) => (
        <p
          key={n}
          class={`gw-line gw-path-line gw-path-${(n % 4) + 1}`}
          data-testid="path"
          onMouseEnter={() => {
            store.shown.onePath.value = n;
          }}
          onMouseLeave={() => {
            store.shown.onePath.value = null;
          }}
        >
          <span class="gw-swatch" />
          {route(model, shown, path)}
          <span class="gw-product">{productText(path)}</span>
        </p>
      ))}
      {count > 8 && <p class="gw-line gw-dim">{`and ${count - 8} more`}</p>}
      <p class="gw-line gw-sum" data-testid="path-sum">
        {sumText(from, to, paths, count, sum)}
      </p>
    </div>
  );
}

function OtherEnds({ store, shown }: { store: Store; shown: ShownPaths }) {
  const others = store.shown.others.value;
  if (others.length < 2) return null;
  return (
    <span class="gw-ends">
      {others.map((id) => (
        <button
          key={id}
          type="button"
          class="gw-chip"
          aria-pressed={id === shown.from || id === shown.to}
          onClick={() => {
            store.shown.other.value = id;
          }}
        >
          {called(store.model.value, id, 14)}
        </button>
      ))}
    </span>
  );
}

/** The values along a path, from the output back: `y ← a ← w`. */
function route(model: Model, shown: ShownPaths, path: Path): string {
  const names = [called(model, shown.to, 14)];
  for (const { node, edge } of path.hops.slice(0, -1)) {
    const [next, nr] = model.nodes.get(node)?.next[edge] ?? [null, 0];
    const output = next === null ? undefined : model.nodes.get(next)?.outputs[nr];
    names.push(output === undefined ? "·" : called(model, output, 14));
  }
  names.push(called(model, shown.from, 14));
  if (names.length > 7) names.splice(3, names.length - 6, "…");
  return names.join(" ← ");
}

/** `2 · 1 = 2`: the local derivatives along a path and their product. */
export function productText({ hops, product }: Path): string {
  if (hops.some(({ local }) => local === null)) return "run backward to see the numbers";
  if (!product) return "";
  const factors = hops.map(({ local }) => (local ? matrix(local) : "?"));
  if (factors.length === 1) return factors[0] ?? "";
  const text = factors.join(" · ");
  return `${text.length > 60 ? `${factors.length} factors` : text} = ${matrix(product)}`;
}

/** `∂y/∂w = 2·1 + 3·1 = 5`. */
export function sumText(
  from: string,
  to: string,
  paths: readonly Path[],
  count: number,
  sum: Jacobian | null,
): string {
  const left = `∂${to}/∂${from} = `;
  if (!sum)
    return `${left}the sum over ${count === 1 ? "this path" : "all paths"} of their products`;
  if (paths.length !== count || count > 6)
    return `${left}sum of ${count} products = ${matrix(sum)}`;
  const parts = paths.map(({ hops, product }) => {
    const scalars = hops.every(({ local }) => local && local.rows * local.columns === 1);
    if (!scalars) return product ? matrix(product) : "?";
    return hops.map(({ local }) => signed(local?.numbers[0] ?? 0)).join("·");
  });
  const text = parts.join(" + ");
  const total = matrix(sum);
  return text === total ? `${left}${total}` : `${left}${text} = ${total}`;
}

function signed(x: number): string {
  return x < 0 ? `(${number(x)})` : number(x);
}
