# Models that another tool quantized, against ONNX Runtime: ninja bench_onnx_quantized
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(bench_onnx_quantized
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/onnx_quantized.py --n2d2 $<TARGET_FILE:n2d2>
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS n2d2
    USES_TERMINAL)
endif()
