#include "expansion.hpp"

namespace n2d2::onnx {

namespace {

/// The axes of a reduction as an input, if the file has them there.
std::vector<std::string> reduced(const Expansion& e, const std::string& value) {
  return Expansion::inputs_of({value, e.input(1)});
}

std::string square(Expansion& e) {
  return e.add("Mul", {e.input(0), e.input(0)}, "squares");
}

void write_l1(Expansion& e) {
  const std::string sizes = e.add("Abs", {e.input(0)}, "sizes");
  e.finish("ReduceSum", reduced(e, sizes), e.attributes());
}

void write_sum_of_squares(Expansion& e) {
  e.finish("ReduceSum", reduced(e, square(e)), e.attributes());
}

void write_l2(Expansion& e) {
  e.finish("Sqrt", {e.add("ReduceSum", reduced(e, square(e)), "sum", e.attributes())});
}

void write_log_of_sum(Expansion& e) {
  e.finish("Log", {e.add("ReduceSum", reduced(e, e.input(0)), "sum", e.attributes())});
}

/// ln(sum of e^(x - most)) + most, so that no power is beyond 1.
void write_log_of_powers(Expansion& e) {
  const Attributes asked = e.attributes();
  Attributes keeps = asked;
  keeps["keepdims"] = integer_attribute(1);
  const std::string most = e.add("ReduceMax", reduced(e, e.input(0)), "most", keeps);
  const std::string powers = e.add("Exp", {e.add("Sub", {e.input(0), most}, "below")}, "powers");
  const std::string log = e.add("Log", {e.add("ReduceSum", reduced(e, powers), "sum", keeps)}, "log");
  // The axes have one element each, and leave where the file asks for that.
  e.finish("ReduceMax", reduced(e, e.add("Add", {log, most}, "kept")), asked);
}

}  // namespace

const Rewrite* composition_of(std::string_view type) {
  static const std::map<std::string_view, Rewrite> kCompositions{
      {"ReduceL1", write_l1},
      {"ReduceL2", write_l2},
      {"ReduceLogSum", write_log_of_sum},
      {"ReduceLogSumExp", write_log_of_powers},
      {"ReduceSumSquare", write_sum_of_squares},
  };
  const auto found = kCompositions.find(type);
  return found == kCompositions.end() ? nullptr : &found->second;
}

}  // namespace n2d2::onnx
