# What an installed n2d2 consists of: the program, what it exports from, the headers and the package that modules are built
# against (docs/make/extending.md). A module is linked with the program's own symbols, so there are no libraries to install
# beside it.
include(CMakePackageConfigHelpers)
find_package(fmt REQUIRED)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/n2d2)
target_include_directories(n2d2 INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/n2d2/export/CPP>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/n2d2/export/CPP/kernels>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/n2d2/export/CPP/variants/generic>)
target_link_libraries(n2d2 INTERFACE fmt::fmt)
target_compile_features(n2d2 INTERFACE cxx_std_20)
install(TARGETS n2d2 EXPORT n2d2Targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
install(TARGETS n2d2_imgcodecs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/n2d2/modules COMPONENT imgcodecs)
if(TARGET n2d2_mpi)
  install(TARGETS n2d2_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/n2d2/modules COMPONENT mpi)
endif()
install(EXPORT n2d2Targets NAMESPACE n2d2:: DESTINATION ${package} COMPONENT dev)
install(DIRECTORY export models databases ${CMAKE_BINARY_DIR}/export DESTINATION ${CMAKE_INSTALL_DATADIR}/n2d2 COMPONENT tool
        USE_SOURCE_PERMISSIONS)
# What exports copy of delegates and targets, where the source tree has it.
install(DIRECTORY src/delegates DESTINATION ${CMAKE_INSTALL_DATADIR}/n2d2/src COMPONENT tool FILES_MATCHING PATTERN "*/runtime/*")
install(DIRECTORY src/export src/targets DESTINATION ${CMAKE_INSTALL_DATADIR}/n2d2/src COMPONENT tool FILES_MATCHING
        REGEX "/(static|templates)/.")
install(DIRECTORY include/ ${CMAKE_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp")
# What the program says of its options, for shells and man.
install(FILES ${CMAKE_BINARY_DIR}/pages/n2d2.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
install(FILES ${CMAKE_BINARY_DIR}/pages/n2d2.bash RENAME n2d2
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
install(FILES ${CMAKE_BINARY_DIR}/pages/n2d2.zsh RENAME _n2d2
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tool)
install(FILES ${CMAKE_BINARY_DIR}/pages/n2d2.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/n2d2ConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/n2d2Config.cmake ${CMAKE_BINARY_DIR}/n2d2ConfigVersion.cmake
        DESTINATION ${package} COMPONENT dev)
configure_file(${CMAKE_CURRENT_LIST_DIR}/n2d2.pc.in ${CMAKE_BINARY_DIR}/n2d2.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/n2d2.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT dev)
