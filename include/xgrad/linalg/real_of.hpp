// Defines real_of(x): a result that is real, of complex operands, too.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/complex.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>

namespace xgrad {

namespace detail {

template <class E>
auto real_of(E&& e) {
    if constexpr (linalg::is_complex<typename std::remove_cvref_t<E>::value_type>) return spelling::real(std::forward<E>(e));
    else return std::forward<E>(e);
}

}

}
