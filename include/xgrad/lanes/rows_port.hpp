// Defines rows_port: how f is given rows, one for each item, and how their cotangents come to where they are added up, a cotangent_place.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <xgrad/lanes/slots.hpp>
#include <xgrad/lanes/sources.hpp>
#include <xgrad/lanes/turned_rows.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Where cotangents are added up: of rows with R axes at their places, of what is shared one element after the other. Where each item has a row of its own and
// `add` is false nothing is there yet: the cotangents are put there.
template <class T, int R = 0>
struct cotangent_place {
    memory_t<T> data = nullptr;
    std::ptrdiff_t row = 0;
    strides<R> columns{};
    bool add = true;
};
// Where element k of a row lies.
template <int R>
XGRAD_DETAIL_INLINE std::ptrdiff_t offset_in_row(extents<R> const& shape, strides<R> const& stride, std::size_t k) {
    if constexpr (R == 0) return 0;
    else if constexpr (R == 1) return static_cast<std::ptrdiff_t>(k) * stride[0];
    else {
        std::ptrdiff_t at = 0;
        for (int d = R - 1; d >= 0; k /= shape[d--]) at += static_cast<std::ptrdiff_t>(k % shape[d]) * stride[d];
        return at;
    }
}
struct no_place {};

// The elements with which f sees a source whose own are those of its operand: in lanes all have the type T.
template <class S, class T, std::size_t W>
using port_element = std::conditional_t<S::is_active && W == 1, typename S::value_type, T>;

template <class V>
bool is_nan_somewhere(V const& x) noexcept {
    if constexpr (number_dual<V>) {
        bool some = is_nan_somewhere(x.primal);
        for (std::size_t k = 0; k < V::count; ++k) some = some || is_nan_somewhere(x.direction(k));
        return some;
    } else if constexpr (batch<V>) return xsimd::any(xsimd::isnan(x));
    else return x != x;
}
template <class Slot>
bool holds_nan(Slot const& s) noexcept {
    if (!s.came()) return false;
    bool some = false;
    for (std::size_t k = 0; k < s.size(); ++k) some = some || is_nan_somewhere(s.cotangent(k));
    return some;
}

