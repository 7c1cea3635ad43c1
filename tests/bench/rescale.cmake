# Rescale beside Pillow and OpenCV: tests/bench/rescale.py
add_executable(rescale_dump rescale_dump.cpp)
target_link_libraries(rescale_dump PRIVATE n2d2_data n2d2_warnings n2d2_sanitizers)
