// What do the linear models and the Normalizer of ai.onnx.ml (scikit-learn) compute, in operators of ONNX?
#include "expansion.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kOpset = 13;

std::vector<float> take_reals(Expansion& e, const char* name) {
  std::optional<Attribute> found = e.take(name);
  if (!found) return {};
  if (found->kind != Attribute::Kind::Reals)
    throw ModelError(fmt::format("{}: attribute '{}' is no list of real numbers", e.node().subject(), name));
  return std::move(found->reals);
}

std::string take_text(Expansion& e, const char* name, const std::string& missing) {
  const std::optional<Attribute> found = e.take(name);
  return found ? found->text : missing;
}

void expect_no_more(const Expansion& e) {
  if (e.input_count() != 1 || !e.attributes().empty())
    throw ModelError(
        fmt::format("{}: expected one input, and no attributes but those of ai.onnx.ml", e.node().subject()));
}

/// Rows of coefficients, one for each number that is made.
struct Linear {
  std::vector<float> coefficients, intercepts;
  int64_t rows = 1;
};

Linear take_linear(Expansion& e) {
  return {take_reals(e, "coefficients"), take_reals(e, "intercepts")};
}

/// The sums, and what the model makes of them.
std::string scores(Expansion& e, Linear linear, const std::string& transform) {
  const auto size = static_cast<int64_t>(linear.coefficients.size());
  const bool has_intercepts = !linear.intercepts.empty();
  if (linear.rows < 1 || size == 0 || size % linear.rows != 0 ||
      (has_intercepts && static_cast<int64_t>(linear.intercepts.size()) != linear.rows))
    throw ModelError(fmt::format("{}: {} coefficients and {} intercepts for {} results", e.node().subject(),
                                 size, linear.intercepts.size(), linear.rows));
  std::vector<std::string> inputs{
      e.input(0), e.constant(Array::of_reals({linear.rows, size / linear.rows}, linear.coefficients), "w")};
  if (has_intercepts) inputs.push_back(e.constant(Array::of_reals({linear.rows}, linear.intercepts), "b"));
  const std::string sums = e.add("Gemm", std::move(inputs), "sums", {{"transB", integer_attribute(1)}});
  if (transform == "NONE") return sums;
  if (transform == "LOGISTIC") return e.add("Sigmoid", {sums}, "scores");
  if (transform == "SOFTMAX") return e.add("Softmax", {sums}, "scores", {{"axis", integer_attribute(1)}});
  throw ModelError(fmt::format("{}: post_transform '{}' is not read, expected NONE, LOGISTIC or SOFTMAX",
                               e.node().subject(), transform));
}

void write_regressor(Expansion& e) {
  Linear linear = take_linear(e);
  const std::optional<Attribute> targets = e.take("targets");
  linear.rows = targets ? targets->integer : 1;
  const std::string transform = take_text(e, "post_transform", "NONE");
  expect_no_more(e);
  e.finish("Identity", {scores(e, std::move(linear), transform)});
}

/// Output 0 is the label of the highest of the scores, which are output 1.
void write_classifier(Expansion& e) {
  Linear linear = take_linear(e);
  const std::string transform = take_text(e, "post_transform", "NONE");
  const std::optional<Attribute> integers = e.take("classlabels_ints"), texts = e.take("classlabels_strings");
  e.take("multi_class");
  expect_no_more(e);
  const size_t labels = integers ? integers->integers.size() : texts ? texts->texts.size() : 0;
  const auto given = static_cast<int64_t>(linear.intercepts.empty() ? labels : linear.intercepts.size());
  linear.rows = given;
  if (labels == 2 && given == 1) {  // of the second class alone
    if (transform != "LOGISTIC")
      throw ModelError(fmt::format("{}: one score for two classes is read with post_transform LOGISTIC alone",
                                   e.node().subject()));
    for (std::vector<float>* list : {&linear.coefficients, &linear.intercepts}) {
      std::vector<float> both = *list;
      for (float& x : both) x = -x;
      both.insert(both.end(), list->begin(), list->end());
      *list = std::move(both);
    }
    linear.rows = 2;
  }
  const std::string made = scores(e, std::move(linear), transform);
  const std::string best =
      e.add("ArgMax", {made}, "best", {{"axis", integer_attribute(1)}, {"keepdims", integer_attribute(0)}});
  if (integers) {
    const auto count = static_cast<int64_t>(integers->integers.size());
    e.make(0, "Gather", {e.constant(Array::of_integers({count}, integers->integers), "labels"), best});
  } else {
    e.make(0, "Identity", {best});
  }
  e.make(1, "Identity", {made});
}

/// Rows divided by their largest element, the sum of their sizes, or their length.
void write_normalizer(Expansion& e) {
  const std::string norm = take_text(e, "norm", "MAX");
  expect_no_more(e);
  Attribute axes;
  axes.kind = Attribute::Kind::Ints, axes.integers = {1};
  const Attributes rows{{"axes", axes}, {"keepdims", integer_attribute(1)}};
  const std::string x = e.input(0);
  if (norm == "L2") return e.finish("LpNormalization", {x}, {{"axis", integer_attribute(1)}});
  if (norm == "L1")
    return e.finish("Div", {x, e.add("ReduceSum", {e.add("Abs", {x}, "sizes")}, "sum", rows)}, {}, kOpset);
  if (norm == "MAX") return e.finish("Div", {x, e.add("ReduceMax", {x}, "most", rows)}, {}, kOpset);
  throw ModelError(
      fmt::format("{}: norm '{}' is not read, expected MAX, L1 or L2", e.node().subject(), norm));
}

}  // namespace

const Rewrite* learnt_model_of(std::string_view type) {
  static const std::map<std::string_view, Rewrite> kModels{
      {"LinearClassifier", write_classifier},
      {"LinearRegressor", write_regressor},
      {"Normalizer", write_normalizer},
  };
  const auto found = kModels.find(type);
  return found == kModels.end() ? nullptr : &found->second;
}

}  // namespace n2d2::onnx
