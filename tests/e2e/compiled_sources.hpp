// Answers: how does a test compile the sources of an export that it wants, without the project's own
// Makefile?
#pragma once

#include <fstream>
#include <string>

#include "e2e/exported.hpp"

namespace n2d2::e2e {

/// Compiles each source of the network once; $1: a list of sources, $2: what lies beside it, $3: the program.
inline constexpr const char* kCompileScript = R"sh(set -e
words() { make -s -f - <<<"include sources.mk
all:;@echo \$($1)"; }
compile() {
  mkdir -p objects
  for source in $1; do
    object=objects/$(tr / _ <<<$source).o
    case $source in
      *.c) $CC -std=c99 -Wall -Wextra -pedantic -Werror $FLAGS $DEFINES -c $source -o $object;;
      *) $CXX -std=c++11 -Wall -Wextra -Wshadow -Werror $FLAGS $DEFINES $(words DELEGATE_FLAGS) -c $source -o $object;;
    esac
    echo $object
  done
}
link() { $CXX $FLAGS $LINK $1 $(words DELEGATE_LIBS) -pthread -o $2; }
)sh";

/// `settings`: CXX, CC, FLAGS, DEFINES, LINK for the script, which may call what stands above.
inline CommandResult in_bash(const std::filesystem::path& folder, const std::string& settings,
                             const std::string& script) {
  std::ofstream(folder / "script.sh") << kCompileScript << script;
  return run_command(folder, settings + " bash script.sh");
}

}  // namespace n2d2::e2e
