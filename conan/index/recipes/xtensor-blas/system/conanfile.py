from conan import ConanFile


class XtensorBlasSystem(ConanFile):
    name = "xtensor-blas"
    license = "BSD-3-Clause"
    description = "The distribution's xtensor-blas"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    headers = ["xtensor-blas/xblas_config.hpp"]
    oldest = "0.20"
    packages = {"apt": [["libxtensor-blas-dev"]], "dnf": [["xtensor-blas-devel"]], "pacman": [["xtensor-blas"]], "brew": [["xtensor-blas"]]}

    def requirements(self):
        self.requires("xtensor/[>=0.24 <0.28]")
        self.requires("openblas/[>=0.3]")

    def describe(self, info):
        info.set_property("cmake_file_name", "xtensor-blas")
        info.set_property("cmake_target_name", "xtensor-blas")
