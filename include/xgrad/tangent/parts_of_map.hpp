// parts of std::map, std::unordered_map and maps of their form: the mapped values. The keys are those of the primal.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/unequal.hpp>

namespace xgrad {

namespace detail {

template <class C, class A>
concept associative = std::is_same_v<typename C::allocator_type, A> && requires(C& c, typename C::key_type const& key) {
    typename C::mapped_type;
    c.find(key)->second;
    c.at(key);
};

template <class Map, class K>
constexpr auto& mapped(Map& map, K const& key) {
    auto at = map.find(key);
    if (at == map.end()) unequal("keys", "a key", "none like it");
    return at->second;
}

template <class C>
inline constexpr bool is_hashed = requires(C const& c) {
    c.bucket_count();
    c.hash_function();
    c.key_eq();
    c.max_load_factor();
};

template <class P>
struct parts_of_map : one_part<P, identified::by_address> {
    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        require_equal_sizes(x, rest...);
        for (auto& [key, value] : x) f(value, mapped(rest, key)...);
    }
    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        require_equal_sizes(x, rest...);
        if constexpr (is_hashed<std::remove_cvref_t<X>>) {
            // put in from the last to the first, into as many buckets: then it has the order of x
            std::vector<std::pair<typename M::key_type, typename M::mapped_type>> made;
            made.reserve(x.size());
            for (auto& [key, value] : x) made.emplace_back(key, f(value, mapped(rest, key)...));
            M m(x.bucket_count(), x.hash_function(), x.key_eq());
            m.max_load_factor(x.max_load_factor());
            for (auto at = made.rbegin(); at != made.rend(); ++at) m.insert(std::move(*at));
            return m;
        } else {
            M m = [&x] {
                if constexpr (requires { M(x.key_comp()); }) return M(x.key_comp());
                else return M();
            }();
            for (auto& [key, value] : x) m.emplace_hint(m.end(), key, f(value, mapped(rest, key)...));
            return m;
        }
    }
};

template <class A, class K, class T>
using map_allocator = typename std::allocator_traits<A>::template rebind_alloc<std::pair<K const, T>>;

}  // namespace detail

template <template <class, class, class, class> class C, class K, class P, class Compare, class A>
    requires detail::associative<C<K, P, Compare, A>, A>
struct parts<C<K, P, Compare, A>> : detail::parts_of_map<P> {
    template <class Fn, class T = typename Fn::template type<P>>
    using rebind = C<K, T, Compare, detail::map_allocator<A, K, T>>;
};

template <template <class, class, class, class, class> class C, class K, class P, class Hash, class Equal, class A>
    requires detail::associative<C<K, P, Hash, Equal, A>, A>
struct parts<C<K, P, Hash, Equal, A>> : detail::parts_of_map<P> {
    template <class Fn, class T = typename Fn::template type<P>>
    using rebind = C<K, T, Hash, Equal, detail::map_allocator<A, K, T>>;
};

}  // namespace xgrad
