# ninja export_speed: latency of exported programs; beside ONNX Runtime if N2D2_PEERS names the folder of its scripts.
set(N2D2_PEERS "" CACHE PATH "Folder with gen_models.py and bench_ort.mjs, for export_speed")
find_program(N2D2_PYTHON3 python3)
if(N2D2_PYTHON3)
  add_custom_target(export_speed
    COMMAND ${N2D2_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/export_speed --n2d2 $<TARGET_FILE:n2d2>
            --work ${CMAKE_BINARY_DIR}/export_speed $<$<BOOL:${N2D2_PEERS}>:--peers=${N2D2_PEERS}>
    DEPENDS n2d2
    COMMAND_EXPAND_LISTS USES_TERMINAL VERBATIM)
endif()
