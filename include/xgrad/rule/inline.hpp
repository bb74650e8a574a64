// Defines what is told to compilers, XGRAD_DETAIL_INLINE and _LAMBDA, which must melt into their callers, _KERNEL, _MELT and _QUIET; and _ADDRESS_SANITIZER.
#pragma once

#if __cplusplus < 202002L
#    error "xgrad requires C++20: compile with -std=c++20"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#    error "xgrad requires clang 16 or later, but this is an older one: compile with clang++-16, or with g++ 12 or later"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#    error "xgrad requires g++ 12 or later, but this is an older one: compile with g++-12, or with clang++ 16 or later"
#elif !defined(__cpp_exceptions)
#    error "xgrad requires exceptions, by which it says that shapes do not fit, but they are switched off: compile without -fno-exceptions"
#elif defined(min) || defined(max)
#    error "xgrad requires that min and max are functions, but they are macros: define NOMINMAX before <windows.h>, or #undef both before <xgrad/xgrad.hpp>"
#endif

#if defined(__SANITIZE_ADDRESS__)
#    define XGRAD_DETAIL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define XGRAD_DETAIL_ADDRESS_SANITIZER
#    endif
#endif

// Not where nothing is optimised, and not under the address sanitizer: there it only costs compile time and space.
#if !defined(XGRAD_DETAIL_PLAIN_INLINE) && (defined(XGRAD_DETAIL_ADDRESS_SANITIZER) || !defined(__OPTIMIZE__) || !defined(__GNUC__))
#    define XGRAD_DETAIL_PLAIN_INLINE
#endif

#ifdef XGRAD_DETAIL_PLAIN_INLINE
#    define XGRAD_DETAIL_INLINE inline
#    define XGRAD_DETAIL_LAMBDA
#    define XGRAD_DETAIL_KERNEL
#    define XGRAD_DETAIL_MELT inline
#    define XGRAD_DETAIL_MELT_LAMBDA
#    undef XGRAD_DETAIL_PLAIN_INLINE
#else
#    define XGRAD_DETAIL_INLINE __attribute__((always_inline)) inline
#    define XGRAD_DETAIL_LAMBDA __attribute__((always_inline))
// a kernel takes in all that it calls, the SIMD functions too, however many kernels a unit has
#    define XGRAD_DETAIL_KERNEL __attribute__((flatten))
// what stands between a kernel and the user's function that it calls (the order defect, below)
#    ifdef __clang__
#        define XGRAD_DETAIL_MELT XGRAD_DETAIL_INLINE
#        define XGRAD_DETAIL_MELT_LAMBDA XGRAD_DETAIL_LAMBDA
#    else
#        define XGRAD_DETAIL_MELT inline
#        define XGRAD_DETAIL_MELT_LAMBDA
#    endif
#endif

// Six defects of compilers decide how code on the way of numbers is written, and are called by these names where it is. None makes a result wrong; each keeps
// in memory what a register could hold, which shows as loads and stores in the assembly of perf/run/fixed.cpp and perf/run/bundle_adjustment.cpp.
//   the union defect     g++ takes the numbers in a union, or beside one, or in members that overlap, for what may be addresses (its points-to analysis goes by
//                        whole objects), so that a store through any pointer ends what it knows of them; a pointer between them and the union keeps them apart
//   the state defect     g++ follows the members of a small object, but not what a state word beside them says of those that are alive
//   the const defect     g++ keeps const variables of class type in memory
//   the address defect   clang loses sight of an object whose address is compared, or copied as an integer, as trivial copies are
//   the split defect     g++ moves what a function does on one side of a condition into a function of its own, and then takes neither in where all is to be
//                        taken in, unless it is told that this side is the usual one
//   the order defect     g++ brings functions into an order, callees first, that leaves out what functions that are always inlined call: a kernel may come
//                        before the user's function that it calls by way of such a one, and then takes it in too late, without what that calls in turn
#if defined(__GNUC__)
#    define XGRAD_DETAIL_USUALLY(condition) __builtin_expect_with_probability(condition, 1, 0.99)
#else
#    define XGRAD_DETAIL_USUALLY(condition) (condition)
#endif
// Between BEGIN and END g++ is silent about what is no fault: it does not see that a state word says which members are alive, and it takes the
// parameter of a generic lambda for the namesake of what a user declares after the include (test/rule/quiet.cpp has the defect in four lines).
#if defined(__GNUC__) && !defined(__clang__)
#define XGRAD_DETAIL_QUIET_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"") \
        _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#    define XGRAD_DETAIL_QUIET_END _Pragma("GCC diagnostic pop")
#else
#    define XGRAD_DETAIL_QUIET_BEGIN
#    define XGRAD_DETAIL_QUIET_END
#endif
