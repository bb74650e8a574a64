// Defines single_blas_thread: as long as one of them lives, the BLAS library computes on the thread that calls it.
#pragma once

#include <mutex>

// What OpenBLAS has for it, in a program that links it.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int);
extern "C" [[gnu::weak]] int openblas_get_num_threads();

namespace xgrad::detail {

// The number of threads is one for the whole process: the first changes it, and the last gives back what was there.
class single_blas_thread {
public:
    single_blas_thread() {
        if (!openblas_set_num_threads || !openblas_get_num_threads) return;
        std::lock_guard const lock(mutex_);
        if (count_++ != 0) return;
        before_ = openblas_get_num_threads();
        if (before_ != 1) openblas_set_num_threads(1);
    }
    single_blas_thread(single_blas_thread const&) = delete;
    single_blas_thread& operator=(single_blas_thread const&) = delete;
    ~single_blas_thread() {
        if (!openblas_set_num_threads || !openblas_get_num_threads) return;
        std::lock_guard const lock(mutex_);
        if (--count_ == 0 && before_ != 1) openblas_set_num_threads(before_);
    }

private:
    inline static std::mutex mutex_;
    inline static int count_ = 0, before_ = 1;
};

}
