from conan import ConanFile


class BoostSystem(ConanFile):
    name = "boost"
    license = "BSL-1.0"
    description = "The distribution's Boost, of which xgrad takes headers only"
    python_requires = "system-package/1.0"
    python_requires_extend = "system-package.SystemPackage"
    headers = ["boost/version.hpp"]
    number = r"#define BOOST_VERSION (\d+)"
    oldest = "1.81"
    packages = {"apt": [["libboost1.81-dev"], ["libboost-dev"]], "dnf": [["boost-devel"]], "pacman": [["boost"]], "brew": [["boost"]]}

    def version_of(self, numbers):
        number = int(numbers[0])
        return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"

    def describe(self, info):
        info.set_property("cmake_file_name", "Boost")
        headers = info.components["headers"]
        headers.set_property("cmake_target_name", "Boost::headers")
        headers.includedirs, headers.libdirs, headers.bindirs = info.includedirs, [], []
        # Components and the package's own paths do not go together.
        info.includedirs, info.libdirs = [], []
