// Defines element_pages<T, R>: those elements of an array variable that a function has taken one by one, each at an address that stays.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <xgrad/scope/place/element.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Pages of a few elements each, in the workspace, made when one of theirs is taken: an array of which few elements are taken has few.
template <class T, class R>
class element_pages {
public:
    using element_type = element<T, R>;
    using slot_type = slot<T, R>;

    element_pages() = default;
    element_pages(element_pages&& o) noexcept : directory_(std::exchange(o.directory_, nullptr)) {}
    element_pages& operator=(element_pages&& o) noexcept {
        std::swap(directory_, o.directory_);
        return *this;
    }
    ~element_pages() { release(); }

    bool exist() const noexcept { return directory_ != nullptr; }
    // The i-th element, in row-major order. Throws std::bad_alloc.
    XGRAD_DETAIL_INLINE element_type& at(slot_type& base, std::size_t i) {
        if (!directory_) [[unlikely]] make_directory(base);
        page*& p = directory_->first()[i / page_size];
        if (!p) [[unlikely]] make_page(i / page_size, p);
        return p->elements()[i % page_size];
    }
    element_type const* find(std::size_t i) const noexcept {
        if (!directory_) return nullptr;
        page const* const p = directory_->first()[i / page_size];
        return p ? p->elements() + i % page_size : nullptr;
    }
    // How many were assigned to, and f(i, element) for each of them.
    std::size_t changed() const noexcept {
        std::size_t n = 0;
        for (page const* p = directory_ ? directory_->changed : nullptr; p; p = p->next) n += static_cast<std::size_t>(std::popcount(p->changed));
        return n;
    }
    template <class F>
    void each_changed(F f) const {
        for (page* p = directory_ ? directory_->changed : nullptr; p; p = p->next)
            for (std::uint64_t bits = p->changed; bits != 0; bits &= bits - 1) {
                auto const k = static_cast<std::size_t>(std::countr_zero(bits));
                f(p->begin + k, p->elements()[k]);
            }
    }
    // The array has another value, as many elements of it: references to elements stay.
    void rebase(slot_type& base) noexcept {
        if (!directory_) return;
        if (directory_->size != base.size) return release();
        directory_->base = &base;
        each_changed([&](std::size_t i, element_type& e) { e.become_place(directory_, i); });
        for (page* p = std::exchange(directory_->changed, nullptr); p; p = std::exchange(p->next, nullptr)) p->changed = 0;
    }
    // What was read of elements that are where they were.
    interval read() const noexcept { return directory_ ? directory_->read : interval(); }
    void forget_read() const noexcept {
        if (directory_) directory_->read = {};
    }
    void release() noexcept {
        if (!directory_) return;
        each_changed([](std::size_t, element_type& e) { e.~element_type(); });
        directory* const d = std::exchange(directory_, nullptr);
        for (std::size_t k = 0; k < d->pages(); ++k)
            if (page* const p = d->first()[k]) d->owner->memory.give(p, page::bytes(d->length_of_page(k)));
        d->owner->memory.give(d, d->bytes());
    }

private:
    static constexpr std::size_t page_size = 64;
    struct page {
        std::uint64_t changed;  // a bit for each element
        page* next;             // of those that have changed
        std::size_t begin;
        element_type* elements() noexcept { return reinterpret_cast<element_type*>(this + 1); }
        element_type const* elements() const noexcept { return reinterpret_cast<element_type const*>(this + 1); }
        static constexpr std::size_t bytes(std::size_t n) noexcept { return sizeof(page) + n * sizeof(element_type); }
    };
    struct directory : place_root<T, R> {
        context* owner;
        std::size_t size;
        page* changed;
        std::size_t pages() const noexcept { return (size + page_size - 1) / page_size; }
        std::size_t length_of_page(std::size_t k) const noexcept { return std::min(page_size, size - k * page_size); }
        std::size_t bytes() const noexcept { return sizeof(directory) + pages() * sizeof(page*); }
        page** first() noexcept { return reinterpret_cast<page**>(this + 1); }
    };
    directory* directory_ = nullptr;

    static void mark(place_root<T, R>& r, std::size_t i) noexcept {
        auto& d = static_cast<directory&>(r);
        page* const p = d.first()[i / page_size];
        if (p->changed == 0) {
            p->next = d.changed;
            d.changed = p;
        }
        p->changed |= std::uint64_t{1} << i % page_size;
    }
    [[gnu::noinline]] void make_directory(slot_type& base) {
        directory const d{{&base, {}, &mark}, base.owner, base.size, nullptr};
        directory_ = new (base.owner->memory.take(d.bytes())) directory(d);
        std::fill_n(directory_->first(), d.pages(), nullptr);
    }
    [[gnu::noinline]] void make_page(std::size_t k, page*& p) {
        std::size_t const n = directory_->length_of_page(k), begin = k * page_size;
        p = new (directory_->owner->memory.take(page::bytes(n))) page{0, nullptr, begin};
        for (std::size_t i = 0; i < n; ++i) new (p->elements() + i) element_type(directory_, begin + i);
    }
};

}

}
XGRAD_DETAIL_QUIET_END
