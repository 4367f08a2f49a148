/* What the signs of the picture mean. */

import type { ComponentChildren } from "preact";
import type { Role } from "../../graph/draw/boxes";
import { outline, RoleIcon } from "../icons";
import { HookBadge } from "../stage/wires";
import { t } from "../../text/text";

/** A small drawing, and what it stands for. */
function Item({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <span class="gw-legend-item">
      <svg width={60} height={20} viewBox="-8 0 60 20" aria-hidden="true">
        {children}
      </svg>
      <span>{text}</span>
    </span>
  );
}

/** A sign that is text in the picture, too. */
function Sign({ text, of, kind = "" }: { text: string; of: string; kind?: string }) {
  return (
    <Item text={text}>
      <text class={`gw-legend-sign ${kind}`} x={22} y={14}>
        {of}
      </text>
    </Item>
  );
}

/** All signs, in groups. */
export function Legend() {
  return (
    <div class="gw-legend" data-testid="legend">
      <Values />
      <Gradients />
      <Operations />
      <Saved />
      <Groups />
      <Buttons />
    </div>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="gw-legend-part">
      <h5 class="gw-legend-title">{title}</h5>
      {children}
    </section>
  );
}

const ROLES: readonly Role[] = ["leaf", "parameter", "constant", "intermediate"];

function Values() {
  return (
    <Part title={t.help.parts.values}>
      {ROLES.map((role) => (
        <Item key={role} text={t.help[role]}>
          <g class={`gw-card gw-${role} gw-sample`} transform="translate(9 1) scale(0.92)">
            <path class="gw-shape" d={outline(role, 26, 20)} />
            <g transform="translate(7 4)">
              <RoleIcon role={role} />
            </g>
          </g>
        </Item>
      ))}
      <Item text={t.help.requiresGrad}>
        <path class="gw-legend-corner" d="M20 3H32V15Z" />
      </Item>
      <Item text={t.help.version}>
        <g class="gw-version gw-ticked">
          <rect x={12} y={3} width={20} height={14} rx={3} />
          <text x={22} y={13.6}>
            v2
          </text>
        </g>
      </Item>
      <Item text={t.help.faded}>
        <g class="gw-card gw-intermediate gw-past gw-sample">
          <path class="gw-shape" d={outline("intermediate", 26, 17)} transform="translate(9 1)" />
        </g>
      </Item>
      <Item text={t.help.storage}>
        <g class="gw-storage" transform="translate(16 5)">
          <rect x={0} y={2.5} width={8} height={7} rx={1.5} />
          <rect x={3.5} y={0} width={8} height={7} rx={1.5} />
        </g>
      </Item>
      <Item text={t.help.view}>
        <path class="gw-bracket" d="M5 4V9Q5 13 9 13H35Q39 13 39 9V4" />
      </Item>
      <Sign of={t.picture.numbers.all("2.")} text={t.help.all} />
      <Item text={t.help.strip}>
        <g class="gw-strip" transform="translate(6 0)">
          <path class="gw-range" d="M0 10H32M0 7V13M32 7V13" />
          <circle class="gw-mean" cx={14} cy={10} r={3} />
        </g>
      </Item>
    </Part>
  );
}

function Gradients() {
  return (
    <Part title={t.help.parts.gradients}>
      <Item text={t.help.wires}>
        <path class="gw-legend-forward" d="M6 7H38" />
        <path class="gw-legend-backward" d="M38 13H10M14 10L10 13L14 16" />
      </Item>
      <Item text={t.help.passed}>
        <g class="gw-label" transform="translate(22 10)">
          <rect x={-13} y={-8} width={26} height={15} rx={4} />
          <text y={3.5}>2.</text>
        </g>
      </Item>
      <Item text={t.help.hook}>
        <path class="gw-legend-backward" d="M38 10H6M10 7L6 10L10 13" />
        <HookBadge x={24} y={10} text="" />
      </Item>
      <Sign of="∂ 2." kind="gw-passed" text={t.help.passing} />
      <Sign of="grad 2." kind="gw-kept" text={t.help.kept} />
      <Item text={t.help.pin}>
        <g class="gw-pin" transform="translate(4 2)">
          <path d="M5 1.5H10M6 1.5V6L3.5 9H11.5L9 6V1.5M7.5 9V14" />
        </g>
        <g class="gw-pin gw-on" transform="translate(24 2)">
          <path d="M5 1.5H10M6 1.5V6L3.5 9H11.5L9 6V1.5M7.5 9V14" />
        </g>
      </Item>
      <Sign of="‖∂‖ 2" kind="gw-kept" text={t.help.norm} />
      <Sign of="max |∂| 2" kind="gw-kept" text={t.help.largest} />
    </Part>
  );
}

