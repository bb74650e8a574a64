// Defines read_entries(x), write_entries(x, v) and entry_names(x, name): the numbers in a value or a tangent, and what each is called: `x0.hidden.W(2, 1)`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

// Whatever can be perturbed, number by number; complex numbers as two. What `like` is given is visited in its order: hash maps of equal keys may differ in
// theirs.
template <class F>
struct visit_entries : operation {
    F* f;
    template <class T, class... U>
    void operator()([[maybe_unused]] T& x, [[maybe_unused]] U&... like) const {
        using V = std::remove_const_t<T>;
        if constexpr (absent<V>) return;
        else if constexpr (perturbable_number<V>) (*f)(x, like...);
        else if constexpr (has_parts<V>) parts<V>::each(*this, x, like...);
    }
};
template <class F, class X, class... Y>
void for_each_entry(F f, X& x, Y&... like) {
    with_object_table<std::remove_const_t<X>>(visit_entries<F>{{}, &f}, x, like...);
}

// What is appended to the name of a value for each of its parts, in order.
struct part_suffix {
    enum class kind { none, field, index, element, key } is = kind::none;
    std::string_view const* fields = nullptr;
    std::vector<std::size_t> shape{};
    bool column_major = false;
    std::size_t i = 0;
    std::string key{};

    std::string next() {
        std::size_t const n = i++;
        if (is == kind::none) return {};
        if (is == kind::field) return "." + std::string(fields[n]);
        if (is == kind::index) return "[" + std::to_string(n) + "]";
        if (is == kind::key) return "[" + key + "]";
        std::vector<std::size_t> at(shape.size());
        std::size_t rest = n;
        for (std::size_t k = 0; k < shape.size(); ++k) {
            std::size_t const d = column_major ? k : shape.size() - 1 - k;
            at[d] = rest % shape[d];
            rest /= shape[d];
        }
        std::string text;
        for (std::size_t d : at) text += (text.empty() ? "(" : ", ") + std::to_string(d);
        return text.empty() ? "()" : text + ")";
    }
};

template <class K>
std::string key_text(K const& key, std::size_t n) {
    if constexpr (std::is_convertible_v<K const&, std::string_view>) return "\"" + std::string(std::string_view(key)) + "\"";
    else if constexpr (std::is_arithmetic_v<K>) return std::to_string(key);
    else return "#" + std::to_string(n);
}

template <class T>
part_suffix suffix_of([[maybe_unused]] T const& t) {
    using enum part_suffix::kind;
    part_suffix s;
    if constexpr (has_fields<T>) {
        s.is = field;
        s.fields = field_names<T>.data();
    } else if constexpr (requires { t.shape().begin(); }) {
        s.is = element;
        for (auto n : t.shape()) s.shape.push_back(static_cast<std::size_t>(n));
        // as the elements are visited
        s.column_major = T::static_layout == xt::layout_type::column_major;
    } else if constexpr (
        requires {
            t.size();
            t.begin();
        } || std::is_array_v<T> || requires { std::tuple_size<T>::value; } || plain_aggregate<T> || requires { t.cshift(0); })
        s.is = index;
    return s;
}

struct name_entries : operation {
    std::vector<std::string>* names;
    std::string* path;
    part_suffix* around = nullptr;

    template <class T>
    void operator()([[maybe_unused]] T const& t) const {
        std::size_t const length = path->size();
        if (around) *path += around->next();
        if constexpr (absent<T>) {
        } else if constexpr (is_complex_number<T>) {
            names->push_back(*path + ".real()");
            names->push_back(*path + ".imag()");
        } else if constexpr (perturbable_number<T>) names->push_back(*path);
        else if constexpr (has_parts<T> && requires { typename T::mapped_type; }) {
            part_suffix suffix;
            suffix.is = part_suffix::kind::key;
            for (auto const& [key, value] : t) {
                suffix.key = key_text(key, suffix.i);
                inside(suffix)(value);
            }
        } else if constexpr (has_parts<T>) {
            part_suffix suffix = suffix_of(t);
            parts<T>::each(inside(suffix), t);
        }
        path->resize(length);
    }

private:
    name_entries inside(part_suffix& s) const {
        name_entries all = *this;
        all.around = &s;
        return all;
    }
};

}  // namespace detail

// The entries of x, as they stand in the order of `like`, a value of the same form.
template <class L, class X>
void read_entries(std::vector<double>& to, L const& like, X const& x) {
    detail::for_each_entry(
        [&to]<class T>(auto const&, T const& v) {
            if constexpr (detail::is_complex_number<T>) {
                to.push_back(static_cast<double>(v.real()));
                to.push_back(static_cast<double>(v.imag()));
            } else to.push_back(static_cast<double>(v));
        },
        like, x);
}
// Gives the entries of x the values from `from` on, and moves it on. What has its value already is left as it is, if it is more precise than a double, too.
template <class L, class X>
void write_entries(double const*& from, L const& like, X& x) {
    detail::for_each_entry(
        [&from]<class T>(auto const&, T& v) {
            if constexpr (detail::is_complex_number<T>) {
                using R = typename T::value_type;
                auto const re = static_cast<R>(*from++);
                v = T(re, static_cast<R>(*from++));
            } else {
                if (static_cast<double>(v) != *from) v = static_cast<T>(*from);
                ++from;
            }
        },
        like, x);
}

template <class X>
[[nodiscard]] std::vector<std::string> entry_names(X const& x, std::string name) {
    std::vector<std::string> names;
    detail::with_object_table<X>(detail::name_entries{{}, &names, &name}, x);
    return names;
}

}  // namespace xgrad
