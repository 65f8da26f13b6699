# SPDX-License-Identifier: Apache-2.0
# Finds every library and gathers them in agwave_dependencies. A missing one stops with the package that brings it and,
# where there is one, the option that does without it.
add_library(agwave_dependencies INTERFACE)
target_link_libraries(agwave_dependencies INTERFACE ${CMAKE_DL_LIBS})  # NVML is opened at run time

function(agwave_require found name package)
  if(NOT found)
    message(FATAL_ERROR "${name} was not found. On Debian or Ubuntu: apt-get install ${package} (scripts/install_deps.sh does). "
      "Elsewhere: load its module or add its prefix to CMAKE_PREFIX_PATH. ${ARGN}")
  endif()
endfunction()

# The C interfaces only: the C++ bindings of both MPI families are deprecated and warn.
find_package(MPI QUIET COMPONENTS C)
agwave_require("${MPI_C_FOUND}" MPI libopenmpi-dev)
target_link_libraries(agwave_dependencies INTERFACE MPI::MPI_C)
target_compile_definitions(agwave_dependencies INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

find_package(HDF5 QUIET COMPONENTS C HL)
agwave_require("${HDF5_FOUND}" "HDF5 with its high-level library" libhdf5-dev)
target_link_libraries(agwave_dependencies INTERFACE hdf5::hdf5_hl hdf5::hdf5)

if(AGWAVE_STATIC_YAML)
  find_library(AGWAVE_YAML_ARCHIVE libyaml-cpp.a)
  find_path(AGWAVE_YAML_INCLUDE yaml-cpp/yaml.h)
  agwave_require("${AGWAVE_YAML_ARCHIVE}" libyaml-cpp.a libyaml-cpp-dev "Or configure with -DAGWAVE_STATIC_YAML=OFF.")
  target_link_libraries(agwave_dependencies INTERFACE "${AGWAVE_YAML_ARCHIVE}")
  target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_YAML_INCLUDE}")
else()
  find_package(yaml-cpp CONFIG QUIET)
  agwave_require("${yaml-cpp_FOUND}" yaml-cpp libyaml-cpp-dev)
  target_link_libraries(agwave_dependencies INTERFACE $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)  # 0.8, 0.7
endif()

# Headers only: its library would have to travel with a binary that moves.
find_path(AGWAVE_HIGHWAY_INCLUDE hwy/foreach_target.h)
mark_as_advanced(AGWAVE_HIGHWAY_INCLUDE)
agwave_require("${AGWAVE_HIGHWAY_INCLUDE}" Highway libhwy-dev)
target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_HIGHWAY_INCLUDE}")

find_package(Threads REQUIRED)  # files are written beside the time loop
target_link_libraries(agwave_dependencies INTERFACE Threads::Threads)

find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  target_link_libraries(agwave_dependencies INTERFACE OpenMP::OpenMP_CXX)
else()
  message(STATUS "OpenMP was not found: a rank has one thread on the CPU")
endif()

find_package(CLI11 CONFIG QUIET)
agwave_require("${CLI11_FOUND}" CLI11 libcli11-dev)
find_package(nlohmann_json CONFIG QUIET)
agwave_require("${nlohmann_json_FOUND}" "nlohmann/json" nlohmann-json3-dev)
target_link_libraries(agwave_dependencies INTERFACE CLI11::CLI11 nlohmann_json::nlohmann_json)

if(AGWAVE_NETCDF)  # no CONFIG: several distributions ship one that refers to HDF5 targets nobody defines
  find_path(AGWAVE_NETCDF_INCLUDE netcdf.h HINTS ENV NETCDF_C_DIR ENV NETCDF_DIR ENV NETCDF_ROOT PATH_SUFFIXES include)
  find_library(AGWAVE_NETCDF_LIBRARY netcdf HINTS ENV NETCDF_C_DIR ENV NETCDF_DIR ENV NETCDF_ROOT PATH_SUFFIXES lib lib64)
  mark_as_advanced(AGWAVE_NETCDF_INCLUDE AGWAVE_NETCDF_LIBRARY)
  if(AGWAVE_NETCDF_INCLUDE AND AGWAVE_NETCDF_LIBRARY)
    set(netcdf_found TRUE)
  endif()
  agwave_require("${netcdf_found}" "netCDF (C library)" libnetcdf-dev "Or configure with -DAGWAVE_NETCDF=OFF and bring grids through `agwave prepare`.")
  target_link_libraries(agwave_dependencies INTERFACE "${AGWAVE_NETCDF_LIBRARY}")
  target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_NETCDF_INCLUDE}")
