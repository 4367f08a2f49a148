/* What the shapes of the picture mean. */

import type { ComponentChildren } from "preact";
import type { Role } from "../graph/boxes";
import { outline, RoleIcon } from "./icons";

const ROLES: readonly (readonly [Role, string])[] = [
  ["leaf", "leaf, requires grad"],
  ["parameter", "parameter"],
  ["constant", "constant, no grad"],
  ["intermediate", "computed"],
];

/** A small drawing, and what it stands for. */
function Item({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <span class="gw-legend-item">
      <svg width={26} height={20} viewBox="0 0 26 20" aria-hidden="true">
        {children}
      </svg>
      {text}
    </span>
  );
}

/** What the shapes mean, in the dialog of the keys. */
export function Legend() {
  return (
    <div class="gw-legend" data-testid="legend">
      {ROLES.map(([role, text]) => (
        <Item key={role} text={text}>
          <g class={`gw-card gw-${role} gw-sample`} transform="translate(1 1) scale(0.92)">
            <path class="gw-shape" d={outline(role, 26, 20)} />
            <g transform="translate(7 4)">
              <RoleIcon role={role} />
            </g>
          </g>
        </Item>
      ))}
      <Item text="requires grad">
        <path class="gw-legend-corner" d="M11 3H23V15Z" />
      </Item>
      <Item text="version: in-place writes">
        <g class="gw-version gw-ticked">
          <rect x={3} y={3} width={20} height={14} rx={3} />
          <text x={13} y={13.6}>
            v2
          </text>
        </g>
      </Item>
      <Item text="forward, gradient">
        <path class="gw-legend-forward" d="M1 7H25" />
        <path class="gw-legend-backward" d="M25 13H4M8 10L4 13L8 16" />
      </Item>
      <Operations />
      <Item text="saved for backward">
        <rect class="gw-legend-slot" x={2} y={4} width={22} height={12} rx={3} />
      </Item>
      <Item text="freed">
        <g class="gw-slot gw-slot-empty">
          <rect x={2} y={4} width={22} height={12} rx={3} />
        </g>
      </Item>
      <Item text="saved, then overwritten">
        <g class="gw-slot gw-slot-stale">
          <rect x={2} y={4} width={22} height={12} rx={3} />
        </g>
      </Item>
      <Item text="closed group: click">
        <rect class="gw-group-body" x={2} y={2} width={22} height={16} rx={4} />
      </Item>
      <Item text="other turn, other ops">
        <g class="gw-pill gw-fresh">
          <rect class="gw-body" x={2} y={3} width={22} height={14} rx={7} />
        </g>
      </Item>
    </div>
  );
}

/** The kinds of pills. */
function Operations() {
  const kinds = [
    ["", "operation"],
    ["gw-plain", "operation without grad_fn"],
    ["gw-inplace", "writes in place"],
    ["gw-failed", "failed"],
  ] as const;
  return (
    <>
      {kinds.map(([kind, text]) => (
        <Item key={text} text={text}>
          <g class={`gw-pill ${kind}`}>
            <rect class="gw-body" x={2} y={3} width={22} height={14} rx={7} />
          </g>
        </Item>
      ))}
      <Item text="its backward has run">
        <g class="gw-tick" transform="translate(8 5)">
          <circle cx={5} cy={5} r={6} />
          <path d="M2.2 5.2L4.3 7.3L8 3" />
        </g>
      </Item>
    </>
  );
}
