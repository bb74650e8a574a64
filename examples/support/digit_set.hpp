// Defines digit_set: images of handwritten digits, and which digit each of them shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <xgrad/xgrad.hpp>

#include "table.hpp"

struct digit_set {
    xt::xtensor<double, 2> images;  // a row of 8 x 8 pixels for each, from 0 to 1
    xt::xtensor<double, 2> truth;   // a row of ten for each, with a 1 at the digit that it shows

    std::size_t size() const { return images.shape(0); }

    digit_set rows(std::size_t first, std::size_t count) const {
        auto const part = [&](auto const& table) { return xt::view(table, xt::range(first, first + count), xt::all()); };
        return {part(images), part(truth)};
    }

    // By hand, as std::shuffle may give each standard library an order of its own.
    void shuffle(std::mt19937& random) {
        for (std::size_t i = size(); i > 1; --i) {
            std::size_t const j = random() % i;
            for (auto* table : {&images, &truth}) {
                auto const width = static_cast<std::ptrdiff_t>(table->shape(1));
                auto const row = [&](std::size_t k) { return table->begin() + static_cast<std::ptrdiff_t>(k) * width; };
                if (j != i - 1) std::swap_ranges(row(j), row(j) + width, row(i - 1));
            }
        }
    }
};

// Lines of 64 pixels from 0 to 16, and the digit.
inline digit_set read_digits(std::string const& path) {
    auto const table = read_table(path);
    digit_set set{xt::zeros<double>({table.size(), std::size_t{64}}), xt::zeros<double>({table.size(), std::size_t{10}})};
    for (std::size_t i = 0; i < table.size(); ++i) {
        for (std::size_t k = 0; k < 64; ++k) set.images(i, k) = std::stod(table[i].at(k)) / 16;
        set.truth(i, std::stoul(table[i].at(64))) = 1;
    }
    return set;
}

// Where each row is largest: the digit that a row of scores, or of the truth, stands for.
inline std::vector<int> digits_of(xt::xtensor<double, 2> const& rows) {
    std::vector<int> digits;
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
        auto const row = xt::view(rows, i, xt::all());
        digits.push_back(static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return digits;
}

inline double share_of_equal(std::vector<int> const& a, std::vector<int> const& b) {
    int equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
    return equal / static_cast<double>(a.size());
}
