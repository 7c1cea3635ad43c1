// How is an argument written so that a shell reads it back?
#pragma once

#include <string>

namespace n2d2::app {

/// The word itself where the shell sees nothing in it, else in quotes.
std::string shell_word(const std::string& word);

}  // namespace n2d2::app
