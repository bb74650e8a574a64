import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.10.1"


class Xgrad(ConanFile):
    name = "xgrad"
    description = "Forward- and reverse-mode automatic differentiation on xtensor"
    license = "BSL-1.0"
    topics = ("automatic-differentiation", "gradient", "xtensor", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # Options change what is required, never what is packaged: all of them share one package.
    options = {"with_linalg": [True, False], "with_parallel": [True, False], "with_mpi": [True, False]}
    default_options = {"with_linalg": False, "with_parallel": False, "with_mpi": False}
    # Boost is needed for its headers alone.
    default_options["boost/*:header_only"] = True
    exports_sources = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "cmake/*", "docs/*", "examples/*",
                       "include/*", "perf/*", "test/*", "tools/*", "!*.pyc")
    no_copy_source = True

    def set_version(self):
        self.version = re.search(r"project\(xgrad VERSION ([0-9.]+)", load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))).group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # xtensor first: it may fix the version of xsimd, which is any in the range.
        self.requires("xtensor/[>=0.24 <0.28]")
        self.requires("xsimd/[>=8]")
        self.requires("boost/[>=1.81]")
        if self.options.with_linalg:
            # Not in Conan Center: conan/index has it.
            self.requires("xtensor-blas/[>=0.20 <0.24]")
        if self.options.with_parallel:
            self.requires("onetbb/[>=2021]")
        if self.options.with_mpi:
            self.requires("openmpi/[>=4]")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    @property
    def _with_tests(self):
        return not self.conf.get("tools.build:skip_test", default=False, check_type=bool)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["XGRAD_BUILD_TESTS"] = self._with_tests
        if self.options.with_linalg:
            toolchain.cache_variables["XGRAD_XTENSOR_BLAS_TARGET"] = "xtensor-blas"
        else:
            toolchain.cache_variables["XGRAD_XTENSOR_BLAS_INCLUDE_DIR"] = ""
        for name, package in (("parallel", "TBB"), ("mpi", "MPI")):
            if not self.options.get_safe(f"with_{name}"):
                toolchain.cache_variables[f"CMAKE_DISABLE_FIND_PACKAGE_{package}"] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        if self._with_tests:
            cmake.build()
            # What install/ tests is CMake's own package, which this one has no use for.
            cmake.ctest(cli_args=["--output-on-failure", "--exclude-regex", "^install/"])

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in ("pkgconfig", "doc"):
            rmdir(self, os.path.join(self.package_folder, "share", folder))
        modules = os.path.join(self.package_folder, "share", "cmake", "xgrad")
        for file in os.listdir(modules):
            if file not in self._modules:
                os.remove(os.path.join(modules, file))

    # xgrad_add_type_checks and xgrad_add_compile_budget
    _modules = ("xgradTypeChecks.cmake", "xgradCompileBudget.cmake")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "xgrad")
        self.cpp_info.set_property("cmake_build_modules", [os.path.join("share", "cmake", "xgrad", file) for file in self._modules])
        self._component("core", "xgrad::xgrad", "xgrad", ["xtensor::xtensor", "xsimd::xsimd", "boost::headers"])
        if self.options.with_linalg:
            self._component("linalg", "xgrad::linalg", "xgrad-linalg", ["core", "xtensor-blas::xtensor-blas"])
        if self.options.with_parallel:
            self._component("parallel", "xgrad::parallel", "xgrad-parallel", ["core", "onetbb::onetbb"])
            self.cpp_info.components["parallel"].system_libs = ["pthread"]
        if self.options.with_mpi:
            self._component("mpi", "xgrad::mpi", "xgrad-mpi", ["core", "openmpi::openmpi"])

    def _component(self, name, target, pkg_config, requires):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", target)
        component.set_property("pkg_config_name", pkg_config)
        component.bindirs = component.libdirs = []
        component.requires = requires
