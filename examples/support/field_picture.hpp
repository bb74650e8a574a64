// Defines draw_fields(path, fields, marks): square fields side by side, each with a title, drawn by gnuplot, with points on some of them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <xtensor/xtensor.hpp>

#include "gnuplot.hpp"

struct field_panel {
    std::string title;
    xt::xtensor<double, 2> field;
    bool has_marks = false;
};

// marks: the rows and columns at which there are points.
inline void draw_fields(std::string const& path, std::vector<field_panel> const& panels, std::vector<std::size_t> const& marks) {
    std::ostringstream script;
    script << "set terminal pngcairo size " << 300 * panels.size() << ", 340 font 'DejaVu Sans,11'\nset output '" << path << "'\n"
           << "set multiplot layout 1, " << panels.size() << "\nunset key\nunset tics\nunset colorbox\nset size ratio -1\nset border linecolor rgb '#888888'\n"
           << "set cbrange [-0.1:1]\nset palette defined (-0.1 '#ffffff', 0 '#ffffff', 0.35 '#9ecae1', 0.7 '#2a6f97', 1 '#012a4a')\n";
    for (std::size_t k = 0; k < panels.size(); ++k) {
        auto const& f = panels[k].field;
        script << "$field" << k << " << end\n";
        for (std::size_t i = 0; i < f.shape(0); ++i)
            for (std::size_t j = 0; j < f.shape(1); ++j) script << f(i, j) << (j + 1 < f.shape(1) ? ' ' : '\n');
        script << "end\n$marks" << k << " << end\n";
        if (panels[k].has_marks)
            for (auto i : marks)
                for (auto j : marks) script << j << ' ' << i << '\n';
        script << "end\nset title '" << panels[k].title << "'\nset xrange [-0.5:" << f.shape(1) << " - 0.5]\nset yrange [-0.5:" << f.shape(0) << " - 0.5]\n"
               << "plot $field" << k << " matrix with image pixels";
        if (panels[k].has_marks) script << ", $marks" << k << " with points pointtype 1 pointsize 0.6 linecolor rgb '#c1121f'";
        script << '\n';
    }
    script << "unset multiplot\n";
    if (gnuplot(script.str())) std::printf("The picture of it is %s\n", std::filesystem::absolute(path).c_str());
    else std::puts("There is no picture of it: that takes the program gnuplot (Debian: gnuplot-nox)");
}
