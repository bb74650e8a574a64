// Defines item_source<X, M, L>, what the body of a scan is given for each item of an X: of a count, or of constants (arrays, structs of them, containers).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <xgrad/loops/parameter.hpp>
#include <xgrad/loops/rows.hpp>
#include <xgrad/loops/transfer.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
// How many items there are, as several say: any_number where none does, and one less than that where they do not agree.
class agreed_number {
public:
    void take(std::size_t n) {
        same_ = same_ && (n_ == any_number || n_ == n);
        n_ = n;
    }
    std::size_t value() const { return same_ ? n_ : any_number - 1; }

private:
    std::size_t n_ = any_number;
    bool same_ = true;
};

// Of a loop without items.
struct no_items {
    template <class E>
    explicit no_items(E const&, context&) {}
};

// An item source has
//   size()              how many items there are
//   open(c)             in a call's context
//   enter(i)            before step i; what the body gets is handle()
//   begin_reverse()     forgets what has come
//   leave(g)            after a step was pulled, with the factor g
//   give()              what came, to the variables
//   here(c, i)          an object with handle() and leave(g), for step i: what it holds may be on the stack
template <class X, class M, class L>
class item_source;

// Where nothing comes back.
struct constant_source {
    void begin_reverse() {}
    template <class G>
    void leave(G const&) {}
    void give() {}
    bool is_owed() const { return false; }
};
template <class S>
struct source_here {
    S& s;
    XGRAD_DETAIL_INLINE decltype(auto) handle() { return s.handle(); }
    template <class G>
    XGRAD_DETAIL_INLINE void leave(G const&) {}
};

// A count: the item is its own number.
template <std::integral X, class M, class L>
class item_source<X, M, L> : public constant_source {
public:
    item_source(X const& n, context&) : n_(static_cast<std::size_t>(n)) {}
    std::size_t size() const { return n_; }
    void open(context&) {}
    XGRAD_DETAIL_INLINE void enter(std::size_t i) { i_ = i; }
    std::size_t const& handle() const { return i_; }
    XGRAD_DETAIL_INLINE auto here(context&, std::size_t i) {
        i_ = i;
        return source_here<item_source const>{*this};
    }

private:
    std::size_t n_, i_ = 0;
};

// What the body gets of a plain array: a number, or an array over its elements.
template <class T, class Row>
struct row_of_constants {
    using array = typename array_over<Row, T>::type;
    using shape = typename array::inner_shape_type;
    using storage = typename array::storage_type;
    using type = std::optional<array>;
};
template <class T>
struct row_of_constants<T, T> {
    using shape = no_variable;
    using type = T;
};

// The rows of a plain array.
template <plain_array X, class M, class L>
class item_source<X, M, L> : public constant_source {
    using T = std::remove_const_t<typename X::value_type>;
    static constexpr int rank = rank_of<X>;
    using row_type = typename row_of_rank<T, rank>::type;
    static constexpr bool is_number = rank == 1;
    using kind = row_of_constants<T, row_type>;

public:
    item_source(X const& x, context& c) : array_(as_constant_array<T>(x, c)) {
        auto const a = array_.source();
        n_ = a.shape[0];
        count_ = n_ == 0 ? 0 : element_count(a.shape) / n_;
        if (!is_contiguous(a.shape, a.stride)) {
            copy_.renew(c, element_count(a.shape) * sizeof(T));
            T* const to = static_cast<T*>(copy_.get());
            for_each_element(a, [to](std::size_t i, T const& v) { to[i] = v; });
            data_ = to;
        } else data_ = a.data;
        if constexpr (!is_number) {
            auto const s = shape_of_row(a.shape);
            if constexpr (rank == dynamic_rank) shape_.resize(s.size());
            std::copy(s.begin(), s.end(), shape_.begin());
        }
    }
    std::size_t size() const { return n_; }
    void open(context& c) {
        if constexpr (!is_number) c.assume_constant(&here_, sizeof here_);
    }
    XGRAD_DETAIL_INLINE void enter(std::size_t i) {
        if constexpr (is_number) here_ = data_[i];
        else here_.emplace(typename kind::storage(const_cast<T*>(data_) + i * count_, count_), shape_);
    }
    decltype(auto) handle() const {
        if constexpr (is_number) return (here_);
        else return (*here_);
    }
    XGRAD_DETAIL_INLINE auto here(context&, std::size_t i) {
        enter(i);
        return source_here<item_source const>{*this};
    }

private:
    decltype(as_constant_array<T>(std::declval<X const&>(), std::declval<context&>())) array_;
    T const* data_ = nullptr;
    block copy_;
    std::size_t n_ = 0, count_ = 0;
    typename kind::shape shape_{};
    typename kind::type here_{};
};

