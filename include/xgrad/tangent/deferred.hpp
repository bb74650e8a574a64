// deferred<T>: a cotangent that is not there yet, but knows how to be made, and perhaps how to be added to another.
#pragma once

#include <type_traits>

namespace xgrad {

// It has value(), and may have add_to(xbar).
template <class T>
concept deferred = requires { typename std::remove_cvref_t<T>::xgrad_deferred; };

}  // namespace xgrad