template <class S, class T, std::size_t W, class M>
class rows_port {
    using E = typename S::value_type;
    using U = port_element<S, T, W>;
    using V = pack_t<U, W>;
    static constexpr int row_rank = S::row_rank;

public:
    rows_port(S const& s, context& c) : slot_(c, shape_of_slot(s)), rows_(s.rows()) {
        auto const x = s.a.source();
        data_ = x.data;
        row_ = x.shape[0] == 1 ? 0 : x.stride[0];
        for (int d = 0; d < row_rank; ++d) {
            shape_[d] = x.shape[d + 1];
            columns_[d] = x.shape[d + 1] == 1 ? 0 : x.stride[d + 1];
        }
        is_dense_ = is_dense(row_, columns_);
    }
    XGRAD_DETAIL_INLINE bool load(std::size_t i) {
        if constexpr (W == 1)
            for (std::size_t k = 0; k < size(); ++k) slot_.set(k, V(data_[place_of(i, row_, columns_, k)]));
        else if (is_dense_) [[likely]] {
            auto const at = dense_rows(i);
            auto const set = [this](std::size_t k, auto const& v) XGRAD_DETAIL_LAMBDA { slot_.set(k, V(v)); };
            if constexpr (!turns_values)
                for (std::size_t k = 0; k < size(); ++k) set(k, read_lanes<read_type, W>(data_ + static_cast<std::ptrdiff_t>(k), is_row, at));
            else if constexpr (is_any) load_long(data_, at, size(), slot_.values());
            else if constexpr (rows_type::is_row) load_dense_rows<read_type, W>(size(), data_ + at(0), set);
            else load_rows<read_type, W>(size(), data_, at, set);
        } else
            for (std::size_t k = 0; k < size(); ++k) slot_.set(k, read_anywhere(data_ + offset_in_row(shape_, columns_, k), rows_, i, row_));
        slot_.clear();
        return true;
    }
    auto handle() noexcept { return slot_.handle(); }
    auto& slot() noexcept { return slot_; }
    bool has_nan() const noexcept { return holds_nan(slot_); }
    template <class Place>
    XGRAD_DETAIL_INLINE void give(Place const& to, std::size_t i, pack_t<T, W> const& ybar) {
        if constexpr (S::is_active) {
            if constexpr (has_own_rows<S>)
                if (!to.add) return put(to, i, ybar);
            if (!slot_.came()) return;
            auto const g = [&](std::size_t k) XGRAD_DETAIL_LAMBDA { return V(in_full<V>(ybar) * slot_.cotangent(k)); };
            if constexpr (W == 1)
                for (std::size_t k = 0; k < size(); ++k) {
                    auto const at = place_of(i, to.row, to.columns, k);
                    to.data[at] = U(U(to.data[at]) + g(k));
                }
            else if (is_dense(to.row, to.columns)) [[likely]] {
                if constexpr (is_any && turns_values) store_long<true>(to.data, dense_rows(i), size(), slot_.cotangents(), in_full<V>(ybar));
                else store_dense<true>(to.data, i, g);
            } else
                for (std::size_t k = 0; k < size(); ++k) add_anywhere(to.data + offset_in_row(shape_, to.columns, k), rows_, i, to.row, g(k));
        }
    }
    template <class Place>
    void finish(Place const&) const noexcept {}

private:
    static constexpr bool is_any = S::length == any_length;
    using R = std::conditional_t<is_any, rank_c<row_rank>, row_shape<V, is_any ? 0 : S::length>>;
    using rows_type = decltype(std::declval<S const&>().rows());
    lane_slot<V, R, M> slot_;
    rows_type rows_;
    memory_t<E const> data_;
    std::ptrdiff_t row_;
    extents<row_rank> shape_{};
    strides<row_rank> columns_{};
    bool is_dense_;
    static constexpr bool is_row = rows_type::is_row && S::length == 0;
    // Plain numbers that f sees as duals are read as they are.
    static constexpr bool reads_plain = [] {
        if constexpr (number_dual<U>) return std::is_same_v<E, typename U::primal_type>;
        else return false;
    }();
    using read_type = std::conditional_t<reads_plain, E, U>;
    // Rows of several numbers are moved by pieces where they are dense.
    static constexpr bool is_moved_by_pieces = S::length > 1 && W != 1 && (!is_any || row_rank > 0);
    static constexpr bool turns = is_moved_by_pieces && std::is_same_v<E, U>, turns_values = is_moved_by_pieces && std::is_same_v<E, read_type>;

