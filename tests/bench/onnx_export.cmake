# Exported ONNX models against the host run, in ONNX Runtime: ninja bench_onnx_export
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(bench_onnx_export
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/onnx_export.py --n2d2 $<TARGET_FILE:n2d2>
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS n2d2
    USES_TERMINAL)
endif()
