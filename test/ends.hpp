// Defines ends(sentence, f, x...): whether the gradient of f ends the program with this sentence.
#pragma once

#include <csignal>
#include <cstddef>
#include <string>
#include <tuple>

#include <sys/wait.h>
#include <unistd.h>

#include <xgrad/gradient.hpp>

namespace {

// Runs f in a child process; true if it was ended by abort() and has said this.
template <class F>
bool ends(char const* sentence, F f, auto const&... x) {
    int pipes[2];
    if (pipe(pipes) != 0) return false;
    pid_t const child = fork();
    if (child == 0) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        std::signal(SIGABRT, SIG_DFL);
        double const g = std::get<0>(xgrad::gradient(f, x...));
        _exit(g == g ? 0 : 1);
    }
    close(pipes[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<std::size_t>(n));
    close(pipes[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && said.find(sentence) != std::string::npos;
}

}
