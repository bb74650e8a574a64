#!/usr/bin/env python3
"""Writes the reference page: for each public header its sentence, and what it declares with the comment above it, by macros, too."""
import pathlib
import re
import sys

NO_FUNCTION = {"requires", "decltype", "noexcept", "alignas", "sizeof", "static_assert", "explicit", "if", "return", "defined"}


def public_headers(include):
    """(name, path) of the headers that users include, and of the parts of linalg.hpp"""
    folder = pathlib.Path(include) / "xgrad"
    return [(path.relative_to(folder).as_posix(), path) for path in sorted(folder.glob("*.hpp")) + sorted(folder.glob("linalg/*.hpp"))]


def functions(text):
    """(name, parameters) of each function that is declared in a text of declarations: bodies are passed over"""
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    found, depth, begun, i = [], 0, False, 0
    while i < len(text):
        c = text[i]
        if c in "([{":
            if c == "(" and depth == 0 and not begun:
                name = re.search(r"(operator\s*[^\w\s(]+|\b[A-Za-z_]\w*)\s*$", text[:i])
                if name and name.group(1) not in NO_FUNCTION and not re.fullmatch(r"[A-Z][A-Z0-9_]*", name.group(1)):
                    end = matching(text, i)
                    found.append((re.sub(r"\s", "", name.group(1)), " ".join(text[i + 1:end].split())))
                    begun = True
            elif c == "{" and depth == 0 and re.search(r"\brequires\s*$", text[:i]):
                i = matching(text, i) + 1  # what a constraint asks for
                continue
            depth += 1
        elif c in ")]}":
            depth -= 1
            if c == "}" and depth == 0:
                begun = False
        elif c == ";" and depth == 0:
            begun = False
        i += 1
    return found


def matching(text, i):
    """where the bracket at i is closed"""
    depth = 0
    for k in range(i, len(text)):
        depth += (text[k] in "([{") - (text[k] in ")]}")
        if depth == 0:
            return k
    return len(text)


def split_arguments(text):
    """at the commas that no bracket holds"""
    pieces, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            pieces.append(text[start:k])
            start = k + 1
    return [piece.strip() for piece in pieces + [text[start:]]]


class Macros:
    """those that a header has defined so far, and the ones of headers that it includes"""

    def __init__(self):
        self.known = {}

    def define(self, text):
        name, has, parameters, body = re.match(r"#\s*define\s+(\w+)(\(([^)]*)\))?\s*(.*)", text, re.S).group(1, 2, 3, 4)
        self.known[name] = ([p.strip() for p in parameters.split(",")] if has else None, body)

    def expand(self, text, depth=0):
        """with every macro that is known in the place of its call; arguments first, as the preprocessor does"""
        out, i = [], 0
        while i < len(text):
            word = re.compile(r"[A-Za-z_]\w*").match(text, i)
            if not word:
                out.append(text[i])
                i += 1
                continue
            name, i = word.group(), word.end()
            parameters, body = self.known.get(name, (None, None))
            if body is None or depth > 20:
                out.append(name)
            elif parameters is None:
                out.append(self.expand(body, depth + 1))
            else:
                at = re.compile(r"\s*\(").match(text, i)
                if not at:
                    out.append(name)
                    continue
                end = matching(text, at.end() - 1)
                inside = self.expand(text[at.end():end], depth + 1)
                values = split_arguments(inside) if inside.strip() or len(parameters) > 1 else ([""] if parameters != [""] else [])
                out.append(self.expand(self.substitute(parameters, values, body), depth + 1))
                i = end + 1
        return "".join(out)

    @staticmethod
    def substitute(parameters, values, body):
        if parameters and parameters[-1] == "...":
            fixed = len(parameters) - 1
            values = values[:fixed] + [", ".join(values[fixed:])]
            parameters = parameters[:-1] + ["__VA_ARGS__"]
        by_name = dict(zip(parameters, values))
        while "__VA_OPT__" in body:
            at = body.index("__VA_OPT__")
            end = matching(body, body.index("(", at))
            body = body[:at] + (body[body.index("(", at) + 1:end] if by_name.get("__VA_ARGS__") else "") + body[end + 1:]
        body = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: by_name.get(m.group(), m.group()), body)
        return re.sub(r"\s*##\s*", "", body)


