// Defines progress: a bar with a text that fills up in one line of a terminal; where the output is no terminal, ten lines at most.
#pragma once

#include <cstdio>
#include <string>

#include <unistd.h>

class progress {
public:
    explicit progress(int steps) : steps_(steps) {}

    void operator()(int done, double loss, double accuracy) const {
        char text[80];
        std::snprintf(text, sizeof text, "loss %.4f  test accuracy %.1f %%", loss, 100 * accuracy);
        (*this)(done, text);
    }
    void operator()(int done, char const* text) const {
        int const filled = width * done / steps_;
        bool const last = done == steps_;
        if (isatty(STDOUT_FILENO)) {
            std::string bar;
            for (int i = 0; i < width; ++i) bar += i < filled ? "█" : "░";
            std::printf("\r%s %3d/%d  %s\033[K%s", bar.c_str(), done, steps_, text, last ? "\n" : "");
            std::fflush(stdout);
        } else if (last || done * 10 / steps_ != (done - 1) * 10 / steps_) {
            std::printf("%3d/%d  %s\n", done, steps_, text);
        }
    }

private:
    static constexpr int width = 30;
    int steps_;
};
