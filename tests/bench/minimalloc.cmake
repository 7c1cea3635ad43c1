# The exact search of the memory planner on the instances of minimalloc: minimalloc --dir <folder>
find_package(fmt REQUIRED)
add_executable(minimalloc minimalloc.cpp)
target_include_directories(minimalloc PRIVATE ${CMAKE_SOURCE_DIR}/src/memory)
target_link_libraries(minimalloc PRIVATE n2d2_memory fmt::fmt n2d2_warnings)
