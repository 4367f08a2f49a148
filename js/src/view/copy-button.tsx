/* A button that copies a text, and says that it has. */

import { useSignal } from "@preact/signals";
import { t } from "../text/text";

interface CopyButtonProps {
  text: string;
  action: string;
  label: string;
  title?: string;
}

export function CopyButton({ text, action, label, title }: CopyButtonProps) {
  const copied = useSignal(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => {
        copied.value = true;
      },
      () => {
        copied.value = false; // the page may not: the text can be marked by hand
      },
    );
  };
  return (
    <button type="button" class="gw-command" data-action={action} title={title} onClick={copy}>
      {copied.value ? t.bars.panel.copied : label}
    </button>
  );
}
