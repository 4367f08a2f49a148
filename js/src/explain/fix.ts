/*
 * The way out of a mistake, as the reader's own line written anew: code that can be pasted. The
 * tests run every kind of it.
 */

const NAME = String.raw`[A-Za-z_][\w.]*`;

/** In-place methods that only bring new numbers, and what makes a tensor of these. */
const FRESH: Readonly<Record<string, string>> = { zero_: "zeros_like", fill_: "full_like" };

/**
 * What comes after a write so that it makes a new value; null where the line tells too little.
 * `part` says that it wrote a part of a tensor: `h[3].mul_(2)` may also write an item of a list.
 */
export function outOfPlace(line: string, part = true): string | null {
  const text = line
    .replace(/\s+#[^'"]*$/, "")
    .replace(/;\s*$/, "")
    .trim();
  return (
    augmented(text) ?? (part ? null : listItem(text)) ?? item(text) ?? method(text) ?? flag(text)
  );
}

/** `h[3].mul_(2)` -> `h[3] = h[3].mul(2)`, where `h` is a list */
function listItem(text: string): string | null {
  const found = new RegExp(`^(${NAME}\\s*\\[[^\\[\\]]*\\])(\\.\\w+_\\(.*\\))$`).exec(text);
  const [, own, call] = found ?? [];
  if (own === undefined || call === undefined) return null;
  return method(`_item${call}`)?.replaceAll(/\b_item\b/g, own) ?? null;
}

/** `b *= 2` -> `b = b * 2` */
function augmented(text: string): string | null {
  const found = new RegExp(`^(${NAME})\\s*(\\*\\*|//|[-+*/@&|^]|<<|>>)=\\s*(.+)$`).exec(text);
  const [, name, sign, rest] = found ?? [];
  if (name === undefined || sign === undefined || rest === undefined) return null;
  const simple = /^[\w.]+$|^[\w.]*(\([^()]*\)|\[[^[\]]*\])$/.test(rest);
  return `${name} = ${name} ${sign} ${simple ? rest : `(${rest})`}`;
}

/** `b[0] = 1000.` -> a copy of b first */
function item(text: string): string | null {
  const found = new RegExp(
    `^(${NAME})\\s*\\[.*\\](\\.${NAME}_\\(.*\\)|\\s*[^=!<>\\s]{0,2}=[^=].*)$`,
  ).exec(text);
  return found?.[1] === undefined ? null : `${found[1]} = ${found[1]}.clone()\n${text}`;
}

/** `b.mul_(2)` -> `b = b.mul(2)` */
function method(text: string): string | null {
  const found = new RegExp(`^(?:${NAME}\\s*=\\s*)?(${NAME})\\.(\\w+_)\\((.*)\\)$`).exec(text);
  const [, name, own, rest] = found ?? [];
  if (name === undefined || own === undefined || rest === undefined || own.endsWith("__"))
    return null;
  if (/^(torch|F|nn|graphwidget)(\.|$)/.test(name)) return null;
  const like = FRESH[own];
  const more = rest === "" ? "" : `, ${rest}`;
  if (like !== undefined) return `${name} = torch.${like}(${name}${more})`;
  if (own === "copy_") return /^[\w.]+$/.test(rest) ? `${name} = ${rest}.clone()` : null;
  if (UNIQUE.has(own)) return `${name} = ${name}.clone()\n${text}`;
  return `${name} = ${name}.${own.slice(0, -1)}(${rest})`;
}

/** In-place methods whose name without the underscore is no method. */
const UNIQUE = new Set(
  "normal_ uniform_ random_ exponential_ geometric_ cauchy_ log_normal_ set_ detach_ requires_grad_".split(
    " ",
  ),
);

/** `F.relu(b, inplace=True)` -> `b = F.relu(b)` */
function flag(text: string): string | null {
  const found = new RegExp(
    `^(?:${NAME}\\s*=\\s*)?(${NAME}\\(\\s*(${NAME})(.*?)),\\s*inplace\\s*=\\s*True(.*)$`,
  ).exec(text);
  const [, head, name, , tail] = found ?? [];
  if (head === undefined || name === undefined || tail === undefined) return null;
  const target = /^([A-Za-z_][\w.]*)\s*=[^=]/.exec(text)?.[1] ?? name;
  return `${target} = ${head}${tail}`;
}
