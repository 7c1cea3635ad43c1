# Checks of the sources themselves (label lint).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(check IN ITEMS check_comments check_docs check_format check_glossary check_layers
        check_lists)
  add_test(NAME lint.${check} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/${check}.py)
  set_tests_properties(lint.${check} PROPERTIES LABELS lint)
endforeach()

add_test(NAME lint.check_glossary_test
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/lint/check_glossary_test.py)
set_tests_properties(lint.check_glossary_test PROPERTIES LABELS lint)

# The pages are a site whose links lead somewhere.
add_test(NAME lint.site COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/lint/site_test.py)
set_tests_properties(lint.site PROPERTIES LABELS lint)

# The tables of docs/results are those of docs/results/data.
add_test(NAME lint.results_pages
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/results_pages.py --check)
add_test(NAME lint.results_pages_test
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/lint/results_pages_test.py)
set_tests_properties(lint.results_pages lint.results_pages_test PROPERTIES LABELS lint)

# The messages in docs/use/messages.md are those of sources and tests, and each has a remedy.
add_test(NAME lint.messages_page COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/messages_page.py --check)
add_test(NAME lint.messages_page_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/lint/messages_page_test.py)
set_tests_properties(lint.messages_page lint.messages_page_test PROPERTIES LABELS lint)

# The keys in docs/use/ini.md are those that the program reads. Their export parameters are those of all targets.
if(TARGET n2d2_targets_cpp)
  add_test(NAME lint.ini_reference
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/ini_reference.py --check $<TARGET_FILE:n2d2>)
  set_tests_properties(lint.ini_reference PROPERTIES LABELS lint)
endif()
