# The one place that says which warnings and sanitizers our own code is built with.
add_library(n2d2_warnings INTERFACE)
target_compile_options(n2d2_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${N2D2_WERROR}>:-Werror>)
# g++ 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
target_compile_options(n2d2_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Where sources are compiled together, a class of one has members of its own anonymous types, which is no error but looks like one.
target_compile_options(n2d2_warnings INTERFACE $<$<AND:$<BOOL:${N2D2_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)

add_library(n2d2_sanitizers INTERFACE)
if(N2D2_SANITIZE)
  target_compile_options(n2d2_sanitizers INTERFACE -fsanitize=${N2D2_SANITIZE} -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  # Two checks that take an eighth of the time to compile: object-size finds nothing that address does not, pointer-overflow
  # sums that leave the address space.
  if(N2D2_SANITIZE MATCHES "address.*undefined")
    target_compile_options(n2d2_sanitizers INTERFACE -fno-sanitize=object-size,pointer-overflow)
  endif()
  target_link_options(n2d2_sanitizers INTERFACE -fsanitize=${N2D2_SANITIZE})
endif()

# Test code runs once, so compile time is what counts; what it tests is optimised as the preset says. Unoptimised, g++ 12
# also does not believe that temporaries of aggregates with strings may be uninitialized.
add_library(n2d2_test_options INTERFACE)
target_compile_options(n2d2_test_options INTERFACE -O0 -g0)
if(N2D2_SANITIZE)
  target_compile_definitions(n2d2_test_options INTERFACE N2D2_SANITIZED)  # property tests take fewer cases
endif()