    XGRAD_DETAIL_INLINE std::size_t size() const noexcept {
        if constexpr (is_any) return slot_.size();
        else return S::length == 0 ? 1 : S::length;
    }
    XGRAD_DETAIL_INLINE std::ptrdiff_t place_of(std::size_t i, std::ptrdiff_t row, strides<row_rank> const& columns, std::size_t k) const {
        return rows_[i] * row + offset_in_row(shape_, columns, k);
    }
    // Rows of as many numbers as the type says mostly lie one behind the other: then where they lie is known but for a constant, and nothing is multiplied.
    XGRAD_DETAIL_INLINE bool is_dense(std::ptrdiff_t row, strides<row_rank> const& columns) const noexcept {
        if constexpr (is_any && !turns_values) return false;
        else if constexpr (is_any) {
            std::ptrdiff_t next = 1;
            for (int d = row_rank - 1; d >= 0; next *= static_cast<std::ptrdiff_t>(shape_[d--]))
                if (shape_[d] != 1 && columns[d] != next) return false;
            return next != 0 && row == next && rows_.is_dense();
        } else if constexpr (row_rank == 0) return row == 1 && rows_.is_dense();
        else return row == length && (length == 1 || columns[0] == 1) && rows_.is_dense();
    }
    XGRAD_DETAIL_INLINE auto dense_rows(std::size_t i) const noexcept {
        auto const rows = rows_.from(i);
        std::ptrdiff_t n = length;
        if constexpr (is_any) n = static_cast<std::ptrdiff_t>(size());
        if constexpr (rows_type::is_row || (length == 1 && !is_any)) return [rows, n](std::size_t j) XGRAD_DETAIL_LAMBDA { return rows.dense(j) * n; };
        else {  // each index is read once
            std::array<std::ptrdiff_t, W> at;
            for (std::size_t j = 0; j < W; ++j) at[j] = rows.dense(j) * n;
            return [at](std::size_t j) XGRAD_DETAIL_LAMBDA { return at[j]; };
        }
    }
    static constexpr std::ptrdiff_t length = is_any || S::length == 0 ? 1 : static_cast<std::ptrdiff_t>(S::length);
    template <class Place>
    XGRAD_DETAIL_INLINE void put(Place const& to, std::size_t i, pack_t<T, W> const& ybar) {
        bool const came = slot_.came();
        auto const g = [&](std::size_t k) XGRAD_DETAIL_LAMBDA { return came ? V(in_full<V>(ybar) * slot_.cotangent(k)) : V(0.0); };
        if constexpr (W == 1)
            for (std::size_t k = 0; k < size(); ++k) to.data[place_of(i, to.row, to.columns, k)] = g(k);
        else if (is_dense(to.row, to.columns)) [[likely]] {
            if constexpr (!is_any || !turns_values) store_dense<false>(to.data, i, g);
            else if (came) store_long<false>(to.data, dense_rows(i), size(), slot_.cotangents(), in_full<V>(ybar));
            else fill_elements<U>(to.data + dense_rows(i)(0), W * size(), U(0));
        } else
            for (std::size_t k = 0; k < size(); ++k) put_anywhere(to.data + offset_in_row(shape_, to.columns, k), rows_, i, to.row, g(k));
    }
    template <bool Add, class G>
    XGRAD_DETAIL_INLINE void store_dense(memory_t<U> to, std::size_t i, G const& g) const {
        auto const at = dense_rows(i);
        if constexpr (turns && rows_type::is_row) store_dense_rows<Add, U, W>(size(), to + at(0), g);
        else if constexpr (turns) store_rows<Add, U, W>(size(), to, at, g);
        else
            for (std::size_t k = 0; k < size(); ++k)
                if constexpr (Add) add_lanes<U, W>(to + static_cast<std::ptrdiff_t>(k), is_row, g(k), at);
                else put_lanes<U, W>(to + static_cast<std::ptrdiff_t>(k), is_row, g(k), at);
    }
    // Of values alone, so that the port has no address.
    template <class At>
    [[gnu::noinline]] static void load_long(memory_t<E const> p, At at, std::size_t n, memory_t<V> values) {
        auto const set = [values](std::size_t k, auto const& v) XGRAD_DETAIL_LAMBDA { values[k] = V(v); };
        if constexpr (rows_type::is_row) load_dense_rows<read_type, W>(n, p + at(0), set);
        else load_rows<read_type, W>(n, p, at, set);
    }
    template <bool Add, class At>
    [[gnu::noinline]] static void store_long(memory_t<U> p, At at, std::size_t n, memory_t<V const> cotangents, V const& ybar) {
        auto const g = [&](std::size_t k) XGRAD_DETAIL_LAMBDA { return V(ybar * V(cotangents[k])); };
        if constexpr (rows_type::is_row) store_dense_rows<Add, U, W>(n, p + at(0), g);
        else store_rows<Add, U, W>(n, p, at, g);
    }
    [[gnu::noinline]] static V read_anywhere(memory_t<E const> p, rows_type rows, std::size_t i, std::ptrdiff_t row) {
        return read_lanes<U, W>(p, rows_type::is_row && row == 1, [&](std::size_t j) { return rows[i + j] * row; });
    }
    [[gnu::noinline]] static void add_anywhere(memory_t<U> p, rows_type rows, std::size_t i, std::ptrdiff_t row, V const& g) {
        add_lanes<U, W>(p, rows_type::is_row && row == 1, g, [&](std::size_t j) { return rows[i + j] * row; });
    }
    [[gnu::noinline]] static void put_anywhere(memory_t<U> p, rows_type rows, std::size_t i, std::ptrdiff_t row, V const& g) {
        put_lanes<U, W>(p, rows_type::is_row && row == 1, g, [&](std::size_t j) { return rows[i + j] * row; });
    }
    static extents<R::value> shape_of_slot([[maybe_unused]] S const& s) {
        if constexpr (R::value == 0) return {};
        else if constexpr (!is_any) return {{S::length}};
        else {
            auto const all = s.a.extent();
            extents<R::value> e;
            for (int d = 0; d < row_rank; ++d) e[d] = all[d + 1];
            return e;
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
