// Defines table_of, what a tabulation holds of arrays that f reads where it wants, and how f sees them: table_handle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/cotangent_streams.hpp>
#include <xgrad/lanes/ports.hpp>
#include <xgrad/lanes/table_place.hpp>
#include <xgrad/scope/node/element_access.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// An array as f sees it: x(i...), x.shape(d), x.size().
template <class Port, int R>
class table_handle {
public:
    using value_type = typename Port::element;
    explicit table_handle(Port* p) noexcept : port_(p) {}
    template <table_index... I>
        requires(sizeof...(I) == R)
    XGRAD_DETAIL_INLINE auto operator()(I const&... i) const {
        return port_->read(table_place<R>(i...), i...);
    }
    std::size_t shape(std::size_t d) const { return port_->shape().n.at(d); }
    auto const& shape() const noexcept { return port_->shape().n; }
    std::size_t size() const noexcept { return element_count(port_->shape()); }

private:
    Port* port_;
};

// An array, active or a constant, of which f reads elements.
template <class A>
struct table_of {
    using operand_type = A;
    using value_type = typename A::value_type;
    using lifetime = typename A::lifetime;
    static constexpr bool is_active = A::is_active, has_items = false;
    static constexpr int row_rank = A::rank - 1;
    A a;
    context* owner() const {
        if constexpr (is_active) return a.owner();
        else return nullptr;
    }
    void prepare() const { a.materialise(); }
    void check() const { (void)a.extent(); }

    template <class T, std::size_t W, class M>
    class port {
        static constexpr int R = A::rank;
        using U = port_element<table_of, T, W>;
        using V = pack_t<U, W>;

        // An element that f has read, whose cotangent waits.
        struct reading {
            slot<V, rank_c<0>> s;
            table_place<R> place;
            std::ptrdiff_t at;  // where it lies, in a simple run
        };
        // The first of an item are in the port, where the compiler follows them; those behind are in pieces of the workspace.
        static constexpr std::size_t count_here = 16;
        struct piece {
            reading of[count_here];
            piece* next = nullptr;
        };
        static constexpr bool has_streams = is_active && W != 1;
        using streams = cotangent_streams<U, W>;
        struct readings {
            reading here[count_here];
            std::size_t count = 0;
            piece* more = nullptr;
            piece* last = nullptr;
        };

    public:
        // What f reads: of a constant its value alone.
        using element = std::conditional_t<is_active, input<V, rank_c<0>, M>, V>;
        // Where the array lies, and its cotangents. Nobody else sees it, so what does not depend on the item is computed once for all items.
        class run {
        public:
            using element = typename port::element;
            template <class Place>
            XGRAD_DETAIL_INLINE run(port& p, [[maybe_unused]] Place const& to) noexcept
                : port_(&p), data_(p.data_), shape_(p.shape_), stride_(p.stride_), is_simple_(shape_[R - 1] == 1 || stride_[R - 1] == 1) {
                if constexpr (!std::is_same_v<Place, no_place>) {
                    cotangent_ = to.data;
                    stride_of_cotangent_[0] = to.row;
                    for (int d = 1; d < R; ++d) stride_of_cotangent_[d] = to.columns[d - 1];
                    // an axis of one element has any stride
                    for (int d = 0; d < R; ++d) is_simple_ = is_simple_ && (!cotangent_ || shape_[d] == 1 || stride_[d] == stride_of_cotangent_[d]);
                }
                if (is_simple_) {
                    simply_ = shape_;
                    simply_in_row_ = shape_[R - 1] < W ? 0 : shape_[R - 1] - (W - 1);
                }
            }
            XGRAD_DETAIL_INLINE bool load(std::size_t) noexcept {
                if constexpr (is_active) {
                    port_->readings_.count = 0;
                    port_->readings_.last = nullptr;
                }
                return true;
            }
            XGRAD_DETAIL_INLINE table_handle<run, R> handle() noexcept { return table_handle<run, R>(this); }
            extents<R> const& shape() const noexcept { return shape_; }
            template <class... I>
            XGRAD_DETAIL_INLINE auto read(table_place<R> const& p, I const&... i) {
                V v(0.0);
                std::ptrdiff_t at = 0;
                if (p.is_simply_inside(simply_, simply_in_row_)) [[likely]] {
                    auto const stride = [this](int d) XGRAD_DETAIL_LAMBDA { return d == R - 1 ? 1 : stride_[d]; };
                    at = p.offset(stride);
                    // what the compiler knows of f's indices it knows of the step then
                    v = values_at(data_, at, p.distance(stride));
                } else if (p.template is_inside<W>(shape_)) v = values_in_pieces(data_, stride_, p);
                else if constexpr (W != 1) lanes_disagree = true;  // one by one it is said which
                else refuse_indices(shape_, i...);
                if constexpr (!is_active) return v;
                else return port_->keep(p, at, v);
            }
            XGRAD_DETAIL_INLINE void give(std::size_t, [[maybe_unused]] pack_t<T, W> const& ybar) {
                if constexpr (is_active) {
                    if constexpr (W != 1)
                        if (is_simple_ && port_->are_along_last()) [[likely]] return port_->keep_cotangents(cotangent_, ybar);
                    port_->add_cotangents(cotangent_, stride_of_cotangent_, ybar);
                }
            }

