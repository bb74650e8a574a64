from conan import ConanFile


class OnetbbSystem(ConanFile):
    name = "onetbb"
    license = "Apache-2.0"
    description = "The distribution's oneTBB"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    headers = ["oneapi/tbb/version.h"]
    number = r"#define TBB_VERSION_(?:MAJOR|MINOR) (\d+)"
    oldest = "2021"
    packages = {"apt": [["libtbb-dev"]], "dnf": [["tbb-devel"]], "pacman": [["onetbb"]], "brew": [["tbb"]]}

    def describe(self, info):
        info.system_libs = ["tbb"]
        info.set_property("cmake_file_name", "TBB")
        info.set_property("cmake_target_name", "TBB::tbb")
