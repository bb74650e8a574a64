from conan import ConanFile


class XtensorSystem(ConanFile):
    name = "xtensor"
    license = "BSD-3-Clause"
    description = "The distribution's xtensor"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    headers = ["xtensor/core/xtensor_config.hpp", "xtensor/xtensor_config.hpp"]
    oldest = "0.24"
    packages = {"apt": [["libxtensor-dev"]], "dnf": [["xtensor-devel"]], "pacman": [["xtensor"]], "brew": [["xtensor"]]}

    def describe(self, info):
        info.set_property("cmake_file_name", "xtensor")
        info.set_property("cmake_target_name", "xtensor")
