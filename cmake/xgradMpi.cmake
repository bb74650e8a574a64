# Finds what xgrad::mpi stands on: an MPI, by its C interface. Shared by the build and the installed package.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
