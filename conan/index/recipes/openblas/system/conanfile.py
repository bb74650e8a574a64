from conan import ConanFile


class OpenblasSystem(ConanFile):
    name = "openblas"
    license = "BSD-3-Clause"
    description = "The distribution's OpenBLAS, with LAPACK"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    # Debian has the header in a folder of the machine's name, Fedora in one of the library's.
    headers = ["*/openblas_config.h", "openblas_config.h"]
    number = r'#define OPENBLAS_VERSION " *OpenBLAS ([0-9.]+)'
    oldest = "0.3"
    packages = {"apt": [["libopenblas-dev"]], "dnf": [["openblas-devel"]], "pacman": [["openblas"]], "brew": [["openblas"]]}

    def describe(self, info):
        info.includedirs = []
        info.system_libs = ["openblas"]
        info.set_property("cmake_file_name", "OpenBLAS")
        info.set_property("cmake_target_name", "OpenBLAS::OpenBLAS")