        private:
            port* port_;
            memory_t<typename A::value_type const> data_;
            extents<R> shape_;
            strides<R> stride_;
            memory_t<U> cotangent_ = nullptr;
            strides<R> stride_of_cotangent_{};
            bool is_simple_;  // neighbours of the last axis lie beside each other, and cotangents as elements do
            // below which indices are read at once: none where the run is not simple
            extents<R> simply_{};
            std::size_t simply_in_row_ = 0;
        };

        port(table_of const& t, context& c)
            : c_(&c), data_(t.a.source().data), shape_(t.a.source().shape), stride_(t.a.source().stride) {
            if constexpr (has_streams) streams_ = new (c.memory.take(bytes_of_packs(sizeof(streams)))) streams;
        }
        port(port const&) = delete;
        ~port() {
            if constexpr (is_active) give_back();
        }
        std::size_t end_of_run(std::size_t) const noexcept { return static_cast<std::size_t>(-1); }
        template <class Place>
        XGRAD_DETAIL_INLINE run in_run(std::size_t, Place const& to) noexcept {
            return run(*this, to);
        }
        bool has_nan() noexcept {
            bool some = false;
            if constexpr (is_active) each([&some](reading const& r) { some = some || (r.s.has_cotangent && is_nan_somewhere(r.s.cotangent)); });
            return some;
        }
        template <class Place>
        void finish([[maybe_unused]] Place const& to) const noexcept {
            if constexpr (has_streams) streams_->add_to(to.data);
        }

    private:
        context* c_;
        memory_t<typename A::value_type const> data_;
        extents<R> shape_;
        strides<R> stride_;
        [[no_unique_address]] std::conditional_t<is_active, readings, no_place> readings_;
        std::conditional_t<has_streams, streams*, no_place> streams_{};

