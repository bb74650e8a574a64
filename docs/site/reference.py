#!/usr/bin/env python3
"""Writes the reference page: for each public header its sentence, and what it declares with the comment above it."""
import pathlib
import re
import sys

DECLARATION = re.compile(r"(template\b|class\b|struct\b|enum\b|using\b|concept\b|inline\b|constexpr\b|auto\b|void\b|bool\b|\[\[nodiscard\]\]|#define XGRAD_(?!DETAIL))")


def public_declarations(text):
    """(comment, declaration) at the level of namespace xgrad"""
    namespaces, comment, lines = [], [], text.splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if re.match(r"(inline )?namespace\b.*\{$", line):
            namespaces.append(line)
            comment = []
        elif re.match(r"\}(\s*//.*)?$", line) and namespaces:
            namespaces.pop()
            comment = []
        elif line.startswith("//"):
            comment.append(line[2:].strip())
        elif line.startswith("#define XGRAD_") and not line.startswith("#define XGRAD_DETAIL"):
            yield comment, re.match(r"#define (\w+(\([^)]*\))?)", line).group(1)
            comment = []
            while lines[i - 1].endswith("\\"):
                i += 1
        elif DECLARATION.match(line) and namespaces:
            declaration, depth = [], 0
            while True:
                declaration.append(line)
                depth += line.count("{") - line.count("}")
                if (depth == 0 and (line.rstrip().endswith((";", "}")) or "{" in line)) or i >= len(lines):
                    break
                line = lines[i]
                i += 1
            if not any("detail" in name for name in namespaces) and namespaces[0].startswith("namespace xgrad"):
                yield comment, signature(declaration)
            comment = []
        else:
            comment = []


def signature(declaration):
    """without the body of a function; a short type as it is"""
    text = "\n".join(declaration)
    if re.search(r"^(struct|class|enum)\b", text, re.M) and len(declaration) <= 12 and "(" not in text.partition("{")[2]:
        return text
    if re.search(r"\bconcept\b|\busing\b|= \[", text) and len(declaration) <= 6:
        return text
    head = re.split(r"\s*\{", text, maxsplit=1)[0].rstrip()
    return head if head.endswith(";") else head + ";"


def main():
    include = pathlib.Path(sys.argv[1])
    out = ["# Reference", "",
           "What each public header declares. `#include <xgrad/xgrad.hpp>` brings all but `linalg.hpp` and what its text excludes. Functions take active values and give",
           "active values, unless the text says otherwise; `detail` is not public.", ""]
    headers = sorted((include / "xgrad").glob("*.hpp"))
    for path in headers:
        text = path.read_text(encoding="utf-8")
        first = text.splitlines()[0]
        if not first.startswith("// "):
            sys.exit(f"{path} does not begin with a sentence")
        out += [f"## {path.name}", "", escape(first[3:]), ""]
        plain = []
        for comment, declaration in public_declarations(text):
            if comment:
                out += ["```cpp", declaration, "```", "", escape(" ".join(comment)), ""]
            else:
                plain.append(declaration)
        if plain:
            out += ["Also:", "", "```cpp"] + plain + ["```", ""]
    print("\n".join(out))


def escape(text):
    """as Markdown: nothing in a comment is markup but `code`"""
    return "".join(piece if k % 2 else re.sub(r"([*_<>\[\]])", r"\\\1", piece) for k, piece in enumerate(re.split(r"(`[^`]*`)", text)))


if __name__ == "__main__":
    main()
