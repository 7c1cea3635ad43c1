// Which library computes, and with which instructions? Another one rounds otherwise.
#pragma once

#include <string>

namespace n2d2::compute {

/// "oneDNN 2.7.4, avx512_core"
std::string library_text();

}  // namespace n2d2::compute
