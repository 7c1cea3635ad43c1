// The program: arguments in, exit code out.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"

#include "exit_code.hpp"
#include "files.hpp"
#include "options.hpp"
#include "run.hpp"

namespace {

using n2d2::app::kDone, n2d2::app::kInternalError, n2d2::app::kUserError;

/// Exit codes of spec cli 8.
int exit_code(int code) {
  const char* compatible = std::getenv("N2D2_COMPAT_EXIT");
  return compatible != nullptr && std::string_view(compatible) == "1" ? kDone : code;
}

int report(const char* text, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", text);
  return exit_code(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const n2d2::app::CommandLine line = n2d2::app::parse({argv + 1, argv + argc});
    if (line.options.quiet) n2d2::app::show_warnings_only();
    for (const std::string& text : line.idle) n2d2::log::warn("{}", text);
    return n2d2::app::run(line.options);
  } catch (const n2d2::InternalError& error) {
    return report(error.what(), kInternalError);
  } catch (const n2d2::Error& error) {
    return report(error.what(), kUserError);
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string file = error.path1().empty() ? "the working directory" : error.path1().string();
    return report(n2d2::presentable(file + ": " + error.code().message()).c_str(), kUserError);
  } catch (const std::exception& error) {
    return report((std::string("internal error: ") + error.what()).c_str(), kInternalError);
  }
}
