// Defines chunk_cut, how a range is cut, and run_chunks: chunks on several threads, whose results are merged one by one in the order of the range.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <xgrad/parallel/blas_threads.hpp>
#include <xgrad/parallel/executor.hpp>

namespace xgrad::detail {

// By its size alone: the same for any number of threads, and so is the order in which everything is added.
struct chunk_cut {
    static constexpr std::size_t most = 64;
    std::size_t items, of_one, count;
    // In at most so many chunks, each but the last of a multiple of `grain` items.
    explicit chunk_cut(std::size_t n, std::size_t chunks = most, std::size_t grain = 1) noexcept
        : items(n), of_one(((n + chunks - 1) / chunks + grain - 1) / grain * grain), count(n == 0 ? 0 : (n + of_one - 1) / of_one) {}
    std::size_t first(std::size_t k) const noexcept { return k * of_one; }
    std::size_t last(std::size_t k) const noexcept { return std::min(items, (k + 1) * of_one); }
    std::string words() const { return std::to_string(items) + " items in " + std::to_string(count) + (count == 1 ? " chunk" : " chunks"); }
};

// Which chunk is next, and whose turn it is to merge. Each worker has one chunk at a time, so that no more than one for each waits.
class chunk_queue {
public:
    explicit chunk_queue(std::size_t chunks) noexcept : count_(chunks) {}
    // The next chunk, if there is one: chunks are begun in their order.
    bool take(std::size_t& k) noexcept {
        k = next_.fetch_add(1, std::memory_order_relaxed);
        return k < count_ && k < failed_.load(std::memory_order_relaxed);
    }
    // Returns when all chunks before this one are merged; false if one of them has failed. Then done() is to be called.
    bool wait(std::size_t k) noexcept {
        // The one before is nearly always at its end, and to sleep takes longer than many chunks; it may have no processor, and then is given this one.
        for (int i = 0; i < 1000; ++i) {
            if (merged_.load(std::memory_order_acquire) == k) return true;
            if (failed_.load(std::memory_order_relaxed) < k) return false;
            if (i < 500) pause();
            else std::this_thread::yield();
        }
        std::unique_lock lock(mutex_);
        ++asleep_;
        turn_.wait(lock, [&] { return merged_.load() == k || failed_.load() < k; });
        --asleep_;
        return merged_.load(std::memory_order_acquire) == k;
    }
    void done(std::size_t k) noexcept {
        // who is about to sleep has said so before it looks for the last time
        merged_.store(k + 1);
        if (asleep_.load() == 0) return;
        { std::lock_guard const lock(mutex_); }
        turn_.notify_all();
    }
    // Chunks before it still run: the first exception in the order of the range is the one that is seen.
    void fail(std::size_t k, std::exception_ptr e) noexcept {
        {
            std::lock_guard const lock(mutex_);
            if (k < failed_.load(std::memory_order_relaxed)) {
                failed_.store(k, std::memory_order_relaxed);
                error_ = std::move(e);
            }
        }
        turn_.notify_all();
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    std::size_t const count_;
    std::atomic<std::size_t> next_{0}, merged_{0}, failed_{std::numeric_limits<std::size_t>::max()};
    std::atomic<int> asleep_{0};
    std::mutex mutex_;
    std::condition_variable turn_;
    std::exception_ptr error_;
};

// Up to so many bytes of what chunks have found lie apart, chunk by chunk, and are added up in the end: then no worker waits for another, which may have no
// processor at the time. More lies in one place for each worker, and is added up in turn.
inline constexpr std::size_t most_bytes_apart = 65536;

// How many workers an executor gives so many chunks.
template <class E>
std::size_t workers_for(E const& e, std::size_t chunks) {
    if (is_in_parallel) return 1;
    return std::clamp<std::size_t>(std::min<std::size_t>(e.threads(), chunks), 1, chunk_cut::most);
}

// work(q, w) by each of so many workers, which takes chunks from the queue q until there are none. It tells q of exceptions; the first is thrown again.
template <class E, class Work>
void run_chunks(E const& e, std::size_t workers, std::size_t chunks, Work const& work) {
    chunk_queue q(chunks);
    auto task = [&](std::size_t w) noexcept {
        bool const before = std::exchange(is_in_parallel, true);
        work(q, w);
        is_in_parallel = before;
    };
    // BLAS may round otherwise on several threads of its own, so it has one on one worker, too
    if (is_in_parallel) task(0);
    else {
        single_blas_thread const single;
        if (workers == 1) task(0);
        else e.run(workers, task_ref(task));
    }
    q.rethrow();
}

}
