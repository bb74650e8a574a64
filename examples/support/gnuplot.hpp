// Defines gnuplot(script): runs a script through the plotting program gnuplot, and says whether that drew it.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

inline bool gnuplot(std::string const& script) {
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) return false;
    // Should gnuplot stop early, the rest of the script is not to stop this program too.
    auto const before = std::signal(SIGPIPE, SIG_IGN);
    std::FILE* const pipe = popen("gnuplot", "w");
    bool drawn = pipe && std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
    if (pipe) drawn = pclose(pipe) == 0 && drawn;
    std::signal(SIGPIPE, before);
    return drawn;
}
