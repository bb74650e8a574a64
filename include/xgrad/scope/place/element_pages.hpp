// Defines element_pages<T, R>: those elements of an array variable that a function has taken one by one, each at an address that stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include <xgrad/scope/place/element.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The place in memory of element i, in row-major order.
template <class Slot>
std::ptrdiff_t place_of_element(Slot const& s, std::size_t i) noexcept {
    if (s.contiguous) return static_cast<std::ptrdiff_t>(i);
    std::ptrdiff_t at = 0;
    for (int d = s.shape.rank() - 1; d >= 0; --d) {
        at += static_cast<std::ptrdiff_t>(i % s.shape[d]) * s.stride[d];
        i /= s.shape[d];
    }
    return at;
}

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
        element_type*& page = pages()[i / page_size];
        if (!page) [[unlikely]] make_page(base, i / page_size, page);
        return page[i % page_size];
    }
    element_type const* find(std::size_t i) const noexcept {
        if (!directory_) return nullptr;
        element_type const* const page = pages()[i / page_size];
        return page ? page + i % page_size : nullptr;
    }
    // f(i, element) for each that is not what lies in the slot of the whole.
    template <class F>
    void each_changed(slot_type const& base, F f) const {
        each([&](std::size_t i, element_type const& e) {
            if (!e.lies_at(&base, place_of_element(base, i))) f(i, e);
        });
    }
    // The array has another value, as many elements of it: references to elements stay.
    void rebase(slot_type& base) noexcept {
        if (!directory_) return;
        if (directory_->size != base.size) return release();
        each([&](std::size_t i, element_type& e) { e = element_type(&base, place_of_element(base, i)); });
    }
    void release() noexcept {
        directory* const d = std::exchange(directory_, nullptr);
        if (!d) return;
        for (std::size_t k = 0; k < d->pages(); ++k)
            if (element_type* const page = d->first()[k]) {
                std::destroy_n(page, d->length_of_page(k));
                d->owner->memory.give(page, d->length_of_page(k) * sizeof(element_type));
            }
        d->owner->memory.give(d, d->bytes());
    }

private:
    static constexpr std::size_t page_size = 64;
    struct directory {
        context* owner;
        std::size_t size;
        std::size_t pages() const noexcept { return (size + page_size - 1) / page_size; }
        std::size_t length_of_page(std::size_t k) const noexcept { return std::min(page_size, size - k * page_size); }
        std::size_t bytes() const noexcept { return sizeof(directory) + pages() * sizeof(element_type*); }
        element_type** first() noexcept { return reinterpret_cast<element_type**>(this + 1); }
    };
    directory* directory_ = nullptr;

    XGRAD_DETAIL_INLINE element_type** pages() const noexcept { return directory_->first(); }
    template <class F>
    void each(F f) const {
        if (!directory_) return;
        for (std::size_t k = 0; k < directory_->pages(); ++k)
            if (element_type* const page = pages()[k])
                for (std::size_t i = 0; i < directory_->length_of_page(k); ++i) f(k * page_size + i, page[i]);
    }
    [[gnu::noinline]] void make_directory(slot_type& base) {
        directory const d{base.owner, base.size};
        directory_ = new (base.owner->memory.take(d.bytes())) directory(d);
        std::fill_n(pages(), d.pages(), nullptr);
    }
    [[gnu::noinline]] void make_page(slot_type& base, std::size_t k, element_type*& page) {
        std::size_t const n = directory_->length_of_page(k);
        page = static_cast<element_type*>(directory_->owner->memory.take(n * sizeof(element_type)));
        for (std::size_t i = 0; i < n; ++i) new (page + i) element_type(&base, place_of_element(base, k * page_size + i));
    }
};

}

}
XGRAD_DETAIL_QUIET_END
