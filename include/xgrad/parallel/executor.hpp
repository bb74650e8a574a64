// Defines executor, what runs tasks on threads, serial, openmp_threads and use_executor, which says what the parallel verbs of a thread run on.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace xgrad {

// Refers to what a task is: task(i) runs the i-th, and does not throw.
class task_ref {
public:
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, task_ref>)
    task_ref(F& f) noexcept : f_(const_cast<void*>(static_cast<void const*>(&f))), call_([](void* p, std::size_t i) noexcept { (*static_cast<F*>(p))(i); }) {}
    void operator()(std::size_t i) const noexcept { call_(f_, i); }

private:
    void* f_;
    void (*call_)(void*, std::size_t) noexcept;
};

// What runs tasks: a type of the program's own will do.
//   e.threads()    how many tasks may run at once, at least 1
//   e.run(n, t)    calls t(0), ..., t(n - 1), each once, on whatever threads and in whatever order, and returns when all of them have returned. A task may
//                  wait for tasks that have begun, never for one that has not. Where it throws, no task runs any more.
// It is copied, and so should be cheap to copy.
template <class E>
concept executor = std::copy_constructible<E> && requires(E const& e, std::size_t n, task_ref t) {
    { e.threads() } -> std::convertible_to<std::size_t>;
    e.run(n, t);
};

// The thread that calls.
struct serial {
    static std::size_t threads() noexcept { return 1; }
    static void run(std::size_t n, task_ref t) noexcept {
        for (std::size_t i = 0; i < n; ++i) t(i);
    }
};

#ifdef _OPENMP
// The threads of OpenMP, in a program that is compiled with it: n of them, or as many as it takes by itself.
class openmp_threads {
public:
    explicit openmp_threads(int n = 0) noexcept : n_(n) {}
    std::size_t threads() const noexcept { return static_cast<std::size_t>(n_ > 0 ? n_ : omp_get_max_threads()); }
    void run(std::size_t n, task_ref t) const noexcept {
        int const count = static_cast<int>(n);
#pragma omp parallel for num_threads(static_cast<int>(threads())) schedule(dynamic, 1)
        for (int i = 0; i < count; ++i) t(static_cast<std::size_t>(i));
    }

private:
    int n_;
};
#endif

namespace detail {

// An executor of any type, where it is.
struct executor_ref {
    void const* e = nullptr;
    std::size_t (*threads_of)(void const*) = [](void const*) { return std::size_t(1); };
    void (*run_of)(void const*, std::size_t, task_ref) = [](void const*, std::size_t n, task_ref t) { serial::run(n, t); };

    executor_ref() = default;
    template <class E>
    explicit executor_ref(E const* p)
        : e(p), threads_of([](void const* q) { return static_cast<std::size_t>(static_cast<E const*>(q)->threads()); }),
          run_of([](void const* q, std::size_t n, task_ref t) { static_cast<E const*>(q)->run(n, t); }) {}
};
inline thread_local executor_ref executor_of_thread{};
// Whether this thread runs a part of a parallel verb: what it calls runs on it alone.
inline constinit thread_local bool is_in_parallel = false;

}

// What the parallel verbs of this thread run on until it goes out of scope, where no executor is passed to them: in the beginning on this thread alone.
//   xgrad::tbb_threads const threads;
//   xgrad::use_executor const scope(threads);
//   auto g = xgrad::gradient(loss, theta);
// It stands around the gradient call, not inside of the function, and refers to the executor.
class use_executor {
public:
    template <executor E>
    explicit use_executor(E const& e) : before_(std::exchange(detail::executor_of_thread, detail::executor_ref(&e))) {}
    template <executor E>
    explicit use_executor(E const&&) = delete;
    use_executor(use_executor const&) = delete;
    use_executor& operator=(use_executor const&) = delete;
    ~use_executor() { detail::executor_of_thread = before_; }

private:
    detail::executor_ref before_;
};

// The executor that use_executor has chosen, on the thread that asks.
struct current_executor {
    static std::size_t threads() { return detail::executor_of_thread.threads_of(detail::executor_of_thread.e); }
    static void run(std::size_t n, task_ref t) { detail::executor_of_thread.run_of(detail::executor_of_thread.e, n, t); }
};

}
