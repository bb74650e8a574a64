import os

from conan import ConanFile
from conan.tools.files import copy
from conan.tools.scm import Git

required_conan_version = ">=2.10.1"


class XtensorBlas(ConanFile):
    name = "xtensor-blas"
    license = "BSD-3-Clause"
    description = "The authors' xtensor-blas, with the openblas of the Conan remotes"
    package_type = "header-library"
    # Its headers are all there is to it: consumers need not say --build=missing.
    build_policy = "missing"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def requirements(self):
        self.requires("xtensor/" + self.conan_data["versions"][self.version]["xtensor"])
        self.requires("openblas/[>=0.3]")

    def package_id(self):
        self.info.clear()

    def source(self):
        git = Git(self)
        git.clone(self.conan_data["url"], target=".")
        git.checkout(self.conan_data["versions"][self.version]["commit"])

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "xtensor-blas")
        self.cpp_info.set_property("cmake_target_name", "xtensor-blas")
