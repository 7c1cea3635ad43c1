#include "failure.hpp"

#include <filesystem>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/cluster/cluster.hpp"

#include "command_line/exit_code.hpp"

namespace n2d2::app {

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InternalError& error) {
    return {error.what(), kInternalError};
  } catch (const cluster::Unanswered& error) {
    return {error.what(), kUnanswered};
  } catch (const Error& error) {
    return {error.what(), kUserError};
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string file = error.path1().empty() ? "the working directory" : error.path1().string();
    return {presentable(file + ": " + error.code().message()), kUserError};
  } catch (const std::exception& error) {
    return {std::string("internal error: ") + error.what(), kInternalError};
  }
}

}  // namespace n2d2::app
