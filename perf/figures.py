#!/usr/bin/env python3
"""perf/figures.py LOG... keeps the best ratio of each row that ./dev perf has printed into these files, in perf/figures.txt, and writes the tables of
perf/README.md and docs/performance.md from it. Without LOG it writes the tables alone; with --check nothing, and fails where a page has another table."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "perf/figures.txt"
BEGIN, END = "<!-- written by perf/figures.py -->\n", "<!-- to here -->\n"
BY_HAND, BLAS, LAPACK, FIXED = "one SIMD loop by hand", "BLAS calls by hand", "LAPACK calls by hand", "loops written out"
# The rows of docs/performance.md: what is measured, beside what, and the names of its rows.
SHOWN = [
    ("`sum(log(1 + exp(a x + b)) tanh(x))`, n = 1000, prepared", BY_HAND, ["fused, n = 1000, prepared"]),
    ("the same, n = 10", "", ["fused, n = 10, prepared"]),
    ("the same with three names, n = 1000", "", ["named, n = 1000, prepared"]),
    ("the same with three names, n = 10^6", "", ["named, n = 1000000, prepared"]),
    ("perceptron 784-256-128-10, batch of 128", BLAS, ["mlp"]),
    ("`solve`, of real and of complex numbers", LAPACK, ["solve", "complex_solve"]),
    ("Gaussian process", LAPACK, ["gaussian_process"]),
    ("Gaussian mixture, d = 10, d = 64", BLAS, ["gmm_10_25", "gmm_64_50"]),
    ("bundle adjustment, 15 numbers, default", "the value alone", ["residual_default"]),
    ("the same, scoped", "the value alone", ["residual_scoped"]),
    ("the same, unchecked", "the value alone", ["residual_unchecked"]),
    ("`inv` of a 3 × 3 `xt::xtensor_fixed`, of a 4 × 4 one, scoped, prepared", FIXED, ["inverse_declared<3>", "inverse_declared<4>"]),
    ("`solve` with such", FIXED, ["solution_declared<3>", "solution_declared<4>"]),
    ("`det` of such", FIXED, ["determinant_declared<3>", "determinant_declared<4>"]),
    ("the same where the result is not declared: `inv`", FIXED, ["inverse<3>", "inverse<4>"]),
    ("`solve`", FIXED, ["solution<3>", "solution<4>"]),
    ("`det`", FIXED, ["determinant<3>", "determinant<4>"]),
    ("a chain of ten elementwise operations, n = 10^4, gradient", BY_HAND, ["chain_gradient"]),
    ("the same, `jvp`", "the value by hand", ["chain_jvp"]),
    ("the same, `hvp`", "its `value_and_gradient`", ["chain_hvp"]),
    ("Runge-Kutta steps of three numbers: `iterate`, the body declares its result", "the value alone", ["lorenz_by_iterate"]),
    ("the same in a `for` loop: by variables that are numbers, by arrays of three", "", ["lorenz_by_numbers", "lorenz_by_arrays"]),
    ("two threads: bundle adjustment, 10^5 observations; logistic regression, 10^6 rows, by rows and by slices; a map of 10^6 items", "two halves at once",
     ["two_threads_bundle_adjustment", "two_threads_logistic_regression_by_rows", "two_threads_logistic_regression_by_slices",
      "two_threads_map_of_a_million_items"]),
    ("two threads, 20 µs of work", "one thread", ["two_threads_bundle_adjustment_of_20_us"]),
]


def rows_of(text):
    """The lines `figure NAME RATIO BAR`, separated by tabs: name -> (ratio, bar), the best ratio of a name that comes again."""
    rows = {}
    for line in text.splitlines():
        if line.startswith("figure\t"):
            _, name, ratio, bar = line.split("\t")
            if name not in rows or float(ratio) < float(rows[name][0]):
                rows[name] = ratio, bar
    return rows


def figure(text):
    return "" if text == "-" else f"{float(text):.2f}" if float(text) < 10 else f"{float(text):.0f}"


def tables(rows):
    every = ["| row | ratio | bar |", "|---|---|---|"] + [f"| `{name}` | {figure(ratio)} | {figure(bar)} |" for name, (ratio, bar) in rows.items()]
    shown = ["| | beside | ratio | bar |", "|---|---|---|---|"]
    for what, beside, names in SHOWN:
        bars = sorted({rows[name][1] for name in names})
        shown.append(f"| {what} | {beside} | {', '.join(figure(rows[name][0]) for name in names)} | {', '.join(map(figure, bars))} |")
    return {"perf/README.md": every, "docs/performance.md": shown}


def main(arguments):
    logs = [a for a in arguments if a != "--check"]
    if logs:
        rows = rows_of("".join(pathlib.Path(log).read_text() for log in logs))
        KEPT.write_text("".join(f"figure\t{name}\t{ratio}\t{bar}\n" for name, (ratio, bar) in rows.items()))
    wrong = []
    for page, lines in tables(rows_of(KEPT.read_text())).items():
        old = (ROOT / page).read_text()
        before, rest = old.split(BEGIN)
        new = before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + rest.split(END)[1]
        if new != old and "--check" in arguments:
            wrong.append(page)
        elif new != old:
            (ROOT / page).write_text(new)
    if wrong:
        sys.exit(f"the figures of {' and '.join(wrong)} are not those of perf/figures.txt: run perf/figures.py")


main(sys.argv[1:])
