"""Writes ``src/log/events.ts`` from ``graphwidget/recording/events.py``.

Run ``python js/generate_events.py`` after a change of the wire format. The Python classes are
read with ``ast`` and not imported, so this works before anything is installed.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "graphwidget" / "recording" / "events.py"
TARGET = ROOT / "js" / "src" / "log" / "events.ts"

SIMPLE = {"int": "number", "float": "number", "str": "string", "bool": "boolean", "Any": "unknown"}
SIMPLE |= {"None": "null", "Number": "Numeric"}
PARTS = {"Stats", "Histogram", "Summary", "Matrix", "Derivative", "Saved", "Step"}
PARTS |= {"Place", "Finding"}

KINDS = {"int": "WHOLE", "str": "TEXT", "bool": "FLAG", "float": "REAL", "Number": "NUMERIC"}
KINDS |= {"int | str": "WHOLE_OR_TEXT"}
SOUND = {"Summary", "Matrix", "Curve", "Scope", "Pass"}
"""Classes whose fields must also agree with each other."""

HEADER = """\
// Written by js/generate_events.py from graphwidget/recording/events.py: do not edit.

import {
@IMPORTS@
} from "./checks";

/** A number as it travels: JSON has no nan and inf, they come as "nan", "inf" and "-inf". */
export type Numeric = number | boolean | string;
"""


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    """The named tuples and typed dictionaries of the file, in its order."""
    return [item for item in tree.body if isinstance(item, ast.ClassDef)]


def fields(cls: ast.ClassDef) -> list[tuple[str, ast.expr]]:
    return [
        (item.target.id, item.annotation)
        for item in cls.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def keyed(cls: ast.ClassDef) -> bool:
    """Whether it travels as a table and not as an array: a typed dictionary does."""
    return [ast.unparse(base) for base in cls.bases] == ["TypedDict"]


def added(cls: ast.ClassDef) -> list[str]:
    """The fields that came later and are None in older logs."""
    return [
        item.target.id
        for item in cls.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.value
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


def decoder(kind: ast.expr, value: str, field: str) -> str:
    """An expression that reads ``value``, as parsed from JSON: checked, and parts as objects."""
    if isinstance(kind, ast.Name):
        return f"decode{kind.id}({value})" if kind.id in PARTS else call(kind, value, field)
    if isinstance(kind, ast.BinOp):
        if isinstance(kind.right, ast.Constant) and kind.right.value is None:
            return f"{value} === null ? null : {decoder(kind.left, value, field)}"
        return call(kind, value, field)
    if isinstance(kind, ast.Subscript) and isinstance(kind.slice, ast.Tuple):
        first, second = kind.slice.elts
        if isinstance(kind.value, ast.Name) and kind.value.id == "dict":
            is_text = isinstance(second, ast.Name) and second.id == "str"
            return f'{"texts" if is_text else "table"}({value}, "{field}")'
        if not (isinstance(second, ast.Constant) and second.value is ...):
            inner = f"{decoder(first, 'a', field)}, {decoder(second, 'b', field)}"
            return f'pair({value}, "{field}", (a, b) => [{inner}])'
        if kind_of(first):
            kind_name = "SIZE" if field == "shape" else kind_of(first)
            return f'many({kind_name}, {value}, "{field}")'
        return f'list({value}, "{field}").map((x) => {decoder(first, "x", field)})'
    raise TypeError(f"no decoder for {ast.dump(kind)}")


def call(kind: ast.expr, value: str, field: str) -> str:
    return f'one({kind_of(kind)}, {value}, "{field}")'


def kind_of(kind: ast.expr) -> str:
    """The kind of field in ``checks.ts`` that a plain annotation stands for; "" for others."""
    return KINDS.get(ast.unparse(kind), "")


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
        item = f"a.{name}" if keyed(cls) else f"a[{index + offset}]"
        value = decoder(kind, item, name)
        if name in added(cls):
            value = value.replace(f"{item} === null", f"({item} ?? null) === null", 1)
        lines.append(f"    {name}: {value},")
    result = cls.name + ("Event" if tag else "")
    body = "{\n" + "\n".join(lines) + "\n  }"
    if cls.name in SOUND:
        body = f"sound{cls.name}({body})"
    if tag:
        head = f"function decode{cls.name}(a: readonly unknown[]): {result}"
        return f"\n{head} {{\n  return {body};\n}}\n"
    name = cls.name.lower()
    whole = f'table(json, "{name}")' if keyed(cls) else f'part(json, "{name}", {len(fields(cls))})'
    return (
        f"\nexport function decode{cls.name}(json: unknown): {result} {{\n"
        f"  const a = {whole};\n  return {body};\n}}\n"
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
    names = "\n".join(
        f"  {cls.name.lower()}: {json.dumps([name for name, _ in fields(cls)])}," for cls in events
    )
    out.append(
        "\n/** The fields of each kind of event; later protocols may add trailing ones. */\n"
        f"export const FIELDS: Readonly<Record<string, readonly string[]>> = {{\n{names}\n}};\n"
    )
    later = ", ".join(f"{cls.name.lower()}: {len(added(cls))}" for cls in events if added(cls))
    out.append(
        "\n/** How many of its fields a kind of event got later: older logs lack them. */\n"
        f"const LATER: Readonly<Record<string, number>> = {{ {later} }};\n"
    )
    out += [decode_function(cls, None) for cls in parts]
    out += [decode_function(cls, cls.name.lower()) for cls in events]
    cases = "\n".join(
        f'    case "{cls.name.lower()}":\n      return decode{cls.name}(a);' for cls in events
    )
    out.append(
        "\n/** One event from its JSON array. Throws Unreadable, saying what is wrong. */\n"
        "export function decode(json: unknown): Event {\n"
        '  if (!Array.isArray(json)) throw new Unreadable("it is no list");\n'
        "  const a = json as readonly unknown[];\n"
        '  const kind = typeof a[0] === "string" ? a[0] : "";\n'
        "  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : undefined;\n"
        "  if (!fields) throw new Unreadable(`it is of no known kind`);\n"
        "  if (a.length <= fields.length - (LATER[kind] ?? 0)) {\n"
        "    throw new Unreadable(`'${fields[a.length - 1]}' is missing`);\n  }\n"
        f"  switch (kind) {{\n{cases}\n"
        '    default:\n      throw new Unreadable("it is of no known kind");\n  }\n}\n'
    )
    text = "".join(out)
    helpers = ["FLAG", "list", "many", "NUMERIC", "one", "pair", "part", "REAL", "SIZE"]
    helpers += [f"sound{name}" for name in sorted(SOUND)]
    helpers += ["table", "TEXT", "texts", "Unreadable", "WHOLE", "WHOLE_OR_TEXT"]
    return text.replace("@IMPORTS@", "\n".join(f"  {name}," for name in helpers))


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
