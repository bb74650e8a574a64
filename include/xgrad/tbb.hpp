// Defines tbb_threads, the executor on oneTBB: for programs that link xgrad::parallel.
#pragma once

#include <cstddef>
#include <memory>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <xgrad/parallel/executor.hpp>

namespace xgrad {

// The threads of the arena that the caller is in, all those of the machine if nothing else is said; or at most n of them, in an arena of its own, which its
// copies share.
class tbb_threads {
public:
    tbb_threads() = default;
    explicit tbb_threads(int n) : arena_(std::make_shared<tbb::task_arena>(n)) { arena_->initialize(); }
    std::size_t threads() const { return static_cast<std::size_t>(arena_ ? arena_->max_concurrency() : tbb::this_task_arena::max_concurrency()); }
    void run(std::size_t n, task_ref t) const {
        // A task may wait for another one that has begun: what it waits for itself must not take up a third on top of it.
        auto all = [n, t] {
            tbb::parallel_for(
                std::size_t(0), n, [t](std::size_t i) { tbb::this_task_arena::isolate([t, i] { t(i); }); }, tbb::simple_partitioner());
        };
        if (arena_) arena_->execute(all);
        else all();
    }

private:
    std::shared_ptr<tbb::task_arena> arena_;
};
static_assert(executor<tbb_threads>);

}
