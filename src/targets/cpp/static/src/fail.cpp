// Part of an exported project; may be used without condition.
#include "../include/fail.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace N2D2_Export {

void fail(const std::string& message) {
#ifdef NO_EXCEPT
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#else
  throw std::runtime_error(message);
#endif
}

}  // namespace N2D2_Export
