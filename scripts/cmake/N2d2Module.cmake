# Modules that read files as a whole, and the counters that libFuzzer steers by.
set(N2D2_FUZZED config graph loader onnx)
set(N2D2_COUNTERS -fsanitize=fuzzer-no-link)

# Modules whose code is a small part of what tests run: under sanitizers they are compiled without optimization, in half the time.
set(N2D2_UNOPTIMIZED app config data delegates export loader modules passes pipeline plot quantize targets targets_all
    targets_cortexm targets_cpp targets_onnx targets_print training)

# For functions of thousands of reads and writes under clang's address sanitizer: addresses are checked by calls, not in place.
set(N2D2_CHECKED_BY_CALLS "")
if(N2D2_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(N2D2_CHECKED_BY_CALLS "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
endif()

# n2d2_precompiled(<target> <name>): with N2D2_PCH, the headers that nearly every file reads are parsed once for all
# targets of one name (all must be compiled with the same flags). TESTS: for tests only, so that a module's own includes are
# what the release build checks.
function(n2d2_precompiled target name)
  if(NOT N2D2_PCH OR (N2D2_PCH STREQUAL "TESTS" AND NOT name STREQUAL "tests"))
    return()
  endif()
  if(NOT TARGET n2d2_precompiled_${name})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_${name}.cpp CONTENT "// Generated: parses the headers.\n")
    add_library(n2d2_precompiled_${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled_${name}.cpp)
    set(headers <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <numeric> <optional> <set> <span>
        <sstream> <string> <string_view> <unordered_map> <variant> <vector>)
    target_link_libraries(n2d2_precompiled_${name} PRIVATE n2d2_warnings n2d2_sanitizers)
    if(name MATCHES "fuzzed")
      target_compile_options(n2d2_precompiled_${name} PRIVATE ${N2D2_COUNTERS})
    endif()
    if(name MATCHES "unoptimized")
      target_compile_options(n2d2_precompiled_${name} PRIVATE -O0)
    endif()
    if(name STREQUAL tests)
      target_link_libraries(n2d2_precompiled_${name} PRIVATE n2d2_test_options GTest::gtest)
      list(APPEND headers <gtest/gtest.h>)
    endif()
    target_precompile_headers(n2d2_precompiled_${name} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM n2d2_precompiled_${name})
endfunction()

# n2d2_module(<name> SOURCES a.cpp ... [DEPENDS module ...] [LIBRARIES target ...])
# One static library n2d2_<name>. DEPENDS are modules below (scripts/check_layers.py checks the includes);
# LIBRARIES are third-party targets that stay inside the module.
function(n2d2_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(n2d2_${name} STATIC ${ARG_SOURCES})
  target_include_directories(n2d2_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(n2d2_${name} PROPERTIES UNITY_BUILD ${N2D2_UNITY})
  set_property(GLOBAL APPEND PROPERTY N2D2_MODULES n2d2_${name})
  set(modules ${ARG_DEPENDS})
  list(TRANSFORM modules PREPEND n2d2_)
  target_link_libraries(n2d2_${name} PUBLIC ${modules} PRIVATE n2d2_warnings n2d2_sanitizers ${ARG_LIBRARIES})
  set(flags modules)
  if(N2D2_FUZZ AND name IN_LIST N2D2_FUZZED)
    target_compile_options(n2d2_${name} PRIVATE ${N2D2_COUNTERS})
    set(flags fuzzed)
  endif()
  if(N2D2_SANITIZE AND name IN_LIST N2D2_UNOPTIMIZED)
    target_compile_options(n2d2_${name} PRIVATE -O0)
    set(flags ${flags}_unoptimized)
  endif()
  if(NOT "OpenMP::OpenMP_CXX" IN_LIST ARG_LIBRARIES)  # which has flags of its own
    n2d2_precompiled(n2d2_${name} ${flags})
  endif()
endfunction()

# n2d2_tests(<name> LABEL unit|property|golden|errors|e2e|lint|suite SOURCES a_test.cpp ... [ALONE b_test.cpp ...] LIBRARIES n2d2_x ...)
# ALONE: sources that are never compiled with others, for they have helpers of the same names.
# One GoogleTest program; ctest sees each test by itself, labelled. With N2D2_WHOLE_PROGRAMS, as in CI, it sees each program in two
# halves that may run beside each other and print the name of each test that fails: starting a process a test is a third of what
# tests take under the sanitizers, and tests that disturb each other in one process are found.
# With N2D2_UNIT_TESTS=OPTIMIZED, those unit tests alone that an optimizer's or another compiler's code could fail. Not kernels:
# kernels_native holds this machine's forms to the same oracle, kernel_variants all others to these.
set(N2D2_OPTIMIZED_UNITS compute kernels_native kernel_variants program tensor)
function(n2d2_tests name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;ALONE;LIBRARIES;DEFINITIONS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES} ${ARG_ALONE})
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ${N2D2_UNITY})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE N2D2_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${ARG_DEFINITIONS})
  target_link_libraries(test_${name} PRIVATE ${ARG_LIBRARIES} n2d2_warnings n2d2_test_options n2d2_sanitizers
                                             GTest::gtest_main GTest::gmock)
  if(NOT "OpenMP::OpenMP_CXX" IN_LIST ARG_LIBRARIES)
    n2d2_precompiled(test_${name} tests)
  endif()
  if(ARG_LABEL STREQUAL "unit" AND N2D2_UNIT_TESTS STREQUAL "OPTIMIZED" AND NOT name IN_LIST N2D2_OPTIMIZED_UNITS)
    set_target_properties(test_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(N2D2_WHOLE_PROGRAMS)
    set(cost 0)
    if(ARG_LABEL MATCHES "e2e|property|errors")  # begin early: at the end a minute would leave other processors without work
      set(cost 50)
    endif()
    foreach(half RANGE 1)
      add_test(NAME ${name}.${half} COMMAND test_${name} --gtest_brief=1)
      set_tests_properties(${name}.${half} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 1800 COST ${cost}
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
    endforeach()
  else()
    gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
