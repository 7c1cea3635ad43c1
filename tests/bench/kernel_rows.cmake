# Time of each kernel in layers of small networks; tests/bench/kernel_rows.py compares two folders of headers.
add_executable(kernel_rows kernel_rows.cpp)
target_compile_options(kernel_rows PRIVATE -O3 -march=native)
target_link_libraries(kernel_rows PRIVATE n2d2_kernel_variants n2d2_warnings)