/** The kinds of pills. */
function Operations() {
  const kinds = [
    ["", t.help.pill],
    ["gw-plain", t.help.plain],
    ["gw-inplace", t.help.inplace],
    ["gw-active", t.help.active],
    ["gw-failed", t.help.failed],
    ["gw-fresh", t.help.fresh],
  ] as const;
  return (
    <Part title={t.help.parts.operations}>
      {kinds.map(([kind, text]) => (
        <Item key={text} text={text}>
          <g class={`gw-pill ${kind}`}>
            <rect class="gw-body" x={9} y={3} width={26} height={14} rx={7} />
          </g>
        </Item>
      ))}
      <Item text={t.help.operands}>
        <path class="gw-legend-forward" d="M-4 6H20M-4 14H20" />
        <g class="gw-pill">
          <rect class="gw-body" x={20} y={3} width={26} height={14} rx={7} />
        </g>
        <text class="gw-operand" x={12} y={4.5}>
          2
        </text>
        <text class="gw-operand" x={12} y={20}>
          1
        </text>
      </Item>
      <Item text={t.help.tick}>
        <g class="gw-tick" transform="translate(17 5)">
          <circle cx={5} cy={5} r={6} />
          <path d="M2.2 5.2L4.3 7.3L8 3" />
        </g>
      </Item>
    </Part>
  );
}

const EMPTY_SLOTS = ["freed", "unused", "packed", "recomputed"] as const;

function Saved() {
  const slot = { x: 3, y: 3, width: 38, height: 14, rx: 3 };
  return (
    <Part title={t.help.parts.saved}>
      <Item text={t.help.slot}>
        <g class="gw-slot gw-slot-kept">
          <rect {...slot} />
          <text class="gw-slot-name" x={8} y={14}>
            x
          </text>
          <text class="gw-slot-version" x={37} y={14} text-anchor="end">
            v0
          </text>
        </g>
      </Item>
      {EMPTY_SLOTS.map((word) => (
        <Item key={word} text={t.help[word]}>
          <g class="gw-slot gw-slot-empty">
            <rect {...slot} x={-7} width={58} />
            <text class="gw-slot-name" x={22} y={14} text-anchor="middle">
              {t.picture.slots[word]}
            </text>
          </g>
        </Item>
      ))}
      <Item text={t.help.stale}>
        <g class="gw-slot gw-slot-stale">
          <rect {...slot} />
        </g>
      </Item>
      <Item text={t.help.arrow}>
        <path class="gw-legend-stale" d="M5 10H36M31 6L37 10L31 14" />
      </Item>
    </Part>
  );
}

function Groups() {
  return (
    <Part title={t.help.parts.groups}>
      <Item text={t.help.group}>
        <rect class="gw-group-body" x={9} y={2} width={26} height={16} rx={4} />
      </Item>
      <Item text={t.help.frame}>
        <rect class="gw-frame-body" x={9} y={2} width={26} height={16} rx={4} />
        <path class="gw-legend-forward" d="M13 6L16 9L19 6" fill="none" />
      </Item>
      <Sign of="×3" text={t.help.times} />
      <Sign of="↻ SGD" text={t.help.stepped} />
    </Part>
  );
}

function Buttons() {
  const { player, view, problemChips, iterations } = t.bars;
  const chips = [
    [t.picture.cards.backward, t.help.backward],
    [player.latest, t.help.latest],
    [player.recorded, t.help.recorded],
    [player.paused, t.help.paused],
    [view.showOlder(2), t.help.older],
    [`▸ ${problemChips.error}`, t.help.problem],
    [iterations.log, t.help.log],
  ] as const;
  return (
    <Part title={t.help.parts.words}>
      {chips.map(([chip, text]) => (
        <span key={chip} class="gw-legend-item">
          <span class="gw-chip">{chip}</span>
          <span>{text}</span>
        </span>
      ))}
    </Part>
  );
}
