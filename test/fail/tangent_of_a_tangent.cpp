// error: xgrad[E013]: check_tangent_types<P> requires tangent_type_t<tangent_type_t<P>> to be tangent_type_t<P>
#include <array>

#include <xgrad/check_tangent.hpp>

// A container of one's own, whose form is told wrongly: the tangent of its tangent is yet another type.
template <class P>
struct box {
    P inside;
};
template <class P>
struct xgrad::parts<box<P>> {
    using types = type_list<P>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    template <class F, class... X>
    static void each(F&& f, X&&... x) {
        f(x.inside...);
    }
    template <class M, class F, class... X>
    static M make(F&& f, X&&... x) {
        return M{f(x.inside...)};
    }
#ifdef XGRAD_MUST_FAIL
    template <class Fn>
    using rebind = std::array<box<typename Fn::template type<P>>, 1>;
#else
    template <class Fn>
    using rebind = box<typename Fn::template type<P>>;
#endif
};
static_assert(xgrad::check_tangent_types<box<double>>());
