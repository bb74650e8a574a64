"""reference.py ROOT UNIT: the functions that a preprocessed unit declares in the public headers are those of the reference, and each has a text."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "docs" / "site"))
sys.dont_write_bytecode = True
import reference  # noqa: E402

# Their meaning is the language's.
NO_TEXT = {"operator" + symbol for symbol in ("+", "-", "*", "/", "+=", "-=", "*=", "/=", "++", "--", "==", "!=", "<", ">", "<=", ">=", "!", "&&", "||", "<<")}


def code_of_headers(unit):
    """{header: its code in the unit, one line after the other}"""
    code, header = {}, None
    for line in unit.read_text(encoding="utf-8").splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            header = re.search(r"/include/xgrad/((linalg/)?[^/]*\.hpp)$", marker.group(1))
            header = header and header.group(1)
        elif header and not line.startswith("#"):
            code.setdefault(header, []).append(line)
    return {name: "\n".join(lines) for name, lines in code.items()}


def declared(text):
    """the names of the functions in namespaces that are not detail"""
    names, kept, i = set(), [], 0
    pattern = re.compile(r"\b(inline\s+)?namespace\s+([\w:]+)?\s*\{")
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    while True:
        at = pattern.search(text, i)
        if not at:
            return names
        end = reference.matching(text, at.end() - 1)
        inside = text[at.end():end]
        if at.group(2) and re.match(r"(xgrad|xt)\b", at.group(2)) and "detail" not in at.group(2):
            names |= {name for name, _ in reference.functions(without_namespaces(inside, pattern))}
            names |= {name for piece in public_inside(inside, pattern) for name in declared(piece)}
        i = end + 1


def without_namespaces(text, pattern):
    out, i = [], 0
    while (at := pattern.search(text, i)) is not None:
        out.append(text[i:at.start()])
        i = reference.matching(text, at.end() - 1) + 1
    return "".join(out + [text[i:]])


def public_inside(text, pattern):
    i = 0
    while (at := pattern.search(text, i)) is not None:
        end = reference.matching(text, at.end() - 1)
        if at.group(2) and "detail" not in at.group(2):
            yield "namespace xgrad {" + text[at.end():end + 1]
        i = end + 1


def documented(root):
    """{header: {function: whether it has a text}}"""
    known, found = reference.all_macros(root / "include"), {}
    for header, path in reference.public_headers(root / "include"):
        macros = reference.Macros()
        macros.known.update(known.known)
        here = found.setdefault(header, {})
        for comment, _, names in reference.declarations(path.read_text(encoding="utf-8"), macros):
            for name in names:
                here[name] = here.get(name, False) or bool(comment)
    return found


page = reference.write(root / "include")
in_reference, wrong, count = documented(root), [], 0
everywhere = {name: any(names.get(name) for names in in_reference.values()) for names in in_reference.values() for name in names}
for header, code in sorted(code_of_headers(pathlib.Path(sys.argv[2])).items()):
    for name in sorted(declared(code)):
        count += 1
        if name not in in_reference.get(header, {}):
            wrong.append(f"{header} declares {name}, which the reference does not have")
        elif not everywhere[name] and name not in NO_TEXT:
            wrong.append(f"{header} declares {name} without a comment")
        elif not re.search(rf"\b{re.escape(name)}\(" if name[0] != "o" else re.escape(name), page):
            wrong.append(f"the page of the reference does not show {name} of {header}")
if count < 250:
    wrong.append(f"only {count} functions are found in the headers")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{count} functions")
