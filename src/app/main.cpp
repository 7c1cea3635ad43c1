// The program: arguments in, exit code out.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "n2d2/base/log.hpp"

#include "command_line/exit_code.hpp"
#include "command_line/options.hpp"
#include "console/standard_console.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "output_files.hpp"
#include "ranks.hpp"
#include "run.hpp"

namespace {

using n2d2::app::kDone;

/// Exit codes are those of exit_code.hpp.
int exit_code(int code) {
  const char* compatible = std::getenv("N2D2_COMPAT_EXIT");
  return compatible != nullptr && std::string_view(compatible) == "1" ? kDone : code;
}

n2d2::app::Volume volume_of(const n2d2::app::Options& options) {
  using n2d2::app::Volume;
  return options.quiet ? Volume::Quiet : options.verbose > 0 ? Volume::Verbose : Volume::Usual;
}

/// What the system does to a process that could not tell of it: a file beyond a limit (ulimit -f) becomes an
/// error of whoever writes it, and a file that is opened takes the place of no standard stream that is
/// closed.
void prepare_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  while (true) {
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // writing to it fails
    if (file < 0) return;
    if (file > 2) {
      ::close(file);
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  n2d2::app::StandardConsole console;
  try {
    n2d2::app::CommandLine line = n2d2::app::parse({argv + 1, argv + argc});
    if (argc > 0) line.options.program = argv[0];
    console.set_volume(volume_of(line.options));
    for (const std::string& text : line.idle) n2d2::log::warn("{}", text);
    const int code = n2d2::app::run(line.options);
    n2d2::app::finish_printing();
    return code;
  } catch (...) {
    const n2d2::app::Failure failure = n2d2::app::failure_of(std::current_exception());
    n2d2::app::print_failure(n2d2::app::name_of_later_rank() + failure.text);
    return exit_code(failure.code);
  }
}
