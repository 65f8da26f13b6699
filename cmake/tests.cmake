# SPDX-License-Identifier: Apache-2.0
# tests/<room>/test_<name>.cpp becomes the GoogleTest program test_<room>_<name> and the CTest test <room>.<name> with
# label <room>. Lines of its head comment say more:
#   // ranks: 1 2 4    one test per count, started by mpirun, named <room>.<name>.np<count>, with label mpi as well
#   // include: DIR    looked into for headers before src
#   // label: gpu      one more label: gpu may be skipped where there is none; slow is not for scripts/test.sh --quick
# tests/cases/*.sh and tests/cases/test_*.py run as they are: SCRIPT AGWAVE SOURCE_DIR PYTHON. Their heads may have a "# label:" too, and "# ranks: 2"
# where they keep two processors busy.
# Exit 77 means skipped.
find_package(GTest QUIET)
agwave_require("${GTest_FOUND}" GoogleTest libgtest-dev "Or configure with -DAGWAVE_TESTS=OFF.")

set(AGWAVE_PYTHON "" CACHE FILEPATH "Python for the tests; empty: .venv of the source tree, else the first python3")
set(python "${AGWAVE_PYTHON}")
if(NOT python AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python")
  set(python "${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python")
elseif(NOT python)
  find_program(AGWAVE_PYTHON3 python3)
  mark_as_advanced(AGWAVE_PYTHON3)
  set(python "${AGWAVE_PYTHON3}")
endif()

set(mpi_flags "")
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE mpiexec_version ERROR_QUIET)
if(mpiexec_version MATCHES "Open ?MPI|OpenRTE|open-mpi|PRRTE")
  set(mpi_flags --oversubscribe --allow-run-as-root --bind-to none)
endif()

set(test_threads 1)  # of a rank
set(test_timeout 600)
set(test_slowdown 1)
if(CMAKE_BUILD_TYPE STREQUAL Tsan)
  set(test_threads 2)
endif()
if(CMAKE_BUILD_TYPE MATCHES "^(Asan|Tsan)$")
  set(test_timeout 1800)
  set(test_slowdown 20)  # what a test allows of CPU time is for programs without sanitizers
endif()

set(test_manifest "")  # "<test> <ranks> <program> <label,...>" per line: gpu_check.sh runs copied test programs by it
function(agwave_add_test name ranks labels)
  set(work "${CMAKE_CURRENT_BINARY_DIR}/tests/work/${name}")
  file(MAKE_DIRECTORY "${work}")
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${work}")
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77 PROCESSORS ${ranks}
    ENVIRONMENT "OMP_NUM_THREADS=${test_threads};AGWAVE_TEST_SLOWDOWN=${test_slowdown};OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
endfunction()

macro(agwave_read_head source room)  # sets labels and counts
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")  # the comments may change
  file(STRINGS "${source}" head REGEX "^(//|#) (label|ranks|include):")
  set(includes "")
  set(labels ${room})
  set(counts "")
  foreach(line IN LISTS head)
    if(line MATCHES "include: *([a-z0-9_/]+)")
      list(APPEND includes "${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_1}")
    elseif(line MATCHES "label: *([a-z0-9_]+)")
      list(APPEND labels ${CMAKE_MATCH_1})
    elseif(line MATCHES "ranks: *([0-9 ]+)")
      string(STRIP "${CMAKE_MATCH_1}" counts)
      string(REGEX REPLACE " +" ";" counts "${counts}")
    endif()
  endforeach()
endmacro()

