import glob
import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.system.package_manager import Apt, Brew, Dnf, PacMan

required_conan_version = ">=2.10.1"


class SystemPackage:
    """What the wrappers of this index share: nothing is built or packaged, the headers and libraries are the distribution's.

    A wrapper says which headers tell the version (`headers`, and `number`, which finds its parts in their text), the oldest version
    that will do, and the packages that have it, by package manager. Prefixes other than the compiler's own are given by
    -c user.xgrad:prefixes="['/opt/homebrew']".
    """
    version = "system"
    package_type = "header-library"
    # There is nothing to build: consumers need not say --build=missing.
    build_policy = "missing"
    settings = "os", "arch", "compiler", "build_type"
    headers = ()
    number = r"#define \w+_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"
    oldest = ""
    packages = {}

    def package_id(self):
        self.info.clear()

    def version_of(self, numbers):
        return ".".join(numbers)

    @property
    def prefixes(self):
        return self.conf.get("user.xgrad:prefixes", default=["/usr/local", "/usr"], check_type=list)

    def found(self):
        """The prefix and the version, or two empty strings."""
        for prefix in self.prefixes:
            for header in self.headers:
                for path in glob.glob(os.path.join(prefix, "include", header)):
                    self.header = os.path.realpath(path)
                    with open(path, encoding="utf-8") as file:
                        return prefix, self.version_of(re.findall(self.number, file.read()))
        return "", ""

    def lacks(self):
        """What is missing, as the end of a sentence; nothing where all is there."""
        _, version = self.found()
        if not version:
            header = self.headers[0].removeprefix('*/')
            return f"no {header} below {' or '.join(self.prefixes)}"
        if [int(part) for part in version.split(".")] < [int(part) for part in self.oldest.split(".")]:
            return f"version {version}"
        return ""

    def system_requirements(self):
        mode = self.conf.get("tools.system.package_manager:mode", default="check")
        if self.lacks() and mode in ("install", "report-installed", "report"):
            managers = {"apt": Apt, "dnf": Dnf, "pacman": PacMan, "brew": Brew}
            for manager, names in self.packages.items():
                managers[manager](self).install_substitutes(*names, update=True)
        lack = self.lacks()
        if lack and mode != "report":
            names = ", ".join(f"{manager}: {' '.join(names[0])}" for manager, names in self.packages.items())
            raise ConanException(f"{self.name}/system requires {self.name} {self.oldest} or later, found {lack}: "
                                 f"install the package ({names}), or let Conan do it by -c tools.system.package_manager:mode=install")

    def package_info(self):
        prefix, version = self.found()
        own = prefix not in ("", "/usr", "/usr/local")
        self.cpp_info.includedirs = [os.path.join(prefix, "include")] if own else []
        self.cpp_info.libdirs = [os.path.join(prefix, "lib")] if own else []
        self.cpp_info.bindirs = []
        self.cpp_info.set_property("system_package_version", version)
        self.describe(self.cpp_info)


class Package(ConanFile):
    name = "system-package"
    version = "1.0"
    description = "The base of the recipes that take a package from the distribution"
    license = "BSL-1.0"
    package_type = "python-require"