def declarations(text, macros):
    """(comment, [what is declared], [names of functions]) of each group of declarations: what stands below one comment, without a line between"""
    namespaces, comment, group, names, i = [], [], [], [], 0
    lines = text.splitlines()

    def is_public():
        return bool(namespaces) and re.search(r"\b(xgrad|xt)\b", namespaces[0]) and not any("detail" in name for name in namespaces)

    while i < len(lines):
        line = lines[i]
        i += 1
        if line.lstrip().startswith("#"):
            while line.endswith("\\"):
                line = line[:-1] + " " + lines[i]
                i += 1
            if re.match(r"#\s*define\b", line):
                if line.startswith("#define XGRAD_") and not line.startswith("#define XGRAD_DETAIL") and comment:
                    group.append(re.match(r"#define (\w+(\([^)]*\))?)", line).group(1))
                macros.define(line)
            continue
        # an opened namespace, not a namespace alias
        if re.match(r"(inline )?namespace\b.*\{$", line) or re.match(r"\}(\s*//.*)?$", line) or not line.strip() or line.startswith("//"):
            opens = "namespace" in line and line.endswith("{")
            if group or names:
                yield comment, group, names
            if group or names or not (opens or line.startswith("//")):
                comment = []
            group, names = [], []
            if opens:
                namespaces.append(line)
            elif line.startswith("}") and namespaces:
                namespaces.pop()
            elif line.startswith("//"):
                comment.append(line[2:].removeprefix(" ").rstrip())
            continue
        by_macro = re.match(r"XGRAD_DETAIL_(?!INLINE|QUIET|LAMBDA)\w+\(", line)
        if re.match(r"XGRAD_\w+$|\s", line):
            continue
        declaration, depth = [], 0
        while True:
            declaration.append(line)
            code = re.sub(r'"(\\.|[^"\\])*"|\'.\'|//.*', "", line)
            depth += sum(code.count(c) for c in "{(") - sum(code.count(c) for c in "})")
            ends = code.rstrip().endswith((";", "}")) or "{" in re.sub(r"\brequires\b[^{]*\{.*", "", code)
            if i >= len(lines) or (depth == 0 and (by_macro or ends)):
                break
            line = lines[i]
            i += 1
        if not is_public():
            continue
        if by_macro:
            remark = re.search(r"//\s*(.*)$", declaration[-1])
            code = re.sub(r"\s*//.*$", "", "\n".join(declaration))
            for name, parameters in functions(macros.expand(code)):
                row = f"{name}({parameters_of_user(parameters)})" + (f"  // {remark.group(1)}" if remark else "")
                names.append(name)
                if row not in group:
                    group.append(row)
        else:
            names += [name for name, _ in functions("\n".join(declaration))]
            group.append(signature(declaration))
    if group or names:
        yield comment, group, names


def parameters_of_user(text):
    """the names alone; the active value, which comes first, is x"""
    shown = []
    for piece in split_arguments(text):
        head, _, default = (part.strip() for part in piece.partition("="))
        name = re.search(r"\(&(\w+)\)|(?<![:\w])(\w+)$", head) if re.search(r"\s|&", head) else None
        name = name and (name.group(1) or name.group(2))
        if name in (None, "auto", "const"):
            continue
        name = {"e": "x", "e1": "a", "e2": "b", "e3": "c", "x1": "a", "x2": "b", "x3": "c", "es": "options"}.get(name, name)
        default = "" if name == "options" and default else default
        shown.append(name + ("..." if re.search(r"\.\.\.\s*\w*$", head) else "") + (f" = {default}" if default else ""))
    return ", ".join(shown)


def signature(declaration):
    """without the body of a function; a short type as it is"""
    text = re.sub(r"XGRAD_DETAIL_[A-Z]+ ", "", "\n".join(declaration))
    if re.search(r"^(struct|class|enum)\b", text, re.M) and len(declaration) <= 12 and "(" not in text.partition("{")[2]:
        return text
    if re.search(r"\bconcept\b|\busing\b|= \[", text) and len(declaration) <= 6:
        return text
    k = 0
    while k < len(text) and (text[k] != "{" or re.search(r"\brequires\s*$", text[:k])):
        k = matching(text, k) + 1 if text[k] in "([{" else k + 1
    head = text[:k].rstrip()
    return head if head.endswith(";") else head + ";"


def all_macros(include):
    """those of the headers that others take macros from"""
    macros = Macros()
    for path in sorted((pathlib.Path(include) / "xgrad").rglob("*.hpp")):
        text = re.sub(r"\\\n", " ", path.read_text(encoding="utf-8"))
        for line in re.findall(r"^#define XGRAD_DETAIL_.*$", text, re.M):
            macros.define(line)
    return macros


def write(include):
    out = ["# Reference", "",
           "What each public header declares. `#include <xgrad/xgrad.hpp>` brings all but `linalg.hpp` and what its text excludes.",
           "Functions take active values and give active values, unless the text says otherwise; `detail` is not public.", ""]
    known = all_macros(include)
    for name, path in public_headers(include):
        text = path.read_text(encoding="utf-8")
        first = text.splitlines()[0]
        if not first.startswith("// "):
            sys.exit(f"{path} does not begin with a sentence")
        out += [f"## {name}", "", escape(first[3:]), ""]
        macros = Macros()
        macros.known.update(known.known)
        plain = []
        for comment, group, _ in declarations(text, macros):
            if comment:
                out += ["```cpp"] + in_lines(group) + ["```", ""] + written(comment)
            else:
                plain += group
        if plain:
            out += ["Also:", "", "```cpp"] + plain + ["```", ""]
    return "\n".join(out) + "\n"


def in_lines(group):
    """calls without a remark stand beside each other"""
    lines, short = [], re.compile(r"\S+\([^\n]*\)$")
    for text in group:
        if short.match(text) and lines and short.match(lines[-1]) and len(lines[-1]) + len(text) < 110:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return lines


def written(comment):
    """a comment as Markdown: indented lines are a table, others run on"""
    out, running = [], []
    for line in comment + [""]:
        table = line.startswith("  ")
        if running and (table != running[0].startswith("  ") or not line):
            out += (["```text"] + running + ["```", ""]) if running[0].startswith("  ") else [escape(" ".join(running)), ""]
            running = []
        if line:
            running.append(line)
    return out


def escape(text):
    """as Markdown: nothing in a comment is markup but `code`"""
    return "".join(piece if k % 2 else re.sub(r"([*_<>\[\]])", r"\\\1", piece) for k, piece in enumerate(re.split(r"(`[^`]*`)", text)))


if __name__ == "__main__":
    sys.stdout.write(write(sys.argv[1]))
