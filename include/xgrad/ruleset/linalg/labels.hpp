// Defines the labels of the axes of matmul and einsum: which axes of the operands are multiplied, summed over and kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/ruleset/linalg/contraction.hpp>

namespace xgrad::linalg {

// The labels of matmul: the last two axes are those of matrices, a vector is a row on the left and a column on the right.
inline void label_matmul(int ra, int rb, axis_labels& a, axis_labels& b, axis_labels& y) {
    if (ra == 0 || rb == 0) throw std::invalid_argument("xgrad[E203]: matmul(a, b) requires arrays, found a number: multiply it with *");
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
// One letter for each axis of an array.
struct axis_letters {
    std::array<char, max_dynamic_rank> at{};
    int count = 0;

    constexpr char operator[](int d) const { return at[static_cast<std::size_t>(d)]; }
    constexpr void append(char c) { at[static_cast<std::size_t>(count++)] = c; }
    constexpr int times(char c) const {
        int n = 0;
        for (int d = 0; d < count; ++d) n += at[static_cast<std::size_t>(d)] == c;
        return n;
    }
};
inline constexpr int max_einsum_operands = 16;

// The labels of "ij,jk->ik": letters of each operand and of the result; without an arrow the result has those that stand once, in alphabetical order. An
// ellipsis stands for the axes that an operand of these ranks has beside its letters, counted from the last one.
class einsum_plan {
public:
    constexpr explicit einsum_plan(char const* text, int const* ranks = nullptr, int count = 0) {
        bool arrow = false;
        for (char const* c = text; *c; ++c) {
            auto& group = arrow ? result_ : operand_[static_cast<std::size_t>(operands_ - 1)];
            if (*c == ' ') continue;
            if (*c == ',' && !arrow && operands_ < max_einsum_operands) ++operands_;
            else if (*c == '-' && c[1] == '>' && !arrow) arrow = true, ++c;
            else if (((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')) && group.count < max_dynamic_rank) group.append(*c);
            else if (c[0] == '.' && c[1] == '.' && c[2] == '.' && group.times('.') == 0 && group.count < max_dynamic_rank) group.append('.'), c += 2;
            else return;
        }
        int most = 0;  // axes that an ellipsis stands for
        for (int k = 0; k < operands_; ++k) {
            auto& group = operand_[static_cast<std::size_t>(k)];
            if (group.times('.') == 0) continue;
            int const n = k < count ? ranks[k] - (group.count - 1) : -1;
            if (n < 0 || !write_out(group, n)) return;
            has_ellipsis_ = true;
            most = std::max(most, n);
        }
        if (!arrow) result_.append('.');
        if (result_.times('.') == 0 ? most != 0 : !write_out(result_, most)) return;
        if (!arrow)
            for (int l = 'A'; l <= 'z'; ++l) {
                if (times(static_cast<char>(l), 0) != 1) continue;
                if (result_.count == max_dynamic_rank) return;
                result_.append(static_cast<char>(l));
            }
        is_good_ = true;
        for (int d = 0; d < result_.count; ++d) is_good_ = is_good_ && result_.times(result_[d]) == 1 && times(result_[d], 0) != 0;
        // what is between two steps is an array, too
        for (int k = 1; k < operands_ && is_good_; ++k) is_good_ = before(k + 1).count >= 0;
    }
    constexpr bool is_for(int operands) const { return is_good_ && operands == operands_; }
    constexpr bool has_ellipsis() const { return has_ellipsis_; }
    constexpr axis_letters const& operand(int k) const { return operand_[static_cast<std::size_t>(k)]; }
    constexpr axis_letters const& result() const { return result_; }
    // What stands left of operand k after the steps before it: the letters that are still asked for.
    constexpr axis_letters before(int k) const {
        if (k == 1) return operand(0);
        if (k == operands_) return result_;
        axis_letters l{};
        for (int p = 0; p < k; ++p)
            for (int d = 0; d < operand(p).count; ++d) {
                char const c = operand(p)[d];
                if (l.times(c) != 0 || (times(c, k) == 0 && result_.times(c) == 0)) continue;
                if (l.count == max_dynamic_rank) return {{}, -1};
                l.append(c);
            }
        return l;
    }

private:
    std::array<axis_letters, max_einsum_operands> operand_{};
    axis_letters result_;
    int operands_ = 1;
    bool is_good_ = false, has_ellipsis_ = false;

    // The ellipsis of a group as n letters that nobody writes: the same ones for the last axes of all.
    static constexpr bool write_out(axis_letters& group, int n) {
        if (group.count - 1 + n > max_dynamic_rank) return false;
        axis_letters const given = group;
        group.count = 0;
        for (int d = 0; d < given.count; ++d) {
            if (given[d] != '.') group.append(given[d]);
            else
                for (int k = n; k > 0; --k) group.append(static_cast<char>(k));
        }
        return true;
    }
    // How often a letter stands in the operands from the k-th on.
    constexpr int times(char c, int k) const {
        int n = 0;
        for (; k < operands_; ++k) n += operand(k).times(c);
        return n;
    }
};
// Numbers for the letters of one step.
inline void number_letters(axis_letters const& p, axis_letters const& q, axis_letters const& r, axis_labels& a, axis_labels& b, axis_labels& y) {
    std::array<char, 2 * max_dynamic_rank> known{};
    int labels = 0;
    auto const enter = [&](axis_letters const& l, axis_labels& to) {
        to.set_rank(l.count);
        for (int d = 0; d < l.count; ++d) {
            auto* const at = std::find(known.data(), known.data() + labels, l[d]);
            if (at == known.data() + labels) known[static_cast<std::size_t>(labels++)] = l[d];
            to[d] = static_cast<int>(at - known.data());
        }
    };
    enter(p, a);
    enter(q, b);
    enter(r, y);
}
inline einsum_plan read_einsum(char const* text, int operands, int const* ranks) {
    einsum_plan const plan(text, ranks, operands);
    if (!plan.is_for(operands)) {
        if (operands == 2)
            throw std::invalid_argument(
                std::string("xgrad[E207]: einsum(labels, a, b) requires labels of two operands and a result, each of whose letters stands in one of them, "
                    "found \"") +
                text + "\": write them like ij,jk->ik");
        throw std::invalid_argument(
            std::string(
                "xgrad[E207]: einsum(labels, x...) requires labels of as many operands as there are and of a result, each of whose letters stands in one of "
                "them, found \"") +
            text + "\" for " + std::to_string(operands) + ": write them like ij,jk,kl->il");
    }
    return plan;
}
template <std::size_t N>
struct einsum_labels {
    char text[N];
    consteval einsum_labels(char const (&t)[N]) { std::copy_n(t, N, text); }
    consteval bool has_ellipsis() const { return std::find(text, text + N, '.') != text + N; }
    // Of operands of these ranks, or, without an ellipsis, of any.
    template <int... R>
    consteval einsum_plan plan(std::integer_sequence<int, R...>) const {
        int const ranks[] = {R..., 0};
        return einsum_plan(text, ranks, sizeof...(R));
    }
};

}  // namespace xgrad::linalg
