"""Writes ``src/log/events.ts`` from ``graphwidget/recording/events.py``.

Run ``python js/generate_events.py`` after a change of the wire format. The Python classes are
read with ``ast`` and not imported, so this works before anything is installed.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "graphwidget" / "recording" / "events.py"
TARGET = ROOT / "js" / "src" / "log" / "events.ts"

SIMPLE = {"int": "number", "float": "number", "str": "string", "bool": "boolean", "Any": "unknown"}
SIMPLE |= {"None": "null", "Number": "Numeric"}
PARTS = {"Stats", "Histogram", "Summary", "Matrix", "Derivative", "Saved"}

HEADER = """\
// Written by js/generate_events.py from graphwidget/recording/events.py: do not edit.

/** A number as it travels: JSON has no nan and inf, they come as "nan", "inf" and "-inf". */
export type Numeric = number | boolean | string;
"""


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    """The named tuples of the file, in its order."""
    return [item for item in tree.body if isinstance(item, ast.ClassDef)]


def fields(cls: ast.ClassDef) -> list[tuple[str, ast.expr]]:
    return [
        (item.target.id, item.annotation)
        for item in cls.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def typescript(kind: ast.expr) -> str:
    """A Python annotation as a TypeScript type."""
    if isinstance(kind, ast.Constant) and kind.value is None:
        return "null"
    if isinstance(kind, ast.Name):
        return SIMPLE.get(kind.id, kind.id)
    if isinstance(kind, ast.BinOp):
        return f"{typescript(kind.left)} | {typescript(kind.right)}"
    if isinstance(kind, ast.Subscript) and isinstance(kind.value, ast.Name):
        inner = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
        if kind.value.id == "dict":
            return f"Readonly<Record<{typescript(inner[0])}, {typescript(inner[1])}>>"
        if kind.value.id == "tuple":
            if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
                item = typescript(inner[0])
                return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
            return f"readonly [{', '.join(typescript(item) for item in inner)}]"
    raise TypeError(f"no TypeScript for {ast.dump(kind)}")


def decoder(kind: ast.expr, value: str) -> str:
    """An expression that turns ``value``, as parsed from JSON, into objects; "" if none is needed.

    Only the named parts inside an event need it: everything else is already what it should be.
    """
    if isinstance(kind, ast.Name) and kind.id in PARTS:
        return f"decode{kind.id}({value})"
    if isinstance(kind, ast.BinOp):
        inner = decoder(kind.left, value)
        return f"{value} == null ? null : {inner}" if inner else ""
    if isinstance(kind, ast.Subscript) and isinstance(kind.slice, ast.Tuple):
        inner = decoder(kind.slice.elts[0], "x")
        return f"list({value}).map((x) => {inner})" if inner else ""
    return ""


def comment(cls: ast.ClassDef) -> str:
    text = " ".join((ast.get_docstring(cls) or "").split())
    return f"/** {text.replace('*/', '* /')} */\n"


def interface(cls: ast.ClassDef, tag: str | None) -> str:
    lines = [f'  readonly event: "{tag}";'] if tag else []
    lines += [f"  readonly {name}: {typescript(kind)};" for name, kind in fields(cls)]
    name = cls.name + ("Event" if tag else "")
    return f"\n{comment(cls)}export interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def decode_function(cls: ast.ClassDef, tag: str | None) -> str:
    offset = 1 if tag else 0
    lines = [f'    event: "{tag}",'] if tag else []
    for index, (name, kind) in enumerate(fields(cls)):
        value = f"a[{index + offset}]"
        code = decoder(kind, value) or f"{value} as {typescript(kind)}"
        lines.append(f"    {name}: {code},")
    result = cls.name + ("Event" if tag else "")
    body = "\n".join(lines)
    export = "" if tag else "export "
    return (
        f"\n{export}function decode{cls.name}(json: unknown): {result} {{\n"
        f"  const a = list(json);\n  return {{\n{body}\n  }};\n}}\n"
    )


def generate() -> str:
    """The whole text of ``src/log/events.ts``."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    protocol = next(
        str(item.value.value)
        for item in tree.body
        if isinstance(item, ast.Assign)
        and isinstance(item.value, ast.Constant)
        and isinstance(item.targets[0], ast.Name)
        and item.targets[0].id == "PROTOCOL"
    )
    found = classes(tree)
    parts = [cls for cls in found if cls.name in PARTS]
    events = [cls for cls in found if cls.name not in PARTS]
    out = [HEADER, f"\nexport const PROTOCOL = {protocol};\n"]
    out += [interface(cls, None) for cls in parts]
    out += [interface(cls, cls.name.lower()) for cls in events]
    union = "\n".join(f"  | {cls.name}Event" for cls in events)
    out.append(f"\nexport type Event =\n{union};\n")
    counts = "\n".join(f"  {cls.name.lower()}: {len(fields(cls))}," for cls in events)
    out.append(
        "\n/** How many fields each kind of event has; later protocols may add trailing ones. */\n"
        f"export const FIELDS: Readonly<Record<string, number>> = {{\n{counts}\n}};\n"
    )
    out.append(
        "\nfunction list(json: unknown): readonly unknown[] {\n"
        '  if (!Array.isArray(json)) throw new TypeError("an event is not an array");\n'
        "  return json;\n}\n"
    )
    out += [decode_function(cls, None) for cls in parts]
    out += [decode_function(cls, cls.name.lower()) for cls in events]
    cases = "\n".join(
        f'    case "{cls.name.lower()}":\n      return decode{cls.name}(a);' for cls in events
    )
    out.append(
        "\n/** One event from its JSON array. Throws a TypeError that names what is wrong. */\n"
        "export function decode(json: unknown): Event {\n  const a = list(json);\n"
        "  const kind = String(a[0]);\n  const count = FIELDS[kind];\n"
        "  if (count === undefined) throw new TypeError(`unknown event ${kind}`);\n"
        "  if (a.length <= count) throw new TypeError(`event ${kind} has too few fields`);\n"
        f"  switch (kind) {{\n{cases}\n"
        "    default:\n      throw new TypeError(`unknown event ${kind}`);\n  }\n}\n"
    )
    return "".join(out)


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
