// describe<P>(): a text that says what the tangent, the fdata and the rdata of a type are, field by field.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <xgrad/tangent/rdata.hpp>
#include <xgrad/tangent/type_name.hpp>

namespace xgrad {

namespace detail {

template <class P>
void describe_lines(std::string& text, std::string const& name, std::size_t depth);

template <class S, class... P>
void describe_fields(std::string& text, std::size_t depth, type_list<P...>) {
    std::size_t i = 0;
    (describe_lines<std::remove_cv_t<P>>(text, std::string(field_names<S>[i++]), depth), ...);
}

template <class P>
void describe_lines(std::string& text, std::string const& name, std::size_t depth) {
    text += std::string(2 * depth, ' ') + name + (name.empty() ? "" : ": ") + type_name<P>();
    if constexpr (has_fields<P> && differentiable<P>) {
        text += "\n";
        describe_fields<P>(text, depth + 1, field_types<P>{});
    } else if constexpr (!differentiable<P>) {
        text += " | no tangent\n";
    } else {
        text += " | tangent " + type_name<tangent_type_t<P>>() + " | fdata " + type_name<fdata_type_t<P>>() + " | rdata " + type_name<rdata_type_t<P>>() + "\n";
    }
}

}  // namespace detail

template <class P>
[[nodiscard]] std::string describe() {
    std::string text;
    detail::describe_lines<std::remove_cvref_t<P>>(text, "", 0);
    return text;
}

}  // namespace xgrad
