// Defines rule_report: what a check of a rule found wrong, and where; it is true where nothing is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace xgrad {

// One thing that is wrong: the check, the entry, such as `x0.hidden.W(2, 1)`, and what was expected and found there; for a failure to converge, a
// table of the errors at each step.
struct rule_finding {
    std::string check;
    std::string entry;
    std::string text;
    std::string table = {};
};

class rule_report {
public:
    explicit operator bool() const noexcept { return findings_.empty(); }

    [[nodiscard]] std::vector<rule_finding> const& findings() const noexcept { return findings_; }
    // What was checked, and what was not, with the reason.
    [[nodiscard]] std::vector<std::string> const& checked() const noexcept { return checked_; }
    [[nodiscard]] std::vector<std::string> const& notes() const noexcept { return notes_; }
    // Whether this check found something.
    [[nodiscard]] bool broken(std::string const& check) const {
        return std::any_of(findings_.begin(), findings_.end(), [&](rule_finding const& f) { return f.check == check; });
    }
    // At most `most` findings of one check are printed, and one table.
    [[nodiscard]] std::string text(std::size_t most = 4) const {
        std::string all = *this ? "the rule holds:" : "the rule does not hold:";
        for (std::size_t i = 0; i < checked_.size(); ++i) {
            auto const& check = checked_[i];
            all += std::string(i ? "," : "") + " " + check + (broken(check) ? " BROKEN" : "");
        }
        for (auto const& check : checked_) {
            std::size_t n = 0;
            for (auto const& f : findings_) {
                if (f.check != check || ++n > most) continue;
                all += "\n  " + check + ": " + f.entry + (f.entry.empty() ? "" : " ") + f.text;
                if (n == 1) all += f.table;
            }
            if (n > most) all += "\n  " + check + ": ... and " + std::to_string(n - most) + " more";
        }
        for (auto const& note : notes_) all += "\n  not checked: " + note;
        return all;
    }
    friend std::ostream& operator<<(std::ostream& out, rule_report const& r) { return out << r.text(); }

    void begin(std::string const& check) {
        if (std::find(checked_.begin(), checked_.end(), check) == checked_.end()) checked_.push_back(check);
    }
    void add(rule_finding f) {
        begin(f.check);
        findings_.push_back(std::move(f));
    }
    void note(std::string text) {
        if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
    }

private:
    std::vector<rule_finding> findings_;
    std::vector<std::string> checked_;
    std::vector<std::string> notes_;
};

}  // namespace xgrad
