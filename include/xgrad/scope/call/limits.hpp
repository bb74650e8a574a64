// Defines std::numeric_limits of variables, and says that other active values have none.
#pragma once

#include <concepts>
#include <limits>

#include <xgrad/scope/call/variable.hpp>

XGRAD_DETAIL_QUIET_BEGIN
// The limits of a variable are those of its elements, as plain constants. What is not a number of its own has none.
template <class P>
    requires(xgrad::variable<P>::rank == 0)
class std::numeric_limits<xgrad::variable<P>> : public std::numeric_limits<xgrad::scalar_of_t<P>> {};
template <xgrad::active E>
    requires std::same_as<E, std::remove_cv_t<E>>
class std::numeric_limits<E> : public std::numeric_limits<xgrad::scalar_of_t<typename E::value_type>> {
    static_assert(xgrad::detail::never<E>,
                  "xgrad[E135]: std::numeric_limits<T> requires for T a number or an xgrad::variable of one, but T is the type of a formula or a handle: take "
                  "that of T::value_type");
};
XGRAD_DETAIL_QUIET_END
