# SPDX-License-Identifier: Apache-2.0
"""Spack builds the clone that this file lies in:  spack repo add packaging/spack && spack install agwave +cuda cuda_arch=90"""
import pathlib

from spack.package import *


class Agwave(CMakePackage, CudaPackage):
    """Ocean acoustic-gravity waves from a moving seafloor: high-order finite elements on CPUs and NVIDIA GPUs."""

    git = "file://" + str(pathlib.Path(__file__).resolve().parents[4])
    license("Apache-2.0")

    version("main", get_full_repo=True)

    variant("netcdf", default=True, description="Read netCDF grids")
    variant("proj", default=True, description="Accept longitudes and latitudes")
    variant("blas", default=False, description="Operator dense-gemm on CPUs")
    variant("openmp", default=True, description="Threads on CPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("hdf5+hl")
    depends_on("yaml-cpp")
    depends_on("cli11@2:")
    depends_on("nlohmann-json")
    depends_on("highway@1:")
    depends_on("netcdf-c", when="+netcdf")
    depends_on("proj@8:", when="+proj")
    depends_on("openblas", when="+blas")
    depends_on("googletest", type="test")

    conflicts("cuda_arch=none", when="+cuda", msg="give cuda_arch, such as 80, 90 or 100")

    def cmake_args(self):
        args = [
            self.define_from_variant("AGWAVE_CUDA", "cuda"),
            self.define_from_variant("AGWAVE_NETCDF", "netcdf"),
            self.define_from_variant("AGWAVE_PROJ", "proj"),
            self.define_from_variant("AGWAVE_BLAS", "blas"),
            self.define("AGWAVE_TESTS", self.run_tests),
            self.define("AGWAVE_CPU_ARCH", ""),  # Spack's compiler wrapper gives the target
            self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenMP", self.spec.satisfies("~openmp")),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(self.spec.variants["cuda_arch"].value)))
        return args
