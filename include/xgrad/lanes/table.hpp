// Defines axis_of and table_of, what a tabulation holds of its shape and of arrays that f reads where it wants, and how f sees them: table_handle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/cotangent_streams.hpp>
#include <xgrad/lanes/lane_index.hpp>
#include <xgrad/lanes/ports.hpp>
#include <xgrad/lanes/table_place.hpp>
#include <xgrad/scope/node/element_access.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The index along axis d of item i of an array of this shape.
template <int D, int Axis>
struct axis_of : constant_operand<axis_of<D, Axis>> {
    using value_type = void;
    static constexpr bool has_items = true;
    extents<D> shape;
    explicit axis_of(extents<D> const& s) : shape(s) {}
    std::size_t items() const { return element_count(shape); }
    void check() const {}

    template <class T, std::size_t W, class M>
    class port : public port_of_constants {
    public:
        port(axis_of const& a, context&) : length_(a.shape[Axis]) {
            for (int d = Axis + 1; d < D; ++d) block_ *= a.shape[d];
        }
        std::size_t end_of_run(std::size_t i) const noexcept
            requires(Axis == D - 1)
        {
            return (i / length_ + 1) * length_;
        }
        XGRAD_DETAIL_INLINE bool load(std::size_t i) {
            if (i < begin_ || i >= end_) enter(i);
            if constexpr (Axis != D - 1) {
                // all items of a pack are in one row of the last axis
                index_ = first_;
                return true;
            } else if constexpr (W == 1) {
                index_ = i - begin_;
                return true;
            } else {
                index_ = lane_index<W>(static_cast<std::ptrdiff_t>(i - begin_), 1);
                return true;
            }
        }
        auto const& handle() const noexcept { return index_; }

    private:
        std::size_t length_, block_ = 1, first_ = 0, begin_ = 0, end_ = 0;
        std::conditional_t<W == 1 || Axis != D - 1, std::size_t, lane_index<W>> index_{};

        // Items from begin_ to end_ have one index, or are the row that the last axis counts.
        void enter(std::size_t i) {
            std::size_t const n = Axis == D - 1 ? length_ : block_, k = i / n;
            begin_ = k * n;
            end_ = begin_ + n;
            first_ = k % length_;
        }
    };
};

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
        port(table_of const& t, context& c)
            : c_(&c), data_(t.a.source().data), shape_(t.a.source().shape), stride_(t.a.source().stride) {
            if constexpr (has_streams) streams_ = new (c.memory.take(bytes_of_packs(sizeof(streams)))) streams;
        }
        port(port const&) = delete;
        ~port() {
            if constexpr (is_active) give_back();
        }
        XGRAD_DETAIL_INLINE bool load(std::size_t) noexcept {
            if constexpr (is_active) {
                readings_.count = 0;
                readings_.last = nullptr;
            }
            return true;
        }
        table_handle<port, R> handle() noexcept { return table_handle<port, R>(this); }
        extents<R> const& shape() const noexcept { return shape_; }
        template <class... I>
        XGRAD_DETAIL_INLINE auto read(table_place<R> const& p, I const&... i) {
            V v(0.0);
            if (p.template is_inside<W>(shape_)) [[likely]] {
                auto const stride = [this](int d) XGRAD_DETAIL_LAMBDA { return stride_[d]; };
                std::ptrdiff_t const first = p.offset(stride), step = p.distance(stride);
                auto const at = [step](std::size_t j) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j) * step; };
                v = step == 0 ? V(broadcast_lanes<U, W>(U(data_[first]))) : V(read_lanes<U, W>(data_ + first, step == 1, at));
            } else if constexpr (W != 1) lanes_disagree = true;  // one by one it is said which
            else refuse_indices(shape_, i...);
            if constexpr (!is_active) return v;
            else {
                if (readings_.count < count_here) [[likely]] return keep(readings_.here[readings_.count++], p, v);
                return keep(next_in_pieces(), p, v);
            }
        }
        bool has_nan() noexcept {
            bool some = false;
            if constexpr (is_active) each([&some](reading const& r) { some = some || (r.s.has_cotangent && is_nan_somewhere(r.s.cotangent)); });
            return some;
        }
        template <class Place>
        XGRAD_DETAIL_INLINE void give([[maybe_unused]] Place const& to, std::size_t, [[maybe_unused]] pack_t<T, W> const& ybar) {
            if constexpr (is_active) {
                auto const stride = [&to](int d) XGRAD_DETAIL_LAMBDA {
                    if constexpr (R == 1) return d == 0 ? to.row : 0;
                    else return d == 0 ? to.row : to.columns[d - 1];
                };
                std::size_t kept = 0;
                if constexpr (W != 1) {
                    bool simple = true;
                    each([&](reading const& r) XGRAD_DETAIL_LAMBDA { simple = simple && (r.place.distance(stride) == 1 || r.place.distance(stride) == 0); });
                    if (simple) [[likely]] {
                        kept = std::min(readings_.count, streams::most);
                        streams_->keep(
                            to.data, kept, [&](std::size_t k) XGRAD_DETAIL_LAMBDA { return readings_.here[k].place.offset(stride); },
                            [&](std::size_t k) XGRAD_DETAIL_LAMBDA { return readings_.here[k].place.distance(stride); },
                            [&](std::size_t k) XGRAD_DETAIL_LAMBDA {
                                auto const& s = readings_.here[k].s;
                                return s.has_cotangent ? V(in_full<V>(ybar) * s.cotangent) : V(0.0);
                            });
                    }
                }
                auto add = [&](reading const& r) XGRAD_DETAIL_LAMBDA {
                    if (!r.s.has_cotangent) return;
                    std::ptrdiff_t const step = r.place.distance(stride);
                    add_lanes<U, W>(to.data + r.place.offset(stride), step == 1, V(in_full<V>(ybar) * r.s.cotangent),
                                    [step](std::size_t j) XGRAD_DETAIL_LAMBDA { return static_cast<std::ptrdiff_t>(j) * step; });
                };
                if (kept == 0) each(add);
                else each(add, streams::most);
            }
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

        XGRAD_DETAIL_INLINE input<V, rank_c<0>, M> keep(reading& r, table_place<R> const& p, V const& v) noexcept {
            r.place = p;
            r.s.owner = c_;
            r.s.value = v;
            r.s.cotangent = V(0.0);
            r.s.has_cotangent = false;
            return input<V, rank_c<0>, M>(&r.s);
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
