# What export/CPP/kernels/kernels.list names, for the build: the headers <unit>_variants.hpp, which pick a form of a
# unit, and the test of every form.

# Instruction sets that kernels.list may name: flags of the compiler, features of the processor (those of
# __builtin_cpu_supports). N2D2_ISAS_<machine>: those of a Target of the export (targets/cpp/parameters.hpp); `generic`
# has all.
set(N2D2_ISAS_x86 sse2 avx2 avxvnni avx512 avx512_vnni amx)
set(N2D2_ISAS_arm64 neon dotprod i8mm)
set(N2D2_ISAS_cortex-m mve dsp nofpu)
set(N2D2_ISA_FLAGS_sse2 -msse2)
set(N2D2_ISA_CPU_sse2 sse2)
set(N2D2_ISA_FLAGS_avx2 -mavx2)
set(N2D2_ISA_CPU_avx2 avx2)
set(N2D2_ISA_FLAGS_avxvnni -mavx2 -mavxvnni)
set(N2D2_ISA_CPU_avxvnni avx2 avxvnni)
set(N2D2_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq)
set(N2D2_ISA_CPU_avx512 avx512f avx512bw avx512vl avx512dq)
set(N2D2_ISA_FLAGS_avx512_vnni ${N2D2_ISA_FLAGS_avx512} -mavx512vnni)
set(N2D2_ISA_CPU_avx512_vnni ${N2D2_ISA_CPU_avx512} avx512vnni)
set(N2D2_ISA_FLAGS_amx ${N2D2_ISA_FLAGS_avx512_vnni} -mamx-tile -mamx-int8)
set(N2D2_ISA_CPU_amx ${N2D2_ISA_CPU_avx512_vnni})  # its forms run without tiles, too
# Plain C++, which every machine runs.
set(N2D2_ISA_FLAGS_nofpu -DN2D2_PORTABLE -DN2D2_ISA_NOFPU)
# Tested under emulation, wherever the build runs: an emulated processor that has them and none of those after them.
set(N2D2_ISA_FLAGS_neon -march=armv8-a)
set(N2D2_ISA_EMULATED_neon cortex-a53)
set(N2D2_ISA_FLAGS_dotprod -march=armv8.2-a+dotprod)
set(N2D2_ISA_EMULATED_dotprod cortex-a76)
set(N2D2_ISA_FLAGS_i8mm -march=armv8.2-a+dotprod+i8mm)
set(N2D2_ISA_EMULATED_i8mm max)
# Tested as firmware (tests/targets/cortexm); the core is the one whose board QEMU emulates.
set(N2D2_ISA_FLAGS_dsp -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
set(N2D2_ISA_EMULATED_dsp cortex-m4)
set(N2D2_ISA_FLAGS_mve -mcpu=cortex-m55 -mthumb -mfloat-abi=hard)
set(N2D2_ISA_EMULATED_mve cortex-m55)

# n2d2_kernel_list(<units> <isas>): what kernels.list names, each once and in its order. N2D2_ISAS_OF_<unit>: the
# instruction sets of a unit.
macro(n2d2_kernel_list units isas)
  set(n2d2_list ${CMAKE_SOURCE_DIR}/export/CPP/kernels/kernels.list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${n2d2_list})
  file(STRINGS ${n2d2_list} n2d2_words REGEX "^[^#]")
  set(${units} "")
  set(${isas} "")
  foreach(word IN LISTS n2d2_words)
    string(REGEX MATCH "^([a-z0-9]+)_([a-z0-9_]+)$" n2d2_found "${word}")
    set(n2d2_unit "${CMAKE_MATCH_1}")
    set(n2d2_isa "${CMAKE_MATCH_2}")
    if(NOT DEFINED N2D2_ISA_FLAGS_${n2d2_isa})
      message(FATAL_ERROR "kernels.list: '${word}' is not <unit>_<instruction set of N2d2Variants.cmake>")
    endif()
    if(NOT EXISTS ${CMAKE_SOURCE_DIR}/export/CPP/kernels/${word}.hpp)
      message(FATAL_ERROR "kernels.list: '${word}' has no ${word}.hpp")
    endif()
    if(NOT n2d2_unit IN_LIST ${units})
      set(N2D2_ISAS_OF_${n2d2_unit} "")
    endif()
    list(APPEND ${units} ${n2d2_unit})
    list(APPEND ${isas} ${n2d2_isa})
    list(APPEND N2D2_ISAS_OF_${n2d2_unit} ${n2d2_isa})
  endforeach()
  list(REMOVE_DUPLICATES ${units})
  list(REMOVE_DUPLICATES ${isas})
endmacro()

# n2d2_pick(<out> <line> <else> <isa> ...): `line` for the first instruction set that the compiler offers, @isa@ in it
# its name; `else`, which may be empty, for none.
function(n2d2_pick out line else)
  set(text "")
  set(if "#if")
  foreach(isa IN LISTS ARGN)
    string(TOUPPER ${isa} macro)
    string(CONFIGURE "${line}" this @ONLY)
    string(APPEND text "${if} defined(N2D2_ISA_${macro})\n${this}\n")
    set(if "#elif")
  endforeach()
  if(text STREQUAL "")
    set(text "${else}\n")
  elseif(else STREQUAL "")
    string(APPEND text "#endif\n")
  else()
    string(APPEND text "#else\n${else}\n#endif\n")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# n2d2_kernel_variants(<folder>): writes <folder>/<machine>/<unit>_variants.hpp, which the unit's header includes at
# its end. n2d2_kernel_variants is the target to link for the kernels with those of `generic`.
function(n2d2_kernel_variants folder)
  n2d2_kernel_list(units isas)
  set(N2D2_ISAS_generic ${isas})
  foreach(machine IN ITEMS generic x86 arm64 cortex-m)
    foreach(unit IN LISTS units)
      set(of_machine "")
      foreach(isa IN LISTS N2D2_ISAS_OF_${unit})
        if(isa IN_LIST N2D2_ISAS_${machine})
          list(APPEND of_machine ${isa})
        endif()
      endforeach()
      n2d2_pick(text "#include \"${unit}_@isa@.hpp\"" "" ${of_machine})
      file(CONFIGURE OUTPUT ${folder}/${machine}/${unit}_variants.hpp @ONLY CONTENT
"// Answers: which form of `${unit}` does the instruction set of the compiler have?
// Part of an exported project; may be used without condition. Generated from kernels.list.
//
// No config fields.
#pragma once

#include \"isa.hpp\"

namespace N2D2_EXPORT_NAMESPACE {}  // the text of each export is its own: compilers take equal files for one

${text}")
    endforeach()
  endforeach()
  add_library(n2d2_kernel_variants INTERFACE)
  target_include_directories(n2d2_kernel_variants INTERFACE ${CMAKE_SOURCE_DIR}/export/CPP/kernels ${folder}/generic)
endfunction()

# n2d2_variant_lists(<folder> <build> ...): <folder>/variant_list.inc lists N2D2_KERNEL_BUILD(name, runs here) and
# N2D2_KERNEL_VARIANT(unit, name) of the builds; <folder>/picked_variants.inc N2D2_KERNEL_PICKED(unit, name) for the
# compiler's flags.
function(n2d2_variant_lists folder)
  n2d2_kernel_list(units isas)
  set(list "")
  set(picked "#include \"isa.hpp\"\n")
  foreach(unit IN LISTS units)
    n2d2_pick(text "N2D2_KERNEL_PICKED(${unit}, @isa@)" "N2D2_KERNEL_PICKED(${unit}, portable)"
              ${N2D2_ISAS_OF_${unit}})
    string(APPEND picked "${text}")
    foreach(isa IN LISTS N2D2_ISAS_OF_${unit})
      if(isa IN_LIST ARGN)
        string(APPEND list "N2D2_KERNEL_VARIANT(${unit}, ${isa})\n")
      endif()
    endforeach()
  endforeach()
  foreach(build IN LISTS ARGN)
    set(runs "true")
    foreach(feature IN LISTS N2D2_ISA_CPU_${build})
      string(APPEND runs " && __builtin_cpu_supports(\"${feature}\")")
    endforeach()
    string(APPEND list "N2D2_KERNEL_BUILD(${build}, ${runs})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/variant_list.inc CONTENT "${list}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/picked_variants.inc CONTENT "${picked}" @ONLY)
endfunction()

# n2d2_kernel_variant_objects(<target> <source> <folder> <model>): compiles the source once for each instruction set of
# kernels.list that the compiler knows, as `portable` and `plain` (no vectors), and on x86 as `model` and `amx_model`: the
# forms for AVX-512, and those for AMX, with <model>/immintrin.h in place of the instructions. Each with N2D2_VARIANT=<name>
# and in its own kernel namespace, into <target>. Under sanitizers without `plain` and without the forms that `model` stands
# for, which take minutes; without the models where N2D2_UNIT_TESTS is OPTIMIZED. <folder> gets the lists of the builds.
# Those that are emulated are left to n2d2_emulated_kernel_variants.
function(n2d2_kernel_variant_objects target source folder model)
  include(CheckCXXCompilerFlag)
  n2d2_kernel_list(units isas)
  set(builds portable)
  if(NOT N2D2_SANITIZE)
    list(APPEND builds plain)
  endif()
  foreach(isa IN LISTS isas)
    if(DEFINED N2D2_ISA_EMULATED_${isa})
      continue()
    endif()
    string(REPLACE ";" " " flags "${N2D2_ISA_FLAGS_${isa}}")
    check_cxx_compiler_flag("${flags}" N2D2_HAS_ISA_${isa})
    # clang++-14 compiles for AVX-VNNI, but cannot ask the processor for it.
    if(N2D2_HAS_ISA_${isa} AND NOT (N2D2_SANITIZE AND isa MATCHES "avx512|amx") AND
       NOT (isa STREQUAL "avxvnni" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
      list(APPEND builds ${isa})
    endif()
  endforeach()
  set(N2D2_ISA_FLAGS_portable -DN2D2_PORTABLE)
  set(N2D2_ISA_FLAGS_plain -DN2D2_PORTABLE -DN2D2_VECTOR=0)
  if(sse2 IN_LIST builds)
    # Tiles of up to three pixels are all kinds of tiles; more of them take minutes to compile, and the kernels that run in
    # process have them all.
    set(few_tiles -DN2D2_PACKED_PIXELS=3)
    list(APPEND N2D2_ISA_FLAGS_amx ${few_tiles})
    list(APPEND N2D2_ISA_FLAGS_avx512_vnni ${few_tiles})
    set(N2D2_ISA_FLAGS_model -I${model} -Wno-psabi ${few_tiles})
    foreach(extension IN ITEMS F BW VL DQ VNNI)
      list(APPEND N2D2_ISA_FLAGS_model -D__AVX512${extension}__)
    endforeach()
    if(NOT N2D2_UNIT_TESTS STREQUAL "OPTIMIZED")  # calls, not instructions: nothing that optimization could change
      list(APPEND builds model amx_model)
    endif()
    set(N2D2_ISA_FLAGS_amx_model ${N2D2_ISA_FLAGS_model} -D__AMX_TILE__ -D__AMX_INT8__)
  endif()
  foreach(build IN LISTS builds)
    add_library(${target}_${build} OBJECT ${source})
    target_include_directories(${target}_${build} PRIVATE ${folder} ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(${target}_${build} PRIVATE N2D2_VARIANT=${build}
                                                          N2D2_EXPORT_NAMESPACE=n2d2_kernels_${build} N2D2_ONE_COPY)
    target_compile_options(${target}_${build} PRIVATE -O1 ${N2D2_ISA_FLAGS_${build}})
    if(N2D2_SANITIZE AND build MATCHES "model")  # calls in place of instructions: a minute of compiling for seconds of tests
      target_compile_options(${target}_${build} PRIVATE -O0)
    endif()
    target_link_libraries(${target}_${build} PRIVATE n2d2_kernel_variants n2d2_warnings)
    if(build STREQUAL "portable")
      # what the others are compared with; test_kernels has it sanitized
    elseif(N2D2_CHECKED_BY_CALLS)
      # Reads beyond arrays are what they must not do; checked by calls, these functions compile in a fifth of the time.
      target_compile_options(${target}_${build} PRIVATE -fsanitize=address -fno-omit-frame-pointer ${N2D2_CHECKED_BY_CALLS})
    else()
      target_link_libraries(${target}_${build} PRIVATE n2d2_sanitizers)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${build}>)
  endforeach()
  n2d2_variant_lists(${folder} ${builds})
endfunction()

# n2d2_cross_object(<list> <compiler> <name> <source> <option> ...): appends the object to the list.
function(n2d2_cross_object list compiler name source)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/emulated/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${compiler} -std=c++20 -O1 ${ARGN} -MMD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
  set(${list} ${${list}} ${object} PARENT_SCOPE)
endfunction()

# n2d2_emulated_kernel_variants(<name> <kernels> <test> <variants> <folder> <source> ...): the test of
# n2d2_kernel_variant_objects for the instruction sets that are emulated: <kernels> once for each of them and as `portable`, with
# <test> and GoogleTest in one program that ctest runs once for each, on its processor. <variants> has the headers that pick
# forms. Each <source> is compiled into it, too; ctest runs the tests that name no instruction set once, as <name>.all, on a
# processor that has all of them.
function(n2d2_emulated_kernel_variants name kernels test variants folder)
  find_program(N2D2_AARCH64_CXX aarch64-linux-gnu-g++)
  find_program(N2D2_QEMU_AARCH64 qemu-aarch64)
  find_path(N2D2_GTEST_SOURCE src/gtest-all.cc PATHS /usr/src/googletest/googletest)
  if(NOT N2D2_AARCH64_CXX OR NOT N2D2_QEMU_AARCH64 OR NOT N2D2_GTEST_SOURCE)
    message(STATUS "${name}: skipped (wants aarch64-linux-gnu-g++, qemu-aarch64 and the source of GoogleTest)")
    return()
  endif()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/emulated)
  set(options -Wall -Wextra -Werror -I${folder} -I${CMAKE_SOURCE_DIR}/tests -I${CMAKE_SOURCE_DIR}/export/CPP/kernels
              -I${variants} -isystem ${N2D2_GTEST_SOURCE}/include)
  set(isas ${N2D2_ISAS_arm64})
  n2d2_variant_lists(${folder} portable ${isas})
  set(N2D2_ISA_FLAGS_portable -DN2D2_PORTABLE)
  set(objects "")
  foreach(build IN ITEMS portable ${isas})
    n2d2_cross_object(objects ${N2D2_AARCH64_CXX} ${build} ${kernels} ${options} ${N2D2_ISA_FLAGS_${build}}
                      -DN2D2_VARIANT=${build} -DN2D2_EXPORT_NAMESPACE=n2d2_kernels_${build} -DN2D2_ONE_COPY)
  endforeach()
  n2d2_cross_object(objects ${N2D2_AARCH64_CXX} test ${test} ${options})
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM part)
    n2d2_cross_object(objects ${N2D2_AARCH64_CXX} ${part} ${source} ${options})
  endforeach()
  foreach(part IN ITEMS gtest-all gtest_main)
    n2d2_cross_object(objects ${N2D2_AARCH64_CXX} ${part} ${N2D2_GTEST_SOURCE}/src/${part}.cc -O0 -w
                      -isystem ${N2D2_GTEST_SOURCE}/include -I${N2D2_GTEST_SOURCE})
  endforeach()
  set(program ${CMAKE_CURRENT_BINARY_DIR}/emulated/test_${name})
  add_custom_command(OUTPUT ${program}  # that getaddrinfo of GoogleTest wants shared libraries is warned of
    COMMAND ${N2D2_AARCH64_CXX} -static -Wl,--no-warnings ${objects} -o ${program} DEPENDS ${objects} VERBATIM)
  add_custom_target(test_${name} ALL DEPENDS ${program})
  foreach(isa IN LISTS isas)
    add_test(NAME ${name}.${isa}
             COMMAND ${N2D2_QEMU_AARCH64} -cpu ${N2D2_ISA_EMULATED_${isa}} ${program} --gtest_filter=KernelList.*:*/${isa})
    set_tests_properties(${name}.${isa} PROPERTIES LABELS unit TIMEOUT 300)
  endforeach()
  add_test(NAME ${name}.all COMMAND ${N2D2_QEMU_AARCH64} -cpu max ${program} --gtest_filter=-KernelList.*:*/*)
  set_tests_properties(${name}.all PROPERTIES LABELS unit TIMEOUT 300)
endfunction()
