/* Light or dark, as the page around the widget is. */

import { signal, type Signal } from "@preact/signals";

export type Theme = "light" | "dark";

/**
 * The host's theme, followed while it changes: JupyterLab's attribute, VS Code's class, the
 * page's background where it has one, else what the system prefers.
 */
export function followTheme(element: HTMLElement): { theme: Signal<Theme>; stop: () => void } {
  const theme = signal(detect(element));
  const update = (): void => {
    theme.value = detect(element);
  };
  const observer = new MutationObserver(update);
  observer.observe(document.body, { attributes: true });
  observer.observe(document.documentElement, { attributes: true });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", update);
  return {
    theme,
    stop: () => {
      observer.disconnect();
      media.removeEventListener("change", update);
    },
  };
}

function detect(element: HTMLElement): Theme {
  const { body } = document;
  const light = body.dataset.jpThemeLight;
  if (light !== undefined) return light === "false" ? "dark" : "light";
  if (body.classList.contains("vscode-dark")) return "dark";
  if (body.classList.contains("vscode-light")) return "light";
  for (let at: HTMLElement | null = element; at; at = at.parentElement) {
    const shade = luminance(getComputedStyle(at).backgroundColor);
    if (shade !== null) return shade < 0.4 ? "dark" : "light";
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** From 0 (black) to 1, or null where the background is transparent. */
function luminance(colour: string): number | null {
  const parts = /rgba?\(([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?/.exec(colour);
  if (!parts || parts[4] === "0") return null;
  const [r, g, b] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
