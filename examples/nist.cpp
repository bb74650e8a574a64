// Fits three reference problems of the NIST for nonlinear regression, from both starting points, to the certified digits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <xgrad/xgrad.hpp>

#include "support/least_squares.hpp"
#include "support/table.hpp"

// The models as NIST states them, of parameters b at a point x.
auto misra1a = [](auto const& b, double x) { return b(0) * (1.0 - exp(-b(1) * x)); };
auto mgh09 = [](auto const& b, double x) { return b(0) * (x * x + x * b(1)) / (x * x + x * b(2) + b(3)); };
auto rat43 = [](auto const& b, double x) { return b(0) / pow(1.0 + exp(b(1) - b(2) * x), 1.0 / b(3)); };

std::string const folder = XGRAD_EXAMPLE_DATA "/nist/";

// The number of digits to which b agrees with c.
double digits(double b, double c) { return b == c ? 11 : std::min(11.0, -std::log10(std::abs(b - c) / std::abs(c))); }

// Fits one set and prints what is found; gives the least number of digits.
template <class Model>
double fit(std::string const& name, Model model) {
    auto const points = read_table(folder + name + ".csv");
    vector x = xt::zeros<double>({points.size() - 1}), y = x;
    for (std::size_t i = 0; i < x.size(); ++i) x(i) = std::stod(points[i + 1].at(0)), y(i) = std::stod(points[i + 1].at(1));

    auto residual = [&](auto const& b, double at, double observed) { return model(b, at) - observed; };
    double worst = 11;
    for (std::size_t start : {1, 2}) {
        std::vector<double> first, certified;
        for (auto const& row : read_table(folder + "parameters.csv"))
            if (row.at(0) == name) first.push_back(std::stod(row.at(1 + start))), certified.push_back(std::stod(row.at(4)));
        vector b = xt::zeros<double>({first.size()});
        std::copy(first.begin(), first.end(), b.begin());
        auto gradient = xgrad::prepare_gradient(residual, b, xgrad::constant(x(0)), xgrad::constant(y(0)));
        auto at_point = [&](std::size_t i, vector const& at) -> auto& { return gradient(at, xgrad::constant(x(i)), xgrad::constant(y(i))); };
        b = least_squares(at_point, x.size(), b);
        for (std::size_t j = 0; j < b.size(); ++j) {
            double const agree = digits(b(j), certified[j]);
            std::printf("%-8s %5zu    b%zu   %.10e  %.10e  %4.1f\n", name.c_str(), start, j + 1, certified[j], b(j), agree);
            worst = std::min(worst, agree);
        }
    }
    return worst;
}

int main() {
    std::printf("set      start  parameter      certified             found        digits\n");
    double const worst = std::min({fit("misra1a", misra1a), fit("mgh09", mgh09), fit("rat43", rat43)});
    return worst >= 6 ? 0 : 1;
}