// Whether X is a struct of plain arrays; and its row i: a struct with the same names.
template <class X>
consteval bool has_constant_rows() {
    if constexpr (plain_array<X>) return rank_of<X> != 0;
    else if constexpr (!differentiable<X> || is_leaf<X>) return false;
    else if constexpr (!fixed_form<X>) return false;
    else return []<class... Q>(type_list<Q...>) { return (has_constant_rows<std::remove_cv_t<Q>>() && ...); }(typename parts<X>::types{});
}
struct to_constant_row {
    template <class X>
    static consteval auto find() {
        if constexpr (plain_array<X>) return type_tag<typename row_of_rank<std::remove_const_t<typename X::value_type>, rank_of<X>>::type>{};
        else return type_tag<typename parts<X>::template rebind<to_constant_row>>{};
    }
    template <class X>
    using type = typename decltype(find<std::remove_cvref_t<X>>())::type;
};
template <>
inline constexpr bool stands_for_structs<to_constant_row> = true;
template <class X>
to_constant_row::type<X> constant_row(X const& all, std::size_t i) {
    if constexpr (!plain_array<X>)
        return parts<X>::template make<to_constant_row::type<X>>([i](auto const& part) { return constant_row(part, i); }, all);
    else if constexpr (rank_of<X> == 1) return all(i);
    else return to_constant_row::type<X>(xt::view(all, i));
}
// The next one, of the same shapes, in its place.
template <class R, class X>
void assign_constant_row(R& row, X const& all, std::size_t i) {
    if constexpr (!plain_array<X>) parts<X>::each([i](auto const& part, auto& to) { assign_constant_row(to, part, i); }, all, row);
    else if constexpr (rank_of<X> == 1) row = all(i);
    else xt::noalias(row) = xt::view(all, i);
}
template <class X>
void count_constant_rows(X const& all, agreed_number& n) {
    if constexpr (plain_array<X>) n.take(all.shape()[0]);
    else parts<X>::each([&n](auto const& part) { count_constant_rows(part, n); }, all);
}
// Its rows are copied, each when its step begins.
template <class X, class M, class L>
    requires(!std::ranges::range<X const> && !plain_array<X> && !holds_active<X> && has_constant_rows<X>())
class item_source<X, M, L> : public constant_source {
public:
    item_source(X const& x, context& c) : all_(loop_constant_source<X>{x, c}) {}
    std::size_t size() const {
        agreed_number n;
        count_constant_rows(all_.handle(), n);
        return n.value();
    }
    void open(context&) {}
    void enter(std::size_t i) {
        if (here_) assign_constant_row(*here_, all_.handle(), i);
        else here_.emplace(constant_row(all_.handle(), i));
    }
    auto const& handle() const { return *here_; }
    auto here(context&, std::size_t i) {
        enter(i);
        return source_here<item_source const>{*this};
    }

private:
    loop_constant<X> all_;
    std::optional<to_constant_row::type<X>> here_;
};

// The elements of a container of constants.
template <class X, class M, class L>
    requires(std::ranges::random_access_range<X const> && !plain_array<X> && !holds_active<X>)
class item_source<X, M, L> : public constant_source {
public:
    item_source(X const& x, context& c) : all_(loop_constant_source<X>{x, c}) {}
    std::size_t size() const { return static_cast<std::size_t>(std::ranges::size(all_.handle())); }
    void open(context& c) {
        if constexpr (std::ranges::contiguous_range<X const>)
            c.assume_constant(std::ranges::data(all_.handle()), size() * sizeof(std::ranges::range_value_t<X const>));
    }
    XGRAD_DETAIL_INLINE void enter(std::size_t i) { i_ = i; }
    XGRAD_DETAIL_INLINE decltype(auto) handle() const {
        return std::ranges::begin(all_.handle())[static_cast<std::ranges::range_difference_t<X const>>(i_)];
    }
    XGRAD_DETAIL_INLINE auto here(context&, std::size_t i) {
        i_ = i;
        return source_here<item_source const>{*this};
    }

private:
    loop_constant<X> all_;
    std::size_t i_ = 0;
};
template <class X, class M, class L>
class item_source<std::reference_wrapper<X>, M, L> : public item_source<std::remove_const_t<X>, M, L> {
public:
    item_source(std::reference_wrapper<X> const& x, context& c) : item_source<std::remove_const_t<X>, M, L>(x.get(), c) {}
};

}
XGRAD_DETAIL_QUIET_END
