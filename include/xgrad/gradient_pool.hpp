// Defines gradient_pool: prepared gradients of one function, which several threads may call at once.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <xgrad/gradient.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Prepared gradients of one function. A call takes one that is free, or makes one: there are as many as calls have run at once, and each keeps its memory. All
// of it may be called by several threads at once, and by f itself; f runs in several calls at once.
//   auto const pool = xgrad::make_gradient_pool(loss, theta, xgrad::constant(data));
//   auto [value, gradient] = pool(theta, xgrad::constant(data));
template <class G>
class gradient_pool {
public:
    using result_type = typename G::result_type;
    explicit gradient_pool(G prototype) : prototype_(std::move(prototype)) {}
    gradient_pool(gradient_pool const&) = delete;
    gradient_pool& operator=(gradient_pool const&) = delete;

    // A copy of {value, gradient}. Throws what the gradient throws.
    template <class... X>
    result_type operator()(X const&... x) const {
        return call([](result_type const& r) { return r; }, x...);
    }
    // What use(r) returns, where r is {value, gradient}, which is the pool's own again afterwards: nothing is copied, and nothing allocated once there are as
    // many as calls run at once. Throws what the gradient and use throw.
    template <class Use, class... X>
    decltype(auto) call(Use&& use, X const&... x) const {
        lease const mine(*this);
        return std::forward<Use>(use)((*mine.g)(x...));
    }
    // How many there are.
    std::size_t size() const {
        std::lock_guard const lock(mutex_);
        return all_;
    }
    // Gives the memory of those back that no call uses.
    void release_workspaces() const {
        std::lock_guard const lock(mutex_);
        for (auto const& g : free_) g->release_workspace();
    }

private:
    G const prototype_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<G>> free_;
    mutable std::size_t all_ = 0;

    struct lease {
        gradient_pool const& pool;
        std::unique_ptr<G> g;
        explicit lease(gradient_pool const& p) : pool(p) {
            std::lock_guard const lock(p.mutex_);
            if (p.free_.empty()) {
                p.free_.reserve(p.all_ + 1);  // so that giving back cannot fail
                g = std::make_unique<G>(p.prototype_);
                ++p.all_;
            } else {
                g = std::move(p.free_.back());
                p.free_.pop_back();
            }
        }
        lease(lease const&) = delete;
        ~lease() {
            std::lock_guard const lock(pool.mutex_);
            pool.free_.push_back(std::move(g));
        }
    };
};

// The pool for arguments like these; f and x... are those of prepare_gradient, and f can be copied.
template <class F, class... X>
auto make_gradient_pool(F&& f, X const&... x) {
    return gradient_pool(prepare_gradient(std::forward<F>(f), x...));
}

}
XGRAD_DETAIL_QUIET_END
