/* A card where its small print is too small to be read: what matters of it in larger letters. */

import { brief, cut, rows } from "../../log/format";
import type { Card } from "../../graph/draw/boxes";
import { GRAD_LENGTH } from "../../graph/draw/cards";
import { textWidth } from "../../graph/draw/measure";
import { t } from "../../text/text";

/** So large a text is 9 px high when whole names are: see NAMES. */
export const FAR_LETTERS = 13;

const LINE = 15;

/** Beside a text, to the edge of its card. */
const AIR = 7;

/** What the pin of retain_grad takes at the end of the gradient's line. */
const PIN_W = 18;

/** Its name with its numbers and its gradient; of a chip or a copy what has room. */
export function FarCardBody({ card }: { card: Card }) {
  const { value, w, h, slim, copy, meta } = card;
  const lines = copy ? [] : slim ? fitting([meta], w) : numbers(card);
  if (lines.length === 0) return <Name card={card} y={h / 2 + 4.5} middle />;
  return (
    <>
      <Name card={card} y={15} />
      {lines.map((line, i) => (
        <text key={i} class="gw-numbers gw-far" x={AIR} y={(slim ? 14 : 16) + LINE * (i + 1)}>
          {line}
        </text>
      ))}
      {!slim && value.requires_grad && <Gradient card={card} y={h - 6} />}
    </>
  );
}

function Name({ card, y, middle = false }: { card: Card; y: number; middle?: boolean }) {
  const { title, w, value, copy } = card;
  const version = value.version > 0 && !copy ? `v${value.version}` : "";
  const room = textWidth(title, 13.5, "bold") + 6 + textWidth(version, FAR_LETTERS, "mono");
  const at = middle ? ({ x: w / 2, "text-anchor": "middle" } as const) : { x: AIR };
  return (
    <text class={nameClass(card)} y={y} {...at}>
      {title}
      {version !== "" && room <= w - 3 * AIR && (
        <tspan class="gw-far-version" dx={6}>
          {version}
        </tspan>
      )}
    </text>
  );
}

const fitting = (texts: readonly string[], w: number): readonly string[] =>
  texts.every((text) => text !== "" && textWidth(text, FAR_LETTERS, "mono") <= w - AIR)
    ? texts
    : [];

/** How many letters a line of a card has room for. */
const lettersIn = (w: number): number =>
  Math.floor((w - AIR - 3) / textWidth("0", FAR_LETTERS, "mono"));

/** As many numbers as have room; of a large array its shape. */
function numbers({ value, w, lines }: Card): readonly string[] {
  const letters = lettersIn(w);
  if (lines.length === 0) return [cut(brief(value.summary, letters), letters)];
  return (rows(value.summary, letters) ?? lines).map((line) => cut(line, letters));
}

function Gradient({ card, y }: { card: Card; y: number }) {
  const { value, passing, w } = card;
  const stored = value.grad;
  const shown = stored ?? (value.leaf ? null : passing);
  const label = stored ? "" : shown ? "∂ " : `${t.picture.cards.grad} `; // what is kept has the room alone
  const letters = lettersIn(value.leaf ? w : w - PIN_W) - label.length;
  return (
    <g
      class={`gw-grad ${stored ? "gw-stored" : shown ? "gw-passing" : "gw-none"}`}
      data-testid="grad"
    >
      <path class="gw-rule" d={`M${AIR} ${y - 14}H${w - AIR}`} />
      <text class="gw-grad-text gw-far" x={AIR} y={y}>
        {`${label}${shown ? brief(shown, Math.min(GRAD_LENGTH, letters)) : "None"}`}
      </text>
    </g>
  );
}

export function nameClass({ named, slim }: Card): string {
  return named ? "gw-name" : slim ? "gw-name gw-unnamed gw-chip-name" : "gw-name gw-unnamed";
}
