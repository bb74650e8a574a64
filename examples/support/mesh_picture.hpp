// Defines draw_meshes(path, panels): triangles in space or in the plane side by side, each coloured by a number, drawn by gnuplot.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <xtensor/xtensor.hpp>

#include "gnuplot.hpp"

struct mesh_panel {
    std::string title;
    xt::xtensor<double, 2> points;  // rows of two coordinates, or of three
    std::vector<double> colours;    // one for each triangle, from 0 to most
};

inline void draw_meshes(std::string const& path, std::vector<mesh_panel> const& panels, std::vector<std::array<std::size_t, 3>> const& triangles, double most) {
    std::ostringstream script;
    script << "set terminal pngcairo size " << 380 * panels.size() << ", 350 font 'DejaVu Sans,11'\nset output '" << path << "'\n"
           << "set multiplot layout 1, " << panels.size() << "\nunset key\nunset tics\nunset border\nunset colorbox\nset pm3d depthorder border linewidth 0.3\n"
           << "set pm3d corners2color c1\nset cbrange [0:" << most
           << "]\nset palette defined (0 '#f7fbff', 0.3 '#9ecae1', 0.6 '#2a6f97', 0.8 '#7b2d8b', 1 '#c1121f')\nset lmargin 1\nset rmargin 1\n";
    for (std::size_t k = 0; k < panels.size(); ++k) {
        auto const& p = panels[k];
        bool const in_space = p.points.shape(1) == 3;
        script << "$mesh" << k << " << end\n";
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            auto const corner = [&](std::size_t i) {
                std::size_t const v = triangles[t][i];
                script << p.points(v, 0) << ' ' << p.points(v, 1) << ' ' << (in_space ? p.points(v, 2) : 0.0) << ' ' << std::min(p.colours[t], most) << '\n';
            };
            corner(0), corner(1), script << '\n', corner(2), corner(2), script << "\n\n";
        }
        script << "end\nset title '" << p.title << "'\n";
        if (in_space) script << "set view 52, 28, 1.5, 1.1\nset view equal xyz\n";
        else script << "set view 0, 0, 1.5, 1\nset view equal xyz\nset zrange [-1:1]\n";
        script << "splot $mesh" << k << " using 1:2:3:4 with pm3d\n";
    }
    script << "unset multiplot\n";
    if (gnuplot(script.str())) std::printf("The picture of it is %s\n", std::filesystem::absolute(path).c_str());
    else std::puts("There is no picture of it: that takes the program gnuplot (Debian: gnuplot-nox)");
}