endif()

if(AGWAVE_PROJ)
  find_package(PROJ CONFIG QUIET)
  agwave_require("${PROJ_FOUND}" PROJ libproj-dev "Or configure with -DAGWAVE_PROJ=OFF and bring lon/lat domains through `agwave prepare`.")
  target_link_libraries(agwave_dependencies INTERFACE PROJ::proj)
endif()

set(AGWAVE_WITH_BLAS OFF)
if(AGWAVE_BLAS)
  find_package(BLAS QUIET)
  find_path(AGWAVE_BLAS_INCLUDE cblas.h HINTS ENV OPENBLAS_HOME ENV OpenBLAS_HOME PATH_SUFFIXES include openblas include/openblas)
  mark_as_advanced(AGWAVE_BLAS_INCLUDE)
  if(BLAS_FOUND AND AGWAVE_BLAS_INCLUDE)
    include(CMakePushCheckState)
    include(CheckSymbolExists)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES})
    set(CMAKE_REQUIRED_INCLUDES "${AGWAVE_BLAS_INCLUDE}")
    check_symbol_exists(cblas_dgemm cblas.h AGWAVE_CBLAS_LINKS)
    cmake_pop_check_state()
  endif()
  if(AGWAVE_CBLAS_LINKS)
    set(AGWAVE_WITH_BLAS ON)
    target_link_libraries(agwave_dependencies INTERFACE ${BLAS_LIBRARIES})
    target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_BLAS_INCLUDE}")
  else()
    message(STATUS "no BLAS with cblas.h was found (libopenblas-dev): variant dense-gemm is left out on CPUs")
  endif()
endif()

set(AGWAVE_WITH_NVTX OFF)
set(AGWAVE_WITH_NCCL OFF)
set(AGWAVE_WITH_CUBLAS OFF)
if(AGWAVE_WITH_CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_link_libraries(agwave_dependencies INTERFACE CUDA::cudart_static)
  find_path(AGWAVE_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)  # header only
  mark_as_advanced(AGWAVE_NVTX_INCLUDE)
  if(AGWAVE_NVTX_INCLUDE)
    set(AGWAVE_WITH_NVTX ON)
  endif()
  # Only the header: the library is opened at run time. AGWAVE_NCCL_INCLUDE=OFF builds without.
  find_path(AGWAVE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME ENV NCCL_ROOT PATH_SUFFIXES include)
  mark_as_advanced(AGWAVE_NCCL_INCLUDE)
  if(AGWAVE_NCCL_INCLUDE)
    set(AGWAVE_WITH_NCCL ON)
    target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_NCCL_INCLUDE}")
  endif()
  # Likewise. AGWAVE_CUBLAS_INCLUDE=OFF builds without.
  find_path(AGWAVE_CUBLAS_INCLUDE cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(AGWAVE_CUBLAS_INCLUDE)
  if(AGWAVE_CUBLAS_INCLUDE)
    set(AGWAVE_WITH_CUBLAS ON)
    target_include_directories(agwave_dependencies SYSTEM INTERFACE "${AGWAVE_CUBLAS_INCLUDE}")
  endif()
endif()

# h5cc and others list libraries that only they need; keep them out of the binary, so that it starts on leaner machines.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:--as-needed AGWAVE_LINKER_AS_NEEDED)
if(AGWAVE_LINKER_AS_NEEDED)
  target_link_options(agwave_dependencies INTERFACE LINKER:--as-needed)
endif()
