/* What the signs of the picture mean. */

import type { ComponentChildren } from "preact";
import type { Role } from "../../graph/boxes";
import { outline, RoleIcon } from "../icons";
import { HookBadge } from "../stage/wires";

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

const ROLES: readonly (readonly [Role, string])[] = [
  ["leaf", "leaf that requires grad: leaf-shaped outline"],
  ["parameter", "parameter of a module: cut corners, double outline"],
  ["constant", "constant, no gradient is computed: dashed outline"],
  ["intermediate", "computed value: rounded outline"],
];

function Values() {
  return (
    <Part title="Values">
      {ROLES.map(([role, text]) => (
        <Item key={role} text={text}>
          <g class={`gw-card gw-${role} gw-sample`} transform="translate(9 1) scale(0.92)">
            <path class="gw-shape" d={outline(role, 26, 20)} />
            <g transform="translate(7 4)">
              <RoleIcon role={role} />
            </g>
          </g>
        </Item>
      ))}
      <Item text="requires_grad is True">
        <path class="gw-legend-corner" d="M20 3H32V15Z" />
      </Item>
      <Item text="version: counts the in-place writes">
        <g class="gw-version gw-ticked">
          <rect x={12} y={3} width={20} height={14} rx={3} />
          <text x={22} y={13.6}>
            v2
          </text>
        </g>
      </Item>
      <Item text="faded: overwritten in place since then">
        <g class="gw-card gw-intermediate gw-past gw-sample">
          <path class="gw-shape" d={outline("intermediate", 26, 17)} transform="translate(9 1)" />
        </g>
      </Item>
      <Item text="shares its memory with another card (point at it)">
        <g class="gw-storage" transform="translate(16 5)">
          <rect x={0} y={2.5} width={8} height={7} rx={1.5} />
          <rect x={3.5} y={0} width={8} height={7} rx={1.5} />
        </g>
      </Item>
      <Item text="view: joins a view and its base, one memory">
        <path class="gw-bracket" d="M5 4V9Q5 13 9 13H35Q39 13 39 9V4" />
      </Item>
      <Sign of="all 2." text="every number of the tensor is 2." />
      <Item text="a large tensor: smallest, mean, largest number">
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
    <Part title="Gradients">
      <Item text="grey: forward; orange: the gradient, backward">
        <path class="gw-legend-forward" d="M6 7H38" />
        <path class="gw-legend-backward" d="M38 13H10M14 10L10 13L14 16" />
      </Item>
      <Item text="the gradient that passed along a wire">
        <g class="gw-label" transform="translate(22 10)">
          <rect x={-13} y={-8} width={26} height={15} rx={4} />
          <text y={3.5}>2.</text>
        </g>
      </Item>
      <Item text="here a hook changed the gradient (point at it)">
        <path class="gw-legend-backward" d="M38 10H6M10 7L6 10L10 13" />
        <HookBadge x={24} y={10} text="" />
      </Item>
      <Sign of="∂ 2." kind="gw-passed" text="passed through, not kept in .grad" />
      <Sign of="grad 2." kind="gw-kept" text="kept in .grad" />
      <Item text="retain_grad of a computed value: off, on (click)">
        <g class="gw-pin" transform="translate(4 2)">
          <path d="M5 1.5H10M6 1.5V6L3.5 9H11.5L9 6V1.5M7.5 9V14" />
        </g>
        <g class="gw-pin gw-on" transform="translate(24 2)">
          <path d="M5 1.5H10M6 1.5V6L3.5 9H11.5L9 6V1.5M7.5 9V14" />
        </g>
      </Item>
      <Sign of="‖∂‖ 2" kind="gw-kept" text="length of the gradient at a group's result" />
      <Sign of="max |∂| 2" kind="gw-kept" text="its largest entry, of a large tensor" />
    </Part>
  );
}

/** The kinds of pills. */
function Operations() {
  const kinds = [
    ["", "operation that backward goes through"],
    ["gw-plain", "operation without grad_fn"],
    ["gw-inplace", "in-place write"],
    ["gw-active", "the node that this step ran"],
    ["gw-failed", "failed"],
    ["gw-fresh", "not in the iteration before, or other there"],
  ] as const;
  return (
    <Part title="Operations">
      {kinds.map(([kind, text]) => (
        <Item key={text} text={text}>
          <g class={`gw-pill ${kind}`}>
            <rect class="gw-body" x={9} y={3} width={26} height={14} rx={7} />
          </g>
        </Item>
      ))}
      <Item text="operands in another order than drawn: 1 comes first">
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
      <Item text="its backward has run">
        <g class="gw-tick" transform="translate(17 5)">
          <circle cx={5} cy={5} r={6} />
          <path d="M2.2 5.2L4.3 7.3L8 3" />
        </g>
      </Item>
    </Part>
  );
}

const EMPTY_SLOTS = [
  ["freed", "freed: backward has used it"],
  ["unused", "released unused: backward never ran here"],
  ["packed", "not saved here: saved_tensors_hooks keep it"],
  ["recomputed", "not saved: a checkpoint recomputes it in backward"],
] as const;

function Saved() {
  const slot = { x: 3, y: 3, width: 38, height: 14, rx: 3 };
  return (
    <Part title="Saved for backward">
      <Item text="a value and its version, saved for backward">
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
      {EMPTY_SLOTS.map(([word, text]) => (
        <Item key={word} text={text}>
          <g class="gw-slot gw-slot-empty">
            <rect {...slot} x={-7} width={58} />
            <text class="gw-slot-name" x={22} y={14} text-anchor="middle">
              {word}
            </text>
          </g>
        </Item>
      ))}
      <Item text="overwritten since: backward will fail">
        <g class="gw-slot gw-slot-stale">
          <rect {...slot} />
        </g>
      </Item>
      <Item text="from the write to the overwritten value">
        <path class="gw-legend-stale" d="M5 10H36M31 6L37 10L31 14" />
      </Item>
    </Part>
  );
}

function Groups() {
  return (
    <Part title="Groups">
      <Item text="module, function or loop, closed: click to open">
        <rect class="gw-group-body" x={9} y={2} width={26} height={16} rx={4} />
      </Item>
      <Item text="open: click its title to close">
        <rect class="gw-frame-body" x={9} y={2} width={26} height={16} rx={4} />
        <path class="gw-legend-forward" d="M13 6L16 9L19 6" fill="none" />
      </Item>
      <Sign of="×3" text="three equal ones, drawn once" />
      <Sign of="↻ SGD" text="its parameters were updated by SGD" />
    </Part>
  );
}

const CHIPS = [
  ["◂ backward", "start backward here, node by node; only in the newest picture"],
  ["latest", "the newest step; click “back to latest” at an earlier one"],
  ["recorded", "can be replayed; run the cell again to step live"],
  ["paused in backward", "Next (→) runs one node in the kernel"],
  ["show 2 older graphs", "graphs that the newest cell did not use"],
  ["▸ error", "go to the next problem"],
  ["log", "a curve on a logarithmic scale"],
] as const;

function Buttons() {
  return (
    <Part title="Words in the bars">
      {CHIPS.map(([chip, text]) => (
        <span key={chip} class="gw-legend-item">
          <span class="gw-chip">{chip}</span>
          <span>{text}</span>
        </span>
      ))}
    </Part>
  );
}
