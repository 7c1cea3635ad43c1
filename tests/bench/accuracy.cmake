# Accuracy of the networks of models/ as float, as int8 and as exported programs: ninja bench_accuracy
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(bench_accuracy
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/accuracy.py --n2d2 $<TARGET_FILE:n2d2>
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS n2d2
    USES_TERMINAL)
endif()