add_library(agwave_test_main OBJECT tests/test_main.cpp)
target_link_libraries(agwave_test_main PUBLIC agwave_core GTest::gtest)
target_compile_definitions(agwave_test_main PUBLIC AGWAVE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
target_precompile_headers(agwave_test_main PRIVATE tests/most_include.hpp)

foreach(room unit kernels cases)
  add_custom_target(tests_${room})
  file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/${room}/test_*.cpp")
  foreach(source IN LISTS test_sources)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "^test_" "" name "${stem}")
    set(program test_${room}_${name})
    add_executable(${program} "${source}")
    target_link_libraries(${program} PRIVATE agwave_test_main agwave_core)
    target_precompile_headers(${program} REUSE_FROM agwave_test_main)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/tests")
    add_dependencies(tests_${room} ${program})

    agwave_read_head("${source}" ${room})
    target_include_directories(${program} BEFORE PRIVATE ${includes})
    if(includes)  # device code on a CPU, whose compiler does not know how nvcc unrolls loops
      target_compile_options(${program} PRIVATE -Wno-unknown-pragmas)
    endif()
    string(REPLACE ";" "," label_list "${labels}")
    if(NOT counts)
      agwave_add_test(${room}.${name} 1 "${labels}" ${program})
      string(APPEND test_manifest "${room}.${name} 1 ${program} ${label_list}\n")
    endif()
    foreach(count IN LISTS counts)
      agwave_add_test(${room}.${name}.np${count} ${count} "${labels};mpi"
        "${MPIEXEC_EXECUTABLE}" ${mpi_flags} ${MPIEXEC_NUMPROC_FLAG} ${count} $<TARGET_FILE:${program}>)
      string(APPEND test_manifest "${room}.${name}.np${count} ${count} ${program} ${label_list}\n")
    endforeach()
  endforeach()
endforeach()
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/tests/manifest.txt" "${test_manifest}")

# Fuzz targets around what they have found so far, without libFuzzer.
file(GLOB fuzz_targets CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/fuzz_*.cpp")
foreach(source IN LISTS fuzz_targets)
  cmake_path(GET source STEM stem)
  string(REGEX REPLACE "^fuzz_" "" name "${stem}")
  add_executable(corpus_${name} "${source}" tests/fuzz/replay.cpp)
  target_link_libraries(corpus_${name} PRIVATE agwave_core)
  set_target_properties(corpus_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/tests")
  add_dependencies(tests_unit corpus_${name})
  agwave_add_test(unit.corpus_${name} 1 unit "${python}" "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/replay.py" $<TARGET_FILE:corpus_${name}> ${name})
endforeach()

# A sanitized build must report a planted fault; its report does not go to the log files that scripts/sanitize.sh looks for.
set(planted_Asan address "AddressSanitizer: heap-buffer-overflow" undefined "runtime error: signed integer overflow")
set(planted_Tsan thread "ThreadSanitizer: data race")
set(planted ${planted_${CMAKE_BUILD_TYPE}})
if(planted)
  add_executable(planted_fault tests/sanitizers/planted.cpp)
  add_dependencies(tests_unit planted_fault)
endif()
while(planted)
  list(POP_FRONT planted kind report)
  agwave_add_test(unit.planted_${kind} 1 unit planted_fault ${kind})
  set_tests_properties(unit.planted_${kind} PROPERTIES PASS_REGULAR_EXPRESSION "${report}" ENVIRONMENT "ASAN_OPTIONS=;UBSAN_OPTIONS=;TSAN_OPTIONS=")
endwhile()

file(GLOB test_scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/*.sh" "${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/test_*.py")
foreach(script IN LISTS test_scripts)
  cmake_path(GET script STEM stem)
  cmake_path(GET script EXTENSION LAST_ONLY extension)
  string(REGEX REPLACE "^test_" "" name "${stem}")
  set(interpreter bash)
  if(extension STREQUAL ".py")
    set(interpreter "${python}")
  endif()
  agwave_read_head("${script}" cases)
  if(NOT counts)
    set(counts 1)
  endif()
  agwave_add_test(cases.${name} ${counts} "${labels}" "${interpreter}" "${script}" $<TARGET_FILE:agwave> "${CMAKE_CURRENT_SOURCE_DIR}" "${python}")
endforeach()
