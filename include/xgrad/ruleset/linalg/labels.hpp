// Defines the labels of the axes of matmul and einsum: which axes of two operands are multiplied, summed over and kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/contraction.hpp>

namespace xgrad::linalg {

// The labels of matmul: the last two axes are those of matrices, a vector is a row on the left and a column on the right.
inline void label_matmul(int ra, int rb, axis_labels& a, axis_labels& b, axis_labels& y) {
    if (ra == 0 || rb == 0) throw std::invalid_argument("xgrad: matmul(a, b) requires arrays, found a number: multiply it with *");
    int const batch = std::max({ra - 2, rb - 2, 0}), row = batch, column = batch + 1, middle = batch + 2;
    a.set_rank(ra);
    b.set_rank(rb);
    y.set_rank(batch + (ra > 1) + (rb > 1));
    for (int d = 0; d < ra - 2; ++d) a[d] = batch - (ra - 2) + d;
    for (int d = 0; d < rb - 2; ++d) b[d] = batch - (rb - 2) + d;
    for (int d = 0; d < batch; ++d) y[d] = d;
    if (ra > 1) a[ra - 2] = y[batch] = row;
    a[ra - 1] = middle;
    b[rb > 1 ? rb - 2 : 0] = middle;
    if (rb > 1) b[rb - 1] = y[batch + (ra > 1)] = column;
}
// The labels of "ij,jk->ik": letters; without an arrow the result has those that stand once, in alphabetical order.
constexpr int einsum_letters(char const* text, std::array<std::array<char, max_dynamic_rank>, 3>& letters, std::array<int, 3>& count) {
    int part = 0;
    bool arrow = false;
    for (char const* c = text; *c; ++c) {
        if (*c == ' ') continue;
        if (*c == ',' && part == 0) part = 1;
        else if (*c == '-' && c[1] == '>' && part == 1) part = 2, arrow = true, ++c;
        else if (((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')) && count[static_cast<std::size_t>(part)] < max_dynamic_rank)
            letters[static_cast<std::size_t>(part)][static_cast<std::size_t>(count[static_cast<std::size_t>(part)]++)] = *c;
        else return -1;
    }
    if (part == 0) return -1;
    auto const times = [&](std::size_t p, char l) {
        int n = 0;
        for (int d = 0; d < count[p]; ++d) n += letters[p][static_cast<std::size_t>(d)] == l;
        return n;
    };
    if (!arrow)
        for (int l = 'A'; l <= 'z'; ++l)
            if (times(0, static_cast<char>(l)) + times(1, static_cast<char>(l)) == 1) letters[2][static_cast<std::size_t>(count[2]++)] = static_cast<char>(l);
    for (int d = 0; d < count[2]; ++d) {
        char const l = letters[2][static_cast<std::size_t>(d)];
        if (times(2, l) != 1 || times(0, l) + times(1, l) == 0) return -1;
    }
    return count[2];
}
inline void label_einsum(char const* text, axis_labels& a, axis_labels& b, axis_labels& y) {
    std::array<std::array<char, max_dynamic_rank>, 3> letters{};
    std::array<int, 3> count{};
    if (einsum_letters(text, letters, count) < 0)
        throw std::invalid_argument(std::string("xgrad: einsum(labels, a, b) requires labels of two operands and a result, each of whose letters stands in one of them, found \"") + text +
                                    "\": write them like ij,jk->ik");
    std::array<char, 2 * max_dynamic_rank> known{};
    int labels = 0;
    axis_labels* const lists[] = {&a, &b, &y};
    for (std::size_t p = 0; p < 3; ++p) {
        lists[p]->set_rank(count[p]);
        for (int d = 0; d < count[p]; ++d) {
            auto* const at = std::find(known.data(), known.data() + labels, letters[p][static_cast<std::size_t>(d)]);
            if (at == known.data() + labels) known[static_cast<std::size_t>(labels++)] = letters[p][static_cast<std::size_t>(d)];
            (*lists[p])[d] = static_cast<int>(at - known.data());
        }
    }
}
template <std::size_t N>
struct einsum_labels {
    char text[N];
    consteval einsum_labels(char const (&t)[N]) { std::copy_n(t, N, text); }
    consteval int rank() const {
        std::array<std::array<char, max_dynamic_rank>, 3> letters{};
        std::array<int, 3> count{};
        return einsum_letters(text, letters, count);
    }
};

}  // namespace xgrad::linalg
