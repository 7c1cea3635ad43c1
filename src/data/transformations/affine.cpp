// Computes with a number of its own for each place of the picture: (x op first) op second, to float.
#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/sha256.hpp"
#include "n2d2/data/stimuli_statistics.hpp"

#include "files/matrix_file.hpp"
#include "files/pixels.hpp"
#include "stimuli/range_operator.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class Affine final : public Transformation {
 public:
  RangeOperator first_operator = RangeOperator::Plus, second_operator = RangeOperator::Plus;
  std::string first_value, second_value;

  template <class V>
  static void fields(V&& v) {
    using A = Affine;
    v("FirstOperator", &A::first_operator, required, help("first step"));
    v("FirstValue", &A::first_value, required, help("file: picture, .npy, .csv; of one channel, or of all"));
    v("SecondOperator", &A::second_operator, help("second step"));
    v("SecondValue", &A::second_value, help("file; empty: no second step"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    if (second_value.empty())
      warn_without_effect(keys, {"SecondOperator"}, "without SecondValue", diagnostics);
    first_ = load(keys, "FirstValue", first_operator, first_value, diagnostics);
    if (!second_value.empty())
      second_ = load(keys, "SecondValue", second_operator, second_value, diagnostics);
  }

  std::string content() const override { return hashes_; }
  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  /// What is divided by 0 becomes 0: so does a pixel that never changes when it is divided by its deviation.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    image = mapped(image, DataType::F32, [](double x, size_t) { return x; });
    combine(image, "FirstValue", first_operator, first_);
    if (!second_value.empty()) combine(image, "SecondValue", second_operator, second_);
  }

 private:
  Image first_, second_;
  std::string hashes_;

  Image load(const KeySource& keys, const char* key, RangeOperator op, const std::string& given,
             Diagnostics& diagnostics) {
    if (given == kNotMeasured) return {};
    const std::string path = expand_environment(given);
    if (path.empty()) {
      if (keys.find(key)) report_key(keys, key, "expected the name of a file, got ''", diagnostics);
      return {};
    }
    try {
      Image matrix = read_matrix(path);
      hashes_ += sha256({reinterpret_cast<const char*>(matrix.raw()), static_cast<size_t>(matrix.bytes())});
      const auto values = std::as_const(matrix).span<float>();
      const auto zeros = std::count(values.begin(), values.end(), 0.0F);
      if (op == RangeOperator::Divides && zeros > 0)
        log::write(
            log::Level::Notice,
            Diagnostic{keys.find(key)->where,
                       fmt::format("{} {}: {} of the {} numbers of '{}' are 0; what they divide becomes 0",
                                   keys.subject(), key, zeros, values.size(), path),
                       ""}
                .text());
      return matrix;
    } catch (const ConfigError& error) {
      report_key(keys, key, error.findings().front().message, diagnostics, error.findings().front().hint);
      return {};
    }
  }

  void combine(Image& image, const char* key, RangeOperator op, const Image& matrix) const {
    if (matrix.empty()) fail(fmt::format("{}: there were no samples to measure it on", key));
    if (matrix.width() != image.width() || matrix.height() != image.height() ||
        (matrix.channels() != 1 && matrix.channels() != image.channels()))
      fail(fmt::format(
          "{}: expected numbers for a picture of {}, the file has {}x{}x{} (width, height, channels)", key,
          image.text(), matrix.width(), matrix.height(), matrix.channels()));
    const auto values = image.span<float>();
    const auto numbers = matrix.span<float>();
    const size_t repeat = values.size() / numbers.size();
    for (size_t i = 0; i < values.size(); ++i) {
      const double number = numbers[i / repeat];
      const bool by_zero = op == RangeOperator::Divides && number == 0;
      values[i] = by_zero ? 0 : static_cast<float>(compute(values[i], op, number));
    }
  }
};

}  // namespace

void register_affine(TransformationRegistry& registry);
void register_affine(TransformationRegistry& registry) {
  registry.add("AffineTransformation",
               transformation_type<Affine>("AffineTransformation",
                                           "shift and scale with images, such as the mean image, to float"));
}

}  // namespace n2d2::data
