// Defines port_t: how what f is given meets what the map holds: items are loaded, their cotangents go to where they are summed.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <xgrad/lanes/pack_memory.hpp>
#include <xgrad/lanes/running_sum.hpp>
#include <xgrad/lanes/slots.hpp>
#include <xgrad/lanes/sources.hpp>

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
            for (std::size_t k = 0; k < size(); ++k) slot_.set(k, read_lanes<U, W>(data_ + static_cast<std::ptrdiff_t>(k), is_row, at));
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
                auto const at = dense_rows(i);
                for (std::size_t k = 0; k < size(); ++k) add_lanes<U, W>(to.data + static_cast<std::ptrdiff_t>(k), is_row, g(k), at);
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

    XGRAD_DETAIL_INLINE std::size_t size() const noexcept {
        if constexpr (is_any) return slot_.size();
        else return S::length == 0 ? 1 : S::length;
    }
    XGRAD_DETAIL_INLINE std::ptrdiff_t place_of(std::size_t i, std::ptrdiff_t row, strides<row_rank> const& columns, std::size_t k) const {
        return rows_[i] * row + offset_in_row(shape_, columns, k);
    }
    // Rows of as many numbers as the type says mostly lie one behind the other: then where they lie is known but for a constant, and nothing is multiplied.
    XGRAD_DETAIL_INLINE bool is_dense(std::ptrdiff_t row, strides<row_rank> const& columns) const noexcept {
        if constexpr (is_any) return false;
        else if constexpr (row_rank == 0) return row == 1 && rows_.is_dense();
        else return row == length && (length == 1 || columns[0] == 1) && rows_.is_dense();
    }
    XGRAD_DETAIL_INLINE auto dense_rows(std::size_t i) const noexcept {
        auto const rows = rows_.from(i);
        if constexpr (rows_type::is_row || length == 1) return [rows](std::size_t j) XGRAD_DETAIL_LAMBDA { return rows.dense(j) * length; };
        else {  // each index is read once
            std::array<std::ptrdiff_t, W> at;
            for (std::size_t j = 0; j < W; ++j) at[j] = rows.dense(j) * length;
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
            auto const at = dense_rows(i);
            for (std::size_t k = 0; k < size(); ++k) put_lanes<U, W>(to.data + static_cast<std::ptrdiff_t>(k), is_row, g(k), at);
        } else
            for (std::size_t k = 0; k < size(); ++k) put_anywhere(to.data + offset_in_row(shape_, to.columns, k), rows_, i, to.row, g(k));
    }
    // Of values alone, so that the port has no address.
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

template <class S, class T, std::size_t W, class M>
class whole_port {
    using A = typename S::operand_type;
    using U = port_element<S, T, W>;
    using V = pack_t<U, W>;
    using R = std::conditional_t<number_dual<V>, rank_c<A::rank>, shape_or_rank_t<A>>;
    static constexpr bool is_number = A::rank == 0;

public:
    whole_port(S const& s, context& c) : slot_(c, s.a.extent()) {
        auto const x = s.a.source();
        for_each_offset(x.shape, x.stride, [&](std::size_t k, std::ptrdiff_t at) { slot_.set(k, broadcast_lanes<U, W>(U(x.data[at]))); });
        if constexpr (!is_number) {
            room_.renew(c, bytes_of_packs(slot_.size() * sizeof(running_sum<V>)));
            sums_ = static_cast<running_sum<V>*>(room_.get());
            for (std::size_t k = 0; k < slot_.size(); ++k) new (sums_ + k) running_sum<V>;
        }
    }
    XGRAD_DETAIL_INLINE bool load(std::size_t) {
        slot_.clear();
        return true;
    }
    auto handle() noexcept { return slot_.handle(); }
    auto& slot() noexcept { return slot_; }
    bool has_nan() const noexcept { return holds_nan(slot_); }
    template <class Place>
    XGRAD_DETAIL_INLINE void give(Place const&, std::size_t, pack_t<T, W> const& ybar) {
        if (!S::is_active || !slot_.came()) return;
        came_ = true;
        for (std::size_t k = 0; k < slot_.size(); ++k) sum(k).add(V(in_full<V>(ybar) * slot_.cotangent(k)));
    }
    template <class Place>
    void finish(Place const& to) {
        if constexpr (!S::is_active) return;
        else if (!came_) return;
        else for (std::size_t k = 0; k < slot_.size(); ++k) to.data[k] = U(U(to.data[k]) + sum_of_lanes<U, W>(sum(k).value()));
    }

private:
    lane_slot<V, R, M> slot_;
    block room_;
    [[no_unique_address]] std::conditional_t<is_number, running_sum<V>, no_place> sum_;
    running_sum<V>* sums_ = nullptr;
    bool came_ = false;

    XGRAD_DETAIL_INLINE running_sum<V>& sum(std::size_t k) noexcept {
        if constexpr (is_number) return sum_;
        else return sums_[k];
    }
};

// What takes no cotangents.
struct port_of_constants {
    static constexpr bool has_nan() noexcept { return false; }
    template <class Place, class V>
    void give(Place const&, std::size_t, V const&) const noexcept {}
    template <class Place>
    void finish(Place const&) const noexcept {}
};

// What has no derivative, for each item: the lanes of a pack have to have the same.
template <class S, std::size_t W>
class constants_port : public port_of_constants {
public:
    constants_port(S const& s, context&) : rows_(s.rows()) {
        auto const x = s.a.source();
        data_ = x.data;
        step_ = x.stride[0];
    }
    XGRAD_DETAIL_INLINE bool load(std::size_t i) {
        value_ = data_ + rows_[i] * step_;
        for (std::size_t j = 1; j < W; ++j)
            if (!(data_[rows_[i + j] * step_] == *value_)) return false;
        return true;
    }
    auto const& handle() const noexcept { return *value_; }

private:
    using value_type = typename S::value_type;
    decltype(std::declval<S const&>().rows()) rows_;
    value_type const* data_;
    std::ptrdiff_t step_;
    value_type const* value_ = nullptr;
};

template <class S>
class plain_port : public port_of_constants {
public:
    plain_port(S const& s, context&) : x_(&s.get()) {}
    bool load(std::size_t) const noexcept { return true; }
    auto const& handle() const noexcept { return *x_; }

private:
    decltype(&std::declval<S const&>().get()) x_;
};

// A source may say its own.
template <class S, class T, std::size_t W, class M>
concept brings_port = requires { typename S::template port<T, W, M>; };

template <class S, class T, std::size_t W, class M>
consteval auto find_port() {
    if constexpr (is_rows<S>) return std::type_identity<rows_port<S, T, W, M>>{};
    else if constexpr (is_whole<S>) return std::type_identity<whole_port<S, T, W, lifetime_of_shared<pack_t<port_element<S, T, W>, W>, M>>>{};
    else if constexpr (is_constants<S>) return std::type_identity<constants_port<S, W>>{};
    else if constexpr (brings_port<S, T, W, M>) return std::type_identity<typename S::template port<T, W, M>>{};
    else return std::type_identity<plain_port<S>>{};
}
template <class S, class T, std::size_t W, class M>
using port_t = typename decltype(find_port<S, T, W, M>())::type;

}
XGRAD_DETAIL_QUIET_END
