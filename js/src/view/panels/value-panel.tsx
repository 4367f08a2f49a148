/* All about the selected value: its numbers, its commands, and the paths through it. */

import { full, shape } from "../../log/format";
import { role } from "../../graph/draw/cards";
import { called, isSymbol } from "../../graph/names";
import type { ValueRow } from "../../log/model";
import type { Path } from "../../graph/paths";
import type { ShownPaths } from "../../store/shown";
import type { Store } from "../../store/store";
import { backwardEffects } from "../../explain/backward-effects";
import { pathLine, pathsLine, sumLines } from "../../explain/paths";
import { versionWords } from "../../explain/version";
import { NodeChip } from "../overlay/chosen";
import { ButtonIcon } from "../icons";
import { Pieces } from "./explanation";
import { t } from "../../text/text";

/** All about the selected value, and what can be done with it. */
export function ValuePanel({ store, value }: { store: Store; value: ValueRow }) {
  const model = store.model.value;
  const names = namesOf(value);
  const node = value.node === null ? undefined : model.nodes.get(value.node);
  const version = versionWords(value);
  const facts = [
    t.bars.panel.roles[role(value)],
    t.bars.panel.shape(shape(value.summary.shape)),
    value.summary.dtype,
    ...(isSymbol(value)
      ? []
      : [
          t.bars.panel.version(value.version),
          `requires_grad ${value.requires_grad ? "True" : "False"}`,
          `grad_fn ${node ? node.name : "None"}`,
        ]),
    ...(value.alive ? [] : [t.bars.panel.notKept]),
  ];
  return (
    <section class="gw-value" data-testid="value-panel">
      <div class="gw-value-main">
        <h4 class="gw-title">{names.join(", ").slice(0, 120) || called(model, value.value)}</h4>
        <p class="gw-line gw-full">{full(value.summary).slice(0, 600)}</p>
        {value.grad && (
          <p class="gw-line gw-grad-text-inline">{`grad ${full(value.grad).slice(0, 600)}`}</p>
        )}
        <p class="gw-line gw-dim">{facts.join(" · ")}</p>
        {version !== null && <p class="gw-line gw-dim">{version}</p>}
        <MoreNumbers store={store} value={value} />
        <Commands store={store} value={value} />
        <NodeChip store={store} node={value.node} />
      </div>
      <PathWords store={store} />
      <button
        type="button"
        class="gw-button gw-close"
        data-action="close"
        aria-label={t.bars.panel.close}
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
      {t.bars.panel.moreNumbers}
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
          title={off ? store.why.value : t.bars.panel.backwardTitle}
          onClick={() => {
            store.backward(value.value);
          }}
        >
          {t.bars.panel.backward(called(model, value.value, 16))}
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
          {value.retains_grad ? t.bars.panel.stopRetaining : t.bars.panel.retain}
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
          {t.bars.panel.pathsFrom}
          <OtherEnds store={store} shown={null} />
        </p>
      </div>
    );
  }
  const { paths, count } = shown.found;
  return (
    <div class="gw-paths" data-testid="paths">
      <p class="gw-line">
        <Pieces of={pathsLine(model, shown)} store={store} />
        {ends.length > 1 && <OtherEnds store={store} shown={shown} />}
      </p>
      {paths.slice(0, 8).map((path, n) => (
        <PathLine key={n} store={store} shown={shown} path={path} n={n} />
      ))}
      {count > 8 && <p class="gw-line gw-dim">{t.bars.panel.andMore(count - 8)}</p>}
      {sumLines(model, shown).map((line, n) => (
        <p key={n} class="gw-line gw-sum" data-testid={n === 0 ? "path-sum" : undefined}>
          <Pieces of={line} store={store} />
        </p>
      ))}
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
  const [route, product] = pathLine(store.model.value, shown, path);
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
      <Pieces of={route} store={store} />
      <span class="gw-product">
        <Pieces of={product} store={store} />
      </span>
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
