# Images/s of the training loop, beside PyTorch when it is there: ninja bench_train_speed
find_package(fmt REQUIRED)
find_package(Python3 COMPONENTS Interpreter)
add_executable(train_speed_loop train_speed_loop.cpp)
target_link_libraries(train_speed_loop PRIVATE n2d2_loader n2d2_training fmt::fmt n2d2_warnings)
if(Python3_FOUND)
  add_custom_target(bench_train_speed
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/train_speed.py --program $<TARGET_FILE:train_speed_loop>
    DEPENDS train_speed_loop
    USES_TERMINAL)
endif()
