/* The picture as a file: all of it, in the colours of the theme at hand, with nothing to load. */

import { signal } from "@preact/signals";
import { render as draw } from "preact";
import type { Store } from "../store/store";
import { Picture } from "./stage/picture";
import type { Theme } from "./theme";
import { createView } from "./view-state";
import { t } from "../text/text";

const MARGIN = 36;
/** A canvas larger than this is refused by some browsers. */
const MOST_PIXELS = 8000;

/** What is said by style sheets and must be said by the elements themselves, with what is usual. */
const STYLES: Readonly<Record<string, string>> = {
  display: "inline",
  visibility: "visible",
  opacity: "1",
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "paint-order": "normal",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "font-family": "",
  "font-size": "",
  "font-style": "normal",
  "font-weight": "400",
};

/** All of the picture as the text of an SVG file; `root` is the view whose theme it takes. */
export function exportSvg(store: Store, root: HTMLElement): string {
  const { x, y, w, h } = store.scene.value.bounds;
  const [width, height] = [Math.ceil(w + 2 * MARGIN), Math.ceil(h + 2 * MARGIN)];
  const view = createView(signal<Theme>(root.dataset.theme === "dark" ? "dark" : "light"));
  view.size.value = { w: width, h: height };
  view.camera.value = { x: MARGIN - x, y: MARGIN - y, k: 1 };
  view.auto.value = false;
  const holder = document.createElement("div");
  holder.className = "gw gw-exporting";
  holder.dataset.theme = root.dataset.theme ?? "light";
  root.parentElement?.append(holder);
  try {
    draw(
      <svg class="gw-stage" xmlns="http://www.w3.org/2000/svg">
        <Picture store={store} view={view} moving />
      </svg>,
      holder,
    );
    const svg = holder.querySelector("svg");
    if (!svg) return "";
    const paper = getComputedStyle(holder).backgroundColor;
    for (const control of svg.querySelectorAll('[data-action="ask-backward"]')) control.remove();
    // All are read before one is changed: what a class says of an element depends on those around.
    const looks = [...svg.querySelectorAll<SVGElement>("*")].map(lookOf);
    for (const look of looks) inline(look);
    for (const name of ["class", "style"]) svg.removeAttribute(name);
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    back.setAttribute("width", "100%");
    back.setAttribute("height", "100%");
    back.setAttribute("fill", paper);
    svg.prepend(back);
    return new XMLSerializer().serializeToString(svg);
  } finally {
    draw(null, holder);
    holder.remove();
  }
}

interface Look {
  readonly element: SVGElement;
  readonly style: string;
  readonly transform: string;
}

/** What the style sheets say of an element. */
function lookOf(element: SVGElement): Look {
  const computed = getComputedStyle(element);
  const styles: string[] = [];
  for (const [name, usual] of Object.entries(STYLES)) {
    const value = computed.getPropertyValue(name);
    if (value !== "" && value !== usual) styles.push(`${name}:${value.replaceAll('"', "'")}`);
  }
  const moved = element.localName !== "pattern" && computed.transform !== "none";
  return { element, style: styles.join(";"), transform: moved ? computed.transform : "" };
}

/** Writes it into the element itself; what only the page needs goes. */
function inline({ element, style, transform }: Look): void {
  for (const { name } of [...element.attributes]) {
    if (/^(class|style|tabindex|role|data-.*|aria-.*)$/.test(name)) element.removeAttribute(name);
  }
  if (transform !== "") element.setAttribute("transform", transform);
  if (style !== "") element.setAttribute("style", style);
}

/** The picture as a PNG, twice as fine as on the page where that is not too large. */
export async function exportPng(store: Store, root: HTMLElement): Promise<Blob | null> {
  const { w, h } = store.scene.value.bounds;
  const scale = Math.min(2, MOST_PIXELS / (Math.max(w, h) + 2 * MARGIN));
  const url = URL.createObjectURL(new Blob([exportSvg(store, root)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => {
      canvas.toBlob(done, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 10_000);
}

/** Two buttons that save the picture. */
export function SaveButtons({ store }: { store: Store }) {
  if (store.steps.value.length === 0) return null;
  const rootOf = (event: Event): HTMLElement | null =>
    event.currentTarget instanceof Element ? event.currentTarget.closest<HTMLElement>(".gw") : null;
  const failed = (): void => {
    store.notice.value = { text: t.bars.notices.notSaved, tone: "error" };
  };
  return (
    <div class="gw-save">
      <button
        type="button"
        class="gw-chip"
        data-action="save-svg"
        title={t.bars.notices.saveSvg}
        onClick={(event) => {
          const root = rootOf(event);
          if (root)
            save(new Blob([exportSvg(store, root)], { type: "image/svg+xml" }), "graph.svg");
        }}
      >
        SVG
      </button>
      <button
        type="button"
        class="gw-chip"
        data-action="save-png"
        title={t.bars.notices.savePng}
        onClick={(event) => {
          const root = rootOf(event);
          if (!root) return;
          exportPng(store, root).then((png) => {
            if (png) save(png, "graph.png");
            else failed();
          }, failed);
        }}
      >
        PNG
      </button>
    </div>
  );
}
