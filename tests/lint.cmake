# Checks of the sources themselves (label lint).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(check IN ITEMS check_comments check_docs check_format check_layers check_lists)
  add_test(NAME lint.${check} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/${check}.py)
  set_tests_properties(lint.${check} PROPERTIES LABELS lint)
endforeach()
