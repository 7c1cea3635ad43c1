# ninja memory_table: peaks of well-known networks beside their bounds; N2D2_RAM_BOUNDS names the oracle's script.
set(N2D2_RAM_BOUNDS "" CACHE FILEPATH "ram_bounds.py, for memory_table")
find_program(N2D2_PYTHON3 python3)
if(N2D2_PYTHON3 AND N2D2_RAM_BOUNDS)
  add_custom_target(memory_table
    COMMAND ${N2D2_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/memory_table.py --n2d2 $<TARGET_FILE:n2d2>
            --oracle ${N2D2_RAM_BOUNDS} --work ${CMAKE_BINARY_DIR}/memory_table --compile --flip
    DEPENDS n2d2 USES_TERMINAL VERBATIM)
endif()
