// Defines digit_picture: the curves of a training, and test images with what they were read as, drawn by gnuplot.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "digit_set.hpp"
#include "gnuplot.hpp"

class digit_picture {
public:
    // After each epoch: the mean loss of the training images and the share of the test images that are read right.
    void add(double loss, double accuracy) { curves_ << ++epochs_ << ' ' << loss << ' ' << 100 * accuracy << '\n'; }

    // Draws the curves, and test images: first those that are read wrong, in red. Says where it has done so.
    void draw(std::string const& path, digit_set const& test, std::vector<int> const& read) const {
        auto const truth = digits_of(test.truth);
        std::vector<std::size_t> order;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < read.size(); ++i)
            if (read[i] != truth[i]) order.insert(order.begin() + static_cast<std::ptrdiff_t>(wrong++), i);
            else order.push_back(i);

        // One matrix of all the tiles, with room for a line of text above each.
        xt::xtensor<double, 2> mosaic = xt::zeros<double>({rows * height, columns * width});
        std::ostringstream marks;
        for (std::size_t n = 0; n < columns * rows && n < order.size(); ++n) {
            auto const i = order[n], x = n % columns * width + gap, y = n / columns * height + text;
            for (std::size_t k = 0; k < 64; ++k) mosaic(y + k / 8, x + k % 8) = test.images(i, k);
            bool const right = read[i] == truth[i];
            auto const colour = right ? "rgb '#888888'" : "rgb '#c1121f'";
            marks << "set label '" << truth[i];
            if (!right) marks << " → " << read[i];
            marks << "' at " << x << ".0 + 3.5, " << y << ".0 - 2.4 center front textcolor " << colour << '\n'
                  << "set object rectangle from " << x << ".0 - 0.8, " << y << ".0 - 0.8 to " << x << ".0 + 7.8, " << y
                  << ".0 + 7.8 front fillstyle empty border " << colour << " linewidth " << (right ? 0.5 : 2.5) << '\n';
        }

        std::ostringstream script;
        script << "set terminal pngcairo size 1200, 600 font 'DejaVu Sans,11'\nset output '" << path << "'\n"
               << "$curves << end\n" << curves_.str() << "end\n$mosaic << end\n";
        for (std::size_t i = 0; i < mosaic.shape(0); ++i)
            for (std::size_t j = 0; j < mosaic.shape(1); ++j) script << mosaic(i, j) << (j + 1 < mosaic.shape(1) ? ' ' : '\n');
        script << "end\nset multiplot\nunset key\n"
                  "set border 3 linecolor rgb '#888888'\nset tics nomirror textcolor rgb '#555555'\nset grid linetype 1 linecolor rgb '#e6e6e6'\n"
                  "set lmargin at screen 0.07\nset rmargin at screen 0.44\nset xrange [1:" << epochs_ << "]\n"
                  "set tmargin at screen 0.92\nset bmargin at screen 0.58\nset logscale y\nset title 'Mean loss of the training images'\n"
                  "plot $curves using 1:2 with lines linewidth 2.5 linecolor rgb '#1d3557'\n"
                  "set tmargin at screen 0.46\nset bmargin at screen 0.11\nunset logscale y\nset title 'Test images read right, %'\n"
                  "set xlabel 'epoch' textcolor rgb '#555555'\n"
                  "plot $curves using 1:3 with lines linewidth 2.5 linecolor rgb '#2a9d8f'\n"
                  "reset\nunset key\nunset colorbox\nunset border\nunset tics\n"
                  "set lmargin at screen 0.5\nset rmargin at screen 0.98\nset tmargin at screen 0.92\nset bmargin at screen 0.02\nset size ratio -1\n"
                  "set palette defined (0 '#ffffff', 1 '#1d3557')\n"
                  "set title '" << wrong << " of " << read.size() << " test images are misread (red: true digit → what was read)'\n"
                  "set xrange [0:" << columns * width << " - 1]\nset yrange [" << rows * height << " - 1:0]\n"
               << marks.str() << "plot $mosaic matrix with image pixels\nunset multiplot\n";
        if (gnuplot(script.str())) std::printf("The picture of it is %s\n", std::filesystem::absolute(path).c_str());
        else std::puts("There is no picture of it: that takes the program gnuplot (Debian: gnuplot-nox)");
    }

private:
    static constexpr std::size_t columns = 8, rows = 7, text = 4, gap = 2, width = gap + 8 + gap, height = text + 8 + 1;
    int epochs_ = 0;
    std::ostringstream curves_;
};
