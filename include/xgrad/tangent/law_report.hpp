// law_report: the laws that a check found broken.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xgrad {

// True when no law is broken.
class law_report {
public:
    explicit operator bool() const noexcept { return broken_.empty(); }

    [[nodiscard]] std::vector<std::string> const& broken() const noexcept { return broken_; }

    [[nodiscard]] std::string text() const {
        std::string all = broken_.empty() ? "all laws hold" : "broken:";
        for (auto const& law : broken_) all += "\n  " + law;
        return all;
    }

    void require(bool holds, std::string law) {
        if (!holds) broken_.push_back(std::move(law));
    }

private:
    std::vector<std::string> broken_;
};

}  // namespace xgrad
