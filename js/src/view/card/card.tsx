/* A value as a card. */

import { memo } from "preact/compat";
import { brief, full } from "../../log/format";
import {
  GRAD_H,
  GRAD_LENGTH,
  HEAD_H,
  LINE_H,
  STRIP_H,
  stripTexts,
  versionWidth,
} from "../../graph/draw/cards";
import { textWidth } from "../../graph/draw/measure";
import { isSymbol } from "../../graph/names";
import type { Card } from "../../graph/draw/boxes";
import type { Summary } from "../../log/events";
import { versionWords } from "../../explain/version";
import { FarCardBody, nameClass } from "./far-card";
import { outline, RoleIcon } from "../icons";
import { t } from "../../text/text";

export interface CardProps {
  card: Card;
  x: number;
  y: number;
  selected: boolean;
  dimmed: boolean;
  /** A value that could be differentiated: it shows a way to start backward. */
  root: boolean;
  wrong: boolean;
  /** It was not in the iteration before. */
  fresh: boolean;
  /** The reader points at the storage that it shows. */
  peer: boolean;
  /** Seen from afar: what matters of it, in larger letters. */
  far: boolean;
  /** The reader points at this card's storage, or at none any more. */
  onStorage: (storage: number | null) => void;
  onSelect: (value: number) => void;
  /** Null where nothing can be asked of a kernel. */
  onPin: ((value: number, on: boolean) => void) | null;
}

/** A value: its name, shape, numbers, version and gradient. */
function CardView(props: CardProps) {
  const { card, x, y, selected, dimmed, root, wrong, fresh, peer, far, onSelect } = props;
  const { value, role, w, h } = card;
  const state = [
    `gw-card gw-${role}`,
    selected ? "gw-selected" : "",
    dimmed ? "gw-dimmed" : "",
    value.next !== null ? "gw-past" : "",
    wrong ? "gw-wrong" : "",
    fresh ? "gw-fresh" : "",
    peer ? "gw-peer" : "",
  ];
  return (
    <g
      class={state.join(" ")}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      data-testid="value"
      data-value={card.copy ? undefined : value.value}
      data-copy-of={card.copy ? value.value : undefined}
      data-role={role}
      data-key={card.key}
      tabindex={-1}
      role="group"
      aria-label={describe(card)}
      onClick={() => {
        onSelect(value.value);
      }}
    >
      {!far && <title>{describe(card)}</title>}
      <path class="gw-shape" d={outline(role, w, h)} />
      {role === "parameter" && !far && (
        <path class="gw-inner" d={outline(role, w - 6, h - 6)} transform="translate(3 3)" />
      )}
      {value.requires_grad && <path class="gw-corner" d={corner(role, w)} />}
      {far ? <FarCardBody card={card} /> : <Body {...props} />}
      {!card.copy && !card.slim && value.requires_grad && !value.leaf && (
        <Pin card={card} onPin={props.onPin} />
      )}
      {root && !card.copy && <RootButton {...{ card, far, onSelect }} />}
    </g>
  );
}

export const CardNode = memo(CardView);

function Body(props: CardProps) {
  const { card } = props;
  const { copy, slim, role, title, meta } = card;
  const icon = copy ? "translate(7 6)" : slim ? "translate(8 4.5)" : "translate(8 7)";
  return (
    <>
      <g transform={icon}>
        <RoleIcon role={role} />
      </g>
      <text class={nameClass(card)} x={24} y={copy || slim ? 16 : 17}>
        {title}
      </text>
      {slim && (
        <text class="gw-meta gw-chip-meta" x={9} y={28}>
          {meta}
        </text>
      )}
      {!copy && !slim && <Details {...props} />}
    </>
  );
}

function Details({ card, onStorage }: CardProps) {
  const { value, w, h, lines } = card;
  return (
    <>
      {!isSymbol(value) && (
        <Version version={value.version} x={w - (value.requires_grad ? 19 : 9)} />
      )}
      <text class="gw-meta" x={9} y={30}>
        {card.meta}
      </text>
      {card.shared && <StorageChip card={card} onStorage={onStorage} />}
      {lines.map((line, i) => (
        <text key={i} class="gw-numbers" x={9} y={HEAD_H + 8 + i * LINE_H}>
          {line}
        </text>
      ))}
      {lines.length === 0 && <Strip summary={value.summary} w={w - 18} />}
      {value.requires_grad && <GradRow card={card} y={h - GRAD_H} />}
    </>
  );
}

function Version({ version, x }: { version: number; x: number }) {
  const text = `v${version}`;
  const w = versionWidth(version);
  return (
    <g key={version} class={version > 0 ? "gw-version gw-ticked" : "gw-version"}>
      <rect x={x - w} y={6} width={w} height={13} rx={3} />
      <text x={x - w / 2} y={15.6}>
        {text}
      </text>
    </g>
  );
}

/** Says that other cards show the same numbers; pointing at it lights them all. */
function StorageChip({ card, onStorage }: Pick<CardProps, "card" | "onStorage">) {
  const { value, w } = card;
  return (
    <g
      class="gw-storage"
      transform={`translate(${w - 21} 22)`}
      data-testid="storage"
      onPointerEnter={() => {
        onStorage(value.storage);
      }}
      onPointerLeave={() => {
        onStorage(null);
      }}
    >
      <title>{t.picture.cards.shared}</title>
      <rect class="gw-hit" x={-3} y={-3} width={18} height={15} />
      <rect x={0} y={2.5} width={8} height={7} rx={1.5} />
      <rect x={3.5} y={0} width={8} height={7} rx={1.5} />
    </g>
  );
}

