/* A button of the toolbar: it says what it does, and keeps the focus when it is off. */

import type { ComponentChildren } from "preact";

interface ButtonProps {
  action: string;
  label: string;
  disabled?: boolean;
  /** Of a switch: whether it is on. */
  pressed?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}

export function Button({
  action,
  label,
  disabled = false,
  pressed,
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      type="button"
      class="gw-button"
      data-action={action}
      aria-label={label}
      title={label}
      aria-disabled={disabled}
      aria-pressed={pressed}
      onClick={() => {
        if (!disabled) onClick(); // a button that is off keeps the focus
      }}
    >
      {children}
    </button>
  );
}
