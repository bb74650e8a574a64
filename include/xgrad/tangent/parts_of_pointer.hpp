// parts of std::unique_ptr, std::shared_ptr, std::reference_wrapper and P*: the object pointed to, if there is one.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <type_traits>

#include <xgrad/tangent/nested_owner.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/unequal.hpp>

namespace xgrad {

namespace detail {

template <class P>
constexpr P& pointee(std::reference_wrapper<P> const& x) {
    return x.get();
}
template <class X>
constexpr auto& pointee(X const& x) {
    return *x;
}

template <class P>
constexpr bool is_there(std::reference_wrapper<P> const&) {
    return true;
}
template <class X>
constexpr bool is_there(X const& x) {
    return x != nullptr;
}

template <class M>
inline constexpr bool owns = false;
template <class T>
inline constexpr bool owns<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool owns<std::shared_ptr<T>> = true;

template <class T>
inline constexpr bool is_shared_owner<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool is_shared_owner<std::reference_wrapper<T>> = true;

template <class M>
[[noreturn]] constexpr void refuse_to_own() {
    static_assert(owns<M>,
                  "xgrad[E006]: zero_tangent(x) and its like require 'x' to own what it refers to (a raw pointer, a span, a view does not): "
                  "make the shadow's storage yourself and point to it, or let 'x' hold a std::shared_ptr or std::reference_wrapper");
    std::abort();
}

template <class P, identified I, bool Shared>
struct parts_of_pointer : one_part<P, I, false> {
    template <class F, class X, class... Rest>
    static constexpr void each(F&& f, X&& x, Rest&&... rest) {
        require_equal_presence(is_there(x), is_there(rest)...);
        if (!is_there(x)) return;
        if constexpr (Shared && requires { f.objects; })
            if (f.objects && !f.objects->entry(&pointee(x)).second) return;
        nested_owner const here;
        f(pointee(x), pointee(rest)...);
    }

    template <class M, class F, class X, class... Rest>
    static constexpr M make(F&& f, X&& x, Rest&&... rest) {
        if constexpr (owns<M>)
            return make_owner<M>(f, x, rest...);
        else
            refuse_to_own<M>();
    }

private:
    template <class M, class F, class X, class... Rest>
    static constexpr M make_owner(F& f, X& x, Rest&... rest) {
        require_equal_presence(is_there(x), is_there(rest)...);
        if (!is_there(x)) return M(nullptr);
        using T = typename M::element_type;
        nested_owner const here;
        if constexpr (Shared && requires { f.objects; }) {
            if (f.objects) {
                // Not a reference into the table: making the object may add entries.
                if (auto known = f.objects->entry(&pointee(x)).first) return M(std::static_pointer_cast<T>(known));
                M made(new T(f(pointee(x), pointee(rest)...)));
                f.objects->entry(&pointee(x)).first = made;
                return made;
            }
        }
        return M(new T(f(pointee(x), pointee(rest)...)));
    }
};

template <class P>
inline constexpr bool is_data_pointer = std::is_object_v<P> && !std::is_same_v<std::remove_cv_t<P>, char>;

}  // namespace detail

template <class P, class D>
    requires(!std::is_array_v<P>)
struct parts<std::unique_ptr<P, D>> : detail::parts_of_pointer<P, identified::by_address, false> {
    template <class Fn>
    using rebind = std::unique_ptr<typename Fn::template type<P>>;
};

template <class P>
    requires(!std::is_array_v<P>)
struct parts<std::shared_ptr<P>> : detail::parts_of_pointer<P, identified::by_handle, true> {
    template <class Fn>
    using rebind = std::shared_ptr<typename Fn::template type<P>>;
};

// Its shadow is owned by the tangents that share it.
template <class P>
struct parts<std::reference_wrapper<P>> : detail::parts_of_pointer<P, identified::by_handle, true> {
    template <class Fn>
    using rebind = std::shared_ptr<typename Fn::template type<P>>;
};

template <class P>
    requires detail::is_data_pointer<P>
struct parts<P*> : detail::parts_of_pointer<P, identified::by_handle, false> {
    template <class Fn>
    using rebind = typename Fn::template type<P>*;
    static constexpr bool may_collapse = !std::is_class_v<P>;
};

}  // namespace xgrad