/** Min, mean and max of a large array on a line, over its histogram when there is one. */
function Strip({ summary, w }: { summary: Summary; w: number }) {
  const { stats, histogram } = summary;
  if (!stats) return null;
  const [min, max, mean] = [Number(stats.min), Number(stats.max), Number(stats.mean)];
  const at = max > min ? (mean - min) / (max - min) : 0.5;
  const most = Math.max(1, ...(histogram?.counts ?? []));
  const [least, bad, greatest] = stripTexts(summary);
  const middle = (w + textWidth(least, 10, "regular") - textWidth(greatest, 10, "regular")) / 2;
  const bar = w / (histogram?.counts.length ?? 1);
  return (
    <g class="gw-strip" transform={`translate(9 ${HEAD_H})`}>
      {histogram?.counts.map((count, i) => (
        <rect
          key={i}
          class="gw-bar"
          x={i * bar}
          y={10 - (10 * count) / most}
          width={Math.max(bar - 1, 1)}
          height={(10 * count) / most}
        />
      ))}
      <path class="gw-range" d={`M0 10H${w}M0 7V13M${w} 7V13`} />
      <circle class="gw-mean" cx={w * (Number.isFinite(at) ? at : 0.5)} cy={10} r={3} />
      <text class="gw-meta" x={0} y={STRIP_H - 1}>
        {least}
      </text>
      <text class="gw-meta" x={w} y={STRIP_H - 1} text-anchor="end">
        {greatest}
      </text>
      {bad !== "" && (
        <text class="gw-bad" x={middle} y={STRIP_H - 1} text-anchor="middle">
          {bad}
        </text>
      )}
    </g>
  );
}

function GradRow({ card, y }: { card: Card; y: number }) {
  const { value, w } = card;
  const stored = value.grad;
  const passing = stored === null && !value.leaf ? card.passing : null;
  const shown = stored ?? passing;
  const kind = stored ? "gw-stored" : passing ? "gw-passing" : "gw-none";
  return (
    <g class={`gw-grad ${kind}`} data-testid="grad">
      <path class="gw-rule" d={`M8 ${y - 1}H${w - 8}`} />
      <text class="gw-grad-label" x={9} y={y + 12}>
        {passing ? "∂" : t.picture.cards.grad}
      </text>
      <text class="gw-grad-text" x={passing ? 20 : 35} y={y + 12}>
        {shown ? brief(shown, GRAD_LENGTH) : "None"}
      </text>
    </g>
  );
}

/** The pin of retain_grad: filled when the gradient will be kept. */
function Pin({ card, onPin }: { card: Card; onPin: CardProps["onPin"] }) {
  const { value, w, h } = card;
  const on = value.retains_grad;
  const label = on ? t.picture.cards.pinOn : t.picture.cards.pinOff;
  const toggle = (event: Event): void => {
    event.stopPropagation();
    onPin?.(value.value, !on);
  };
  return (
    <g
      class={on ? "gw-pin gw-on" : "gw-pin"}
      transform={`translate(${w - 21} ${h - GRAD_H})`}
      data-action="pin"
      data-value={undefined}
      role="switch"
      aria-checked={on}
      aria-disabled={onPin === null}
      aria-label={t.picture.cards.pin(card.title)}
      tabindex={-1}
      onClick={toggle}
      onKeyDown={(event) => {
        if (event.key === "Enter") toggle(event);
      }}
    >
      <title>{label}</title>
      <rect class="gw-hit" x={-4} y={-1} width={22} height={GRAD_H} />
      <path d="M5 1.5H10M6 1.5V6L3.5 9H11.5L9 6V1.5M7.5 9V14" />
    </g>
  );
}

function RootButton({ card, far, onSelect }: Pick<CardProps, "card" | "far" | "onSelect">) {
  const { w, h, value } = card;
  const [length, height] = far ? [92, 21] : [76, 18];
  const gap = 2; // no more: under the lowest card there is nothing but the air around the picture
  return (
    <g
      class="gw-root"
      transform={`translate(${w / 2} ${h + gap})`}
      data-action="ask-backward"
      tabindex={-1}
      role="button"
      aria-label={t.picture.cards.backwardFrom(card.title)}
      onClick={(event) => {
        event.stopPropagation();
        onSelect(value.value);
      }}
    >
      <title>{t.picture.cards.backwardHere}</title>
      <rect x={-length / 2} y={0} width={length} height={height} rx={height / 2} />
      <text class={far ? "gw-far" : ""} x={0} y={height * 0.7}>
        {t.picture.cards.backward}
      </text>
    </g>
  );
}

/** The filled corner of requires_grad, following the outline. */
function corner(role: Card["role"], w: number): string {
  if (role === "parameter") return `M${w - 20} 0H${w - 9}L${w} 9V20Z`;
  if (role === "intermediate") return `M${w - 17} 0H${w - 9}Q${w} 0 ${w} 9V17Z`;
  return `M${w - 15} 0H${w - 3}Q${w} 0 ${w} 3V15Z`;
}

/** The card in words, for tooltips and screen readers. */
export function describe(card: Card): string {
  const { value } = card;
  const names = [...new Set(value.names.map(([, own]) => own))];
  const version = versionWords(value);
  const shown = names.length > 0 ? names.join(", ").slice(0, 200) : t.picture.names.unnamed;
  const words = t.picture.cards;
  return (
    words.described(shown, words.roles[card.role], full(value.summary).slice(0, 300), card.meta) +
    (isSymbol(value) ? "" : words.version(value.version)) +
    words.requiresGrad(value.requires_grad ? "True" : "False") +
    (value.grad ? words.withGrad(brief(value.grad)) : "") +
    (version === null ? "" : words.sentence(version))
  );
}
