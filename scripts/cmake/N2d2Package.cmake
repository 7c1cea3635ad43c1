# What cpack makes of an installation: the packages n2d2, n2d2-dev, n2d2-imgcodecs and n2d2-mpi of Debian, and an archive that works
# from any folder. Two runs give the same bytes: every time stamp is the day of the release, or SOURCE_DATE_EPOCH.
find_program(GZIP gzip REQUIRED)
set(folder ${CMAKE_BINARY_DIR}/package)
set(N2D2_MAINTAINER "n2d2 maintainers <maintainers@n2d2.example>" CACHE STRING
    "Who answers for the packages: name <address>")

# "## 0.1.0 - 2026-11-28" and its first line.
file(READ ${CMAKE_SOURCE_DIR}/CHANGELOG.md changes)
if(NOT changes MATCHES "\n## ${PROJECT_VERSION} - ([0-9]+)-0?([0-9]+)-0?([0-9]+)\n\n([^\n]+)\n")
  message(FATAL_ERROR "CHANGELOG.md: expected '## ${PROJECT_VERSION} - <year>-<month>-<day>' and a line about it, as VERSION says")
endif()
set(summary "${CMAKE_MATCH_4}")
# Days since 1970-01-01, of years that begin in March.
math(EXPR month "(${CMAKE_MATCH_2} + 9) % 12")
if(CMAKE_MATCH_2 LESS 3)
  math(EXPR year "${CMAKE_MATCH_1} - 1")
else()
  set(year ${CMAKE_MATCH_1})
endif()
math(EXPR days "365 * ${year} + ${year} / 4 - ${year} / 100 + ${year} / 400 + (153 * ${month} + 2) / 5 + ${CMAKE_MATCH_3} - 719469")
math(EXPR epoch "86400 * ${days}")
set(given "$ENV{SOURCE_DATE_EPOCH}")
set(ENV{SOURCE_DATE_EPOCH} ${epoch})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
if(given STREQUAL "")
  unset(ENV{SOURCE_DATE_EPOCH})
else()
  set(ENV{SOURCE_DATE_EPOCH} ${given})
endif()

file(WRITE ${folder}/changelog
     "n2d2 (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * ${summary}\n\n -- ${N2D2_MAINTAINER}  ${date}\n")
execute_process(COMMAND ${GZIP} -9nc ${folder}/changelog OUTPUT_FILE ${folder}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
set(components tool dev imgcodecs)
if(TARGET n2d2_mpi)
  list(APPEND components mpi)
endif()
set(name_tool n2d2)
set(name_imgcodecs n2d2-imgcodecs)
set(name_mpi n2d2-mpi)
set(name_dev n2d2-dev)
foreach(component IN LISTS components)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${folder}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name_${component}} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME n2d2)
set(CPACK_PACKAGE_VENDOR n2d2)
set(CPACK_PACKAGE_CONTACT "${N2D2_MAINTAINER}")
set(CPACK_PACKAGE_FILE_NAME n2d2-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME n2d2)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "g++, make, n2d2-imgcodecs (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "gcc-arm-none-eabi, libstdc++-arm-none-eabi-newlib, qemu-system-arm, n2d2-dev, n2d2-mpi")
set(CPACK_DEBIAN_TOOL_DESCRIPTION "compiler of neural networks to standalone C++
n2d2 reads a network from an INI or ONNX file, learns or imports its weights,
quantizes it to integers on samples, and prints it as a C++11 project
without libraries, heap and exceptions, for PCs and microcontrollers.

What the exported program computes is, byte for byte, what n2d2 computed when
it measured the accuracy. The memory of the program is one static arena whose
plan is proven.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME n2d2-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "n2d2 (= ${PROJECT_VERSION}), libfmt-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "headers for modules of n2d2
A module is a shared library that adds layers, kernels, types of export or
passes to n2d2 without a change of the program.

This package has the headers, a package for CMake, which builds modules with
n2d2_add_module(), and a file for pkg-config.")
set(CPACK_DEBIAN_IMGCODECS_PACKAGE_NAME n2d2-imgcodecs)
set(CPACK_DEBIAN_IMGCODECS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_IMGCODECS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_IMGCODECS_PACKAGE_DEPENDS "n2d2 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_IMGCODECS_DESCRIPTION "picture formats of OpenCV for n2d2
n2d2 reads JPEG, PNG, PBM, PGM and PPM files by itself. With this package it
also reads BMP, JPEG 2000, Sun raster, TIFF and WebP files, and has the
transformation that stores pictures as JPEG of random quality.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME n2d2-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "n2d2 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION "runs of n2d2 on several processes and machines
With this package the processes that mpirun or srun starts share the work of
one run of n2d2: learning, testing, and calibrating.

What they compute is, byte for byte, what one process computes.")
# Read by cpack itself. Each package has its own summary: one of all would come before it.
file(WRITE ${folder}/CPackProject.cmake "
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY \"\")
if(CPACK_GENERATOR STREQUAL \"TGZ\")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
if(\"\$ENV{SOURCE_DATE_EPOCH}\" STREQUAL \"\")
  set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
")
set(CPACK_PROJECT_CONFIG_FILE ${folder}/CPackProject.cmake)
include(CPack)
