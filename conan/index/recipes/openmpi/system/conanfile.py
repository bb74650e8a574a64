import os

from conan import ConanFile


class OpenmpiSystem(ConanFile):
    name = "openmpi"
    license = "BSD-3-Clause"
    description = "The distribution's Open MPI, by its C interface"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    # Each distribution has the headers in a folder of its own.
    headers = ["../lib/*/openmpi/include/mpi.h", "openmpi-*/mpi.h", "mpi.h"]
    number = r"#define OMPI_(?:MAJOR|MINOR|RELEASE)_VERSION (\d+)"
    oldest = "4"
    packages = {"apt": [["libopenmpi-dev"]], "dnf": [["openmpi-devel"]], "pacman": [["openmpi"]], "brew": [["open-mpi"]]}

    def describe(self, info):
        prefix, _ = self.found()
        folder = os.path.dirname(self.header) if prefix else ""
        info.includedirs = [folder] if folder else []
        info.system_libs = ["mpi"]
        info.set_property("cmake_file_name", "MPI")
        info.set_property("cmake_target_name", "MPI::MPI_CXX")
