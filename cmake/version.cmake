# SPDX-License-Identifier: Apache-2.0
# Build facts for src/files/version.cpp.in. Included: adds a target that runs this same file as a script before each build, so
# that the commit is right in incremental builds too; version.cpp is rewritten only when something changed.
if(CMAKE_SCRIPT_MODE_FILE)
  set(hash "")
  execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --show-prefix OUTPUT_VARIABLE prefix RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0 AND prefix STREQUAL "")  # a repository around an unpacked archive is not ours
    execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --exclude=* OUTPUT_VARIABLE hash
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(hash)
    set(AGWAVE_COMMIT "${hash}")
  elseif(NOT AGWAVE_COMMIT)
    set(AGWAVE_COMMIT unknown)
  endif()
  configure_file("${SOURCE_DIR}/src/files/version.cpp.in" "${OUTPUT}" @ONLY)
  return()
endif()

set(AGWAVE_COMMIT "" CACHE STRING "Commit to report where git cannot tell, as in a copied tree")
set(AGWAVE_VERSION_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/version.cpp")
set(cuda_compiler "")
if(AGWAVE_WITH_CUDA)
  set(cuda_compiler "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
add_custom_target(agwave_version
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}" "-DOUTPUT=${AGWAVE_VERSION_SOURCE}"
    "-DAGWAVE_VERSION=${PROJECT_VERSION}" "-DAGWAVE_COMMIT=${AGWAVE_COMMIT}" "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
    "-DAGWAVE_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DAGWAVE_CUDA_COMPILER=${cuda_compiler}"
    -P "${CMAKE_CURRENT_LIST_FILE}"
  BYPRODUCTS "${AGWAVE_VERSION_SOURCE}" COMMENT "Looking up the commit" VERBATIM)
