// Defines read_table(path): the lines of a file of comma-separated values, each split into its fields.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

inline std::vector<std::vector<std::string>> read_table(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<std::vector<std::string>> table;
    for (std::string line, field; std::getline(file, line);) {
        table.emplace_back();
        for (std::istringstream fields(line); std::getline(fields, field, ',');) table.back().push_back(field);
    }
    return table;
}
