// Defines the pieces of plain arrays, of containers and of structs of them, as items of the parallel verbs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/parallel/slices.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What has rows; in a struct they are cut side by side, and numbers and the like belong to all pieces.
template <class P>
concept plain_rows = plain_array<P> || (!active<P> && std::ranges::random_access_range<P const> && std::ranges::sized_range<P const>);
template <class P>
consteval bool find_is_cut() {
    if constexpr (plain_rows<P>) return true;
    else if constexpr (differentiable<P> && !is_leaf<P> && fixed_form<P>)
        return []<class... Q>(type_list<Q...>) { return (find_is_cut<std::remove_cv_t<Q>>() || ...); }(typename parts<P>::types{});
    else return false;
}
template <class X>
consteval bool find_has_slices() {
    using U = std::remove_cvref_t<X>;
    if constexpr (is_wrapper<U>) return find_has_slices<std::unwrap_reference_t<U>>();
    else if constexpr (active<U> || (holds_active<U> && !std::ranges::range<U>)) return find_has_rows<state_t<U>>();
    else return !holds_active<U> && find_is_cut<U>();
}
template <class X>
inline constexpr bool are_known_items<row_slices<X>> = find_has_slices<X>();

template <class P>
std::size_t count_rows(P const& x) {
    if constexpr (is_wrapper<P>) return count_rows(x.get());
    else if constexpr (plain_rows<P>) return count_plain(x);
    else {
        std::size_t n = any_number;
        parts<P>::each(
            [&n](auto const& part) {
                if constexpr (find_is_cut<std::remove_cvref_t<decltype(part)>>()) {
                    std::size_t const m = count_rows(part);
                    if (n != any_number && n != m) parallel_items_differ(n, m);
                    n = m;
                }
            },
            x);
        return n;
    }
}
// Rows [begin, end) of it.
template <class P>
void cut_rows(P const& x, slice const& s, P& piece) {
    if constexpr (plain_array<P>) piece = xt::view(x, xt::range(s.begin, s.end));
    else if constexpr (plain_rows<P>) {
        auto const first = std::ranges::begin(x);
        using D = std::ranges::range_difference_t<P const>;
        piece = P(first + static_cast<D>(s.begin), first + static_cast<D>(s.end));
    }
    else if constexpr (find_is_cut<P>()) parts<P>::each([&s](auto const& part, auto& own) { cut_rows(part, s, own); }, x, piece);
    else piece = x;
}
template <class P>
auto plain_piece(P const& x, slice const& s) {
    if constexpr (is_wrapper<P>) return plain_piece(x.get(), s);
    else if constexpr (plain_array<P>) {
        using T = std::remove_const_t<typename P::value_type>;
        return typename primal_of<T, rank_of<P>>::type(xt::view(x, xt::range(s.begin, s.end)));
    } else if constexpr (std::ranges::contiguous_range<P const>) return std::span(std::ranges::data(x) + s.begin, s.size());
    else if constexpr (plain_rows<P>) {
        auto const first = std::ranges::begin(x);
        using D = std::ranges::range_difference_t<P const>;
        return std::ranges::subrange(first + static_cast<D>(s.begin), first + static_cast<D>(s.end));
    } else {
        P piece{};
        cut_rows(x, s, piece);
        return piece;
    }
}

// As items of plain values alone.
template <class X>
std::size_t count_plain(row_slices<X> const& s) {
    return chunk_cut(count_rows<std::remove_cvref_t<X>>(s.x)).count;
}
template <class X>
auto plain_item(row_slices<X> const& s, std::size_t i) {
    chunk_cut const cut(count_rows<std::remove_cvref_t<X>>(s.x));
    return plain_piece<std::remove_cvref_t<X>>(s.x, {cut.first(i), cut.last(i)});
}
// Throws where pieces that go side by side would have different numbers of rows.
template <class X>
void check_slices(X const& items) {
    if constexpr (is_std_tuple<X>) {
        std::size_t n = any_number;
        auto one = [&n]<class Y>(Y const& y) {
            check_slices(y);
            if constexpr (requires { y.x; }) {
                std::size_t const m = count_rows<std::remove_cvref_t<decltype(y.x)>>(y.x);
                if (n != any_number && n != m) parallel_items_differ(n, m);
                n = m;
            }
        };
        detail::call_with([&](auto const&... y) { (one(y), ...); }, items);
    }
}

