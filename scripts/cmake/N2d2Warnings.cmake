# The one place that says which warnings and sanitizers our own code is built with.
add_library(n2d2_warnings INTERFACE)
target_compile_options(n2d2_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${N2D2_WERROR}>:-Werror>)
# g++ 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
target_compile_options(n2d2_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

add_library(n2d2_sanitizers INTERFACE)
if(N2D2_SANITIZE)
  target_compile_options(n2d2_sanitizers INTERFACE -fsanitize=${N2D2_SANITIZE} -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  target_link_options(n2d2_sanitizers INTERFACE -fsanitize=${N2D2_SANITIZE})
endif()

# Tests build temporaries of aggregates with strings, of which g++ 12 believes that they may be uninitialized.
add_library(n2d2_test_warnings INTERFACE)
target_compile_options(n2d2_test_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(N2D2_SANITIZE)
  # Test code runs once: compile time is what counts.
  target_compile_options(n2d2_test_warnings INTERFACE -O0 -g0)
endif()
