/* What the shapes of the picture mean. */

import type { Role } from "../graph/boxes";
import { outline, RoleIcon } from "./icons";

const ROLES: readonly (readonly [Role, string])[] = [
  ["leaf", "leaf, requires grad"],
  ["parameter", "parameter"],
  ["constant", "constant, no grad"],
  ["intermediate", "computed"],
];

/** What the shapes mean, in the dialog of the keys. */
export function Legend() {
  return (
    <div class="gw-legend" data-testid="legend">
      {ROLES.map(([role, text]) => (
        <span key={role} class="gw-legend-item">
          <svg width={26} height={20} viewBox="-1 -1 28 22" aria-hidden="true">
            <g class={`gw-card gw-${role} gw-sample`}>
              <path class="gw-shape" d={outline(role, 26, 20)} transform="scale(1)" />
              <g transform="translate(7 4)">
                <RoleIcon role={role} />
              </g>
            </g>
          </svg>
          {text}
        </span>
      ))}
      <span class="gw-legend-item">
        <svg width={26} height={20} viewBox="0 0 26 20" aria-hidden="true">
          <path class="gw-legend-corner" d="M11 3H23V15Z" />
        </svg>
        requires_grad
      </span>
      <span class="gw-legend-item">
        <svg width={26} height={20} viewBox="0 0 26 20" aria-hidden="true">
          <path class="gw-legend-forward" d="M1 7H25" />
          <path class="gw-legend-backward" d="M25 13H4M8 10L4 13L8 16" />
        </svg>
        forward, gradient
      </span>
      <span class="gw-legend-item">
        <svg width={26} height={20} viewBox="0 0 26 20" aria-hidden="true">
          <rect class="gw-legend-slot" x={2} y={4} width={22} height={12} rx={3} />
        </svg>
        saved for backward
      </span>
    </div>
  );
}