        XGRAD_DETAIL_INLINE static V values_at(memory_t<typename A::value_type const> data, std::ptrdiff_t first, std::ptrdiff_t step) noexcept {
            if (step == 0) return V(broadcast_lanes<U, W>(U(data[first])));
            return V(read_lanes<U, W>(data + first, step == 1, [step](std::size_t j) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j) * step; }));
        }
        // It sees nothing of the port and writes nothing, so the compiler still knows all of the port behind it.
        [[gnu::noinline, gnu::pure]] static V values_in_pieces(memory_t<typename A::value_type const> data, strides<R> s, table_place<R> p) noexcept {
            auto const stride = [&s](int d) { return s[d]; };
            return values_at(data, p.offset(stride), p.distance(stride));
        }
        XGRAD_DETAIL_INLINE input<V, rank_c<0>, M> keep(table_place<R> const& p, std::ptrdiff_t at, V const& v) noexcept {
            if (readings_.count < count_here) [[likely]] return keep(readings_.here[readings_.count++], p, at, v);
            return keep(next_in_pieces(), p, at, v);
        }
        XGRAD_DETAIL_INLINE input<V, rank_c<0>, M> keep(reading& r, table_place<R> const& p, std::ptrdiff_t at, V const& v) noexcept {
            r.place = p;
            r.at = at;
            r.s.owner = c_;
            r.s.value = v;
            r.s.cotangent = V(0.0);
            r.s.has_cotangent = false;
            return input<V, rank_c<0>, M>(&r.s);
        }
        // Whether the items of the pack read neighbours along the last axis, or one element.
        XGRAD_DETAIL_INLINE bool are_along_last() {
            bool all = true;
            each([&all](reading const& r) XGRAD_DETAIL_LAMBDA { all = all && r.place.is_along_last(); });
            return all;
        }
        XGRAD_DETAIL_INLINE void keep_cotangents(memory_t<U> to, pack_t<T, W> const& ybar) {
            streams_->keep(
                to, std::min(readings_.count, streams::most), [this](std::size_t k) XGRAD_DETAIL_LAMBDA { return readings_.here[k].at; },
                [this](std::size_t k) XGRAD_DETAIL_LAMBDA { return readings_.here[k].place.step[R - 1] == 1; },
                [this, &ybar](std::size_t k) XGRAD_DETAIL_LAMBDA {
                    auto const& s = readings_.here[k].s;
                    return s.has_cotangent ? V(in_full<V>(ybar) * s.cotangent) : V(0.0);
                });
            auto add = [to, ybar](reading const& r) {
                if (r.s.has_cotangent) add_to(to + r.at, r.place.step[R - 1], V(in_full<V>(ybar) * r.s.cotangent));
            };
            if (readings_.count > streams::most) [[unlikely]] each(add, streams::most);
        }
        XGRAD_DETAIL_INLINE void add_cotangents(memory_t<U> to, strides<R> const& s, pack_t<T, W> const& ybar) {
            each([to, s, ybar](reading const& r) XGRAD_DETAIL_LAMBDA {
                auto const stride = [&s](int d) XGRAD_DETAIL_LAMBDA { return s[d]; };
                if (r.s.has_cotangent) add_to(to + r.place.offset(stride), r.place.distance(stride), V(in_full<V>(ybar) * r.s.cotangent));
            });
        }
        // By a call, where it is rare.
        [[gnu::noinline]] static void add_to(memory_t<U> to, std::ptrdiff_t step, V g) noexcept {
            add_lanes<U, W>(to, step == 1, g, [step](std::size_t j) { return static_cast<std::ptrdiff_t>(j) * step; });
        }
        [[gnu::noinline]] reading& next_in_pieces() {
            std::size_t const k = readings_.count % count_here;
            if (k == 0) {
                piece*& next = readings_.last ? readings_.last->next : readings_.more;
                if (!next) next = new (c_->memory.take(bytes_of_packs(sizeof(piece)))) piece;
                readings_.last = next;
            }
            ++readings_.count;
            return readings_.last->of[k];
        }
        void give_back() noexcept {
            if constexpr (has_streams) c_->memory.give(streams_, bytes_of_packs(sizeof(streams)));
            for (piece* p = readings_.more; p;) {
                piece* const next = p->next;
                c_->memory.give(p, bytes_of_packs(sizeof(piece)));
                p = next;
            }
        }
        template <class G>
        XGRAD_DETAIL_INLINE void each(G g, std::size_t first = 0) {
            std::size_t const n = readings_.count;
            [&]<std::size_t... K>(std::index_sequence<K...>) XGRAD_DETAIL_LAMBDA {
                ((K >= first && K < n ? g(std::as_const(readings_.here[K])) : void()), ...);
            }(std::make_index_sequence<count_here>());
            if (n > count_here) [[unlikely]] each_in_pieces(n - count_here, g);
        }
        template <class G>
        [[gnu::noinline]] void each_in_pieces(std::size_t n, G g) {
            piece const* p = readings_.more;
            for (std::size_t k = 0; k < n; ++k, p = k % count_here ? p : p->next) g(p->of[k % count_here]);
        }
    };
};
template <class A>
inline constexpr int axes_of_row<table_of<A>> = A::rank - 1;

}
XGRAD_DETAIL_QUIET_END
