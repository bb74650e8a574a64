from conan import ConanFile


class XsimdSystem(ConanFile):
    name = "xsimd"
    license = "BSD-3-Clause"
    description = "The distribution's xsimd"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    headers = ["xsimd/config/xsimd_config.hpp"]
    oldest = "8"
    packages = {"apt": [["libxsimd-dev"]], "dnf": [["xsimd-devel"]], "pacman": [["xsimd"]], "brew": [["xsimd"]]}

    def describe(self, info):
        info.set_property("cmake_file_name", "xsimd")
        info.set_property("cmake_target_name", "xsimd")
