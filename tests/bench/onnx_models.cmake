# The ONNX files of N2D2_DATA/models against ONNX Runtime, and their int8 exports: ninja bench_onnx_models
add_executable(onnx_float onnx_float.cpp)
target_link_libraries(onnx_float PRIVATE n2d2_onnx n2d2_compute n2d2_passes n2d2_warnings n2d2_sanitizers)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(bench_onnx_models
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/onnx_models.py --n2d2 $<TARGET_FILE:n2d2>
            --onnx-float $<TARGET_FILE:onnx_float>
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS n2d2 onnx_float
    USES_TERMINAL)
endif()
