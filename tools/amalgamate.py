#!/usr/bin/env python3
"""Writes xgrad as one header: what <xgrad/xgrad.hpp> includes of xgrad, in order; xtensor, xsimd and Boost are still included.

    tools/amalgamate.py -o xgrad.hpp

It is for Compiler Explorer and for sending a program with its library in one file. Other roots, such as xgrad/linalg.hpp, may be named.
"""
import argparse
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")


class Amalgamation:
    def __init__(self, folder):
        self.folder = folder
        self.done = set()      # headers of xgrad that are in the text
        self.included = set()  # other headers that are included unconditionally
        self.text = []

    def add(self, header, asked_by="the command line"):
        if header in self.done:
            return
        self.done.add(header)
        path = self.folder / header
        if not path.is_file():
            sys.exit(f"amalgamate: there is no {path}, which {asked_by} includes")
        depth = 0
        own = []

        def flush():
            # what stands between two includes; nothing where it is empty
            text = "\n".join(own).strip("\n")
            own.clear()
            if text.strip():
                self.text.append(text)

        self.text.append(f"\n// ---- <{header}>")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            condition = CONDITION.match(line)
            if condition:
                depth += {"if": 1, "ifdef": 1, "ifndef": 1, "endif": -1}.get(condition.group(1), 0)
            include = INCLUDE.match(line)
            if re.match(r"\s*#\s*pragma\s+once\b", line):
                continue
            if include and include.group(2).startswith("xgrad/"):
                if depth:
                    sys.exit(f"amalgamate: {path}:{number}: a header of xgrad that is included under a condition cannot be put in one file")
                flush()
                self.add(include.group(2), f"{path}:{number}")
            elif include and include.group(1) == '"':
                sys.exit(f"amalgamate: {path}:{number}: headers include each other as <xgrad/...>")
            elif include and not depth:
                if include.group(2) not in self.included:
                    self.included.add(include.group(2))
                    own.append(line)
            else:
                own.append(line)
        flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", nargs="*", default=["xgrad/xgrad.hpp"], help="the headers to begin with (xgrad/xgrad.hpp)")
    parser.add_argument("-o", "--output", help="the file to write (standard output)")
    parser.add_argument("--include-dir", type=pathlib.Path, default=SOURCE / "include", help="where xgrad/ is")
    arguments = parser.parse_args()

    amalgamation = Amalgamation(arguments.include_dir)
    for header in arguments.headers:
        amalgamation.add(header)
    cmake = SOURCE / "CMakeLists.txt"
    version = re.search(r"project\(xgrad VERSION ([0-9.]+)", cmake.read_text(encoding="utf-8")) if cmake.is_file() else None
    licence = SOURCE / "LICENSE"
    names = " and ".join(f"<{h}>" for h in arguments.headers)
    lines = [f"// xgrad {version.group(1) if version else ''}, all of {names} in one file, made by tools/amalgamate.py.",
             "// It requires C++20, xtensor 0.24, xsimd 8 and Boost 1.81, or later.", "//"]
    if licence.is_file():
        lines += [("// " + line).rstrip() for line in licence.read_text(encoding="utf-8").strip().splitlines()]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines + ["#pragma once"] + amalgamation.text)) + "\n"
    if arguments.output:
        pathlib.Path(arguments.output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
