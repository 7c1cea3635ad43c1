// What stands next on a line of graph text?
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

/// A line that is read from left to right. Every reader throws ModelError, at the line, for anything else
/// than it expects.
class Line {
 public:
  Line(std::string_view text, const SourceLocation& where) : text_(text), where_(where) {}

  [[noreturn]] void fail(const std::string& expected, std::string_view found) const;

  /// Takes the word if it is next.
  bool skip(std::string_view word);
  void expect(std::string_view mark, const std::string& expected);
  /// What stands before the next `mark`, trimmed; the mark is taken, too.
  std::string_view until(std::string_view mark, const std::string& expected);
  /// A name in quotes, or what stands before the first of these marks.
  std::string name(std::string_view mark);
  /// Names between commas, up to ')'.
  std::vector<std::string> arguments();
  /// Name="text" Name="text", each name once.
  std::map<std::string, std::string> fields();
  /// " @ file:line" at the end; no place when there is none.
  SourceLocation origin();
  /// All that is left, trimmed.
  std::string_view rest();

  float number(std::string_view text) const;
  float finite(std::string_view text) const;
  template <class I>
  I integer(std::string_view text) const {
    I out{};
    if (!ValueText<I>::parse(text, out)) fail("an integer", text);
    return out;
  }

 private:
  /// The text of a quoted part that begins here.
  std::string quoted();

  std::string_view text_;
  const SourceLocation& where_;
};

/// "f32 1x3x8x8 nhwc quant(8 signed -1 0.25 of 31.7)".
TensorType parse_type(const Line& line, std::string_view text);
int64_t count_words(std::string_view text);
/// As many numbers as the tensor has elements.
void read_elements(const Line& line, std::string_view text, Tensor& tensor);

}  // namespace n2d2::graph
