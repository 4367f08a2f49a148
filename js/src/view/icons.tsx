/* Outlines of cards, and icons. */

import type { Role } from "../graph/draw/boxes";

/** A small mark before the name: leaf, parameter (a dial), constant (a lock), intermediate. */
export function RoleIcon({ role }: { role: Role }) {
  switch (role) {
    case "leaf":
      return <path class="gw-icon" d="M1 11C0 4 4 1 11 1C11 8 8 12 1 11ZM1.5 10.5L7 5" />;
    case "parameter":
      return <path class="gw-icon" d="M1 3.5H6M10 3.5H11M1 8.5H2M6 8.5H11M8 1.5V5.5M4 6.5V10.5" />;
    case "constant":
      return <path class="gw-icon" d="M2 5.5H10V11H2ZM4 5.5V3.5A2 2 0 0 1 8 3.5V5.5" />;
    default:
      return (
        <path
          class="gw-icon"
          d="M0.5 6H3.5M8.5 6H11.5M3.5 6A2.5 2.5 0 1 1 8.5 6A2.5 2.5 0 1 1 3.5 6"
        />
      );
  }
}

/** The outline of a card: leaf, cut corners, sharp, rounded. */
export function outline(role: Role, w: number, h: number): string {
  switch (role) {
    case "leaf":
      return `M16 0H${w - 3}Q${w} 0 ${w} 3V${h - 16}Q${w} ${h} ${w - 16} ${h}H3Q0 ${h} 0 ${h - 3}V16Q0 0 16 0Z`;
    case "parameter":
      return `M9 0H${w - 9}L${w} 9V${h - 9}L${w - 9} ${h}H9L0 ${h - 9}V9Z`;
    case "constant":
      return `M0 0H${w}V${h}H0Z`;
    default:
      return `M9 0H${w - 9}Q${w} 0 ${w} 9V${h - 9}Q${w} ${h} ${w - 9} ${h}H9Q0 ${h} 0 ${h - 9}V9Q0 0 9 0Z`;
  }
}

const BUTTONS = {
  first: "M4 3V13M13 3L6 8L13 13Z",
  previous: "M11 3L4 8L11 13Z",
  next: "M5 3L12 8L5 13Z",
  last: "M12 3V13M3 3L10 8L3 13Z",
  play: "M4 2.5L13 8L4 13.5Z",
  pause: "M4.5 3H6.5V13H4.5ZM9.5 3H11.5V13H9.5Z",
  fit: "M2 6V2H6M10 2H14V6M14 10V14H10M6 14H2V10",
  plus: "M8 3V13M3 8H13",
  minus: "M3 8H13",
  LR: "M2 8H13M9 4L13 8L9 12",
  TD: "M8 2V13M4 9L8 13L12 9",
  find: "M7 2.5A4.5 4.5 0 1 1 7 11.5A4.5 4.5 0 1 1 7 2.5M10.4 10.4L14 14",
  help: "M5.2 5.6A2.9 2.9 0 1 1 8.6 8.4Q8 8.7 8 9.8M8 12.6V13",
  guess: "M2 3H14V11H8L5 14V11H2ZM6.4 5.6A1.6 1.6 0 1 1 8.4 7.2Q8 7.4 8 8.1M8 9.4V9.6",
  close: "M4 4L12 12M12 4L4 12",
} as const;

export function ButtonIcon({ of }: { of: keyof typeof BUTTONS }) {
  return (
    <svg class="gw-button-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={BUTTONS[of]} />
    </svg>
  );
}
