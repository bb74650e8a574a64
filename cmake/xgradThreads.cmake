# Finds what xgrad::parallel stands on: oneTBB and the system's threads. Shared by the build and the installed package.
find_package(Threads QUIET)
find_package(TBB QUIET CONFIG)