// What f sees of a plain X: of an array one over its elements.
template <class X, bool Again>
class plain_pieces {
    using P = std::remove_const_t<std::unwrap_reference_t<X>>;
    held_constant<X, Again> all_;

public:
    plain_pieces(X const& x, context& c) : all_(loop_constant_source<X>{x, c}) {}
    std::size_t rows() const { return count_rows(all_.handle()); }
    class port {
        plain_pieces const& all_;
        chunk_cut cut_;
        std::optional<decltype(plain_piece(std::declval<P const&>(), slice{}))> piece_;

    public:
        port(plain_pieces const& a, context& c) : all_(a), cut_(a.rows()) { c.assume_constant(&piece_, sizeof piece_); }
        void enter(std::size_t i) { piece_.emplace(plain_piece<P>(all_.all_.handle(), {cut_.first(i), cut_.last(i)})); }
        auto const& handle() const { return *piece_; }
    };
};
template <class X, bool Again>
    requires plain_array<std::unwrap_reference_t<X>>
class plain_pieces<X, Again> {
    using P = std::remove_const_t<std::unwrap_reference_t<X>>;
    using T = std::remove_const_t<typename P::value_type>;
    using kind = row_of_constants<T, typename primal_of<T, rank_of<P>>::type>;
    held_constant<X, Again> all_;

public:
    plain_pieces(X const& x, context& c) : all_(loop_constant_source<X>{x, c}) {}
    std::size_t rows() const { return count_rows(all_.handle()); }
    class port {
        chunk_cut cut_;
        decltype(as_constant_array<T>(std::declval<P const&>(), std::declval<context&>())) array_;
        block copy_;
        T const* data_ = nullptr;
        std::size_t of_row_ = 0;
        typename kind::shape shape_{};
        typename kind::type piece_{};
        static P const& stays(plain_pieces const& a, context& c) {
            P const& x = a.all_.handle();
            c.assume_constant(std::addressof(x), sizeof x);
            return x;
        }

    public:
        port(plain_pieces const& all, context& c) : cut_(all.rows()), array_(as_constant_array<T>(stays(all, c), c)) {
            auto const a = array_.source();
            std::size_t const count = element_count(a.shape);
            of_row_ = cut_.items == 0 ? 0 : count / cut_.items;
            if (is_contiguous(a.shape, a.stride)) data_ = a.data;
            else {
                copy_.renew(c, count * sizeof(T));
                T* const to = static_cast<T*>(copy_.get());
                for_each_element(a, [to](std::size_t i, T const& v) { to[i] = v; });
                data_ = to;
            }
            if constexpr (rank_of<P> == dynamic_rank) shape_.resize(static_cast<std::size_t>(a.shape.rank()));
            for (int d = 0; d < a.shape.rank(); ++d) shape_[static_cast<std::size_t>(d)] = a.shape[d];
            c.assume_constant(&piece_, sizeof piece_);
        }
        void enter(std::size_t i) {
            shape_[0] = cut_.last(i) - cut_.first(i);
            piece_.emplace(typename kind::storage(const_cast<T*>(data_) + cut_.first(i) * of_row_, shape_[0] * of_row_), shape_);
        }
        auto const& handle() const { return *piece_; }
    };
};
template <class X, class M, class L, bool Again>
    requires(!holds_active<std::remove_cvref_t<X>>)
class parallel_items<row_slices<X>, M, L, Again> {
    using pieces = plain_pieces<std::remove_cvref_t<X>, Again>;
    pieces all_;

public:
    parallel_items(row_slices<X> const& s, context& c) : all_(s.x, c) {}
    std::size_t cut_rows() const { return all_.rows(); }
    std::size_t size() const { return chunk_cut(cut_rows()).count; }
    class port : public pieces::port {
    public:
        port(parallel_items& a, context& c) : pieces::port(a.all_, c) {}
        template <class G>
        void leave(G const&) {}
        bool is_owed() const { return false; }
    };
    void merge(port const&) {}
    void forget() noexcept {}
    template <class G>
    void give(G const&) noexcept {}
};

}
XGRAD_DETAIL_QUIET_END
