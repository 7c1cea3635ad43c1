#include "onnx_samples.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "n2d2/base/log.hpp"

#include "sample_folder.hpp"

namespace n2d2::app {

namespace {

using data::SampleKind;

[[noreturn]] void refuse(const std::string& option, const std::string& message,
                         const std::string& hint = {}) {
  throw ConfigError(fmt::format("option {}: {}", option, message), {}, hint);
}

/// What the options say of where samples lie.
struct Places {
  std::string calibration_option, calibration, test;
  bool is_tested_apart() const { return !test.empty() && !calibration.empty(); }
  const std::string& database() const { return test.empty() ? calibration : test; }
  std::string database_option() const { return test.empty() ? calibration_option : "-test-dir"; }
};

Places places_of(const Options& o) {
  if (!o.calib_npy.empty()) return {"-calib-npy", o.calib_npy, o.test_dir};
  return {"-calib-dir", o.calib_dir, o.test_dir};
}

// ---- which files
// -------------------------------------------------------------------------------------------

/// DataPath is expanded by whoever reads it.
void refuse_variables(const Places& places) {
  if (places.database().find("${") != std::string::npos)
    refuse(places.database_option(),
           fmt::format("'{}' holds '${{', which is read as the name of an environment variable",
                       places.database()));
}

void warn_of_label_order(const Places& places, const std::vector<std::string>& labels, const Options& o) {
  if (!o.labels.empty() || labels.empty()) return;
  std::vector<int64_t> numbers;
  for (const std::string& label : labels)
    if (const auto number = parse_whole(label)) numbers.push_back(*number);
  bool is_counted = numbers.size() == labels.size();
  for (size_t i = 0; i < numbers.size(); ++i)
    is_counted = is_counted && numbers[i] == static_cast<int64_t>(i);
  if (numbers.size() == labels.size() && !is_counted)
    log::warn("{}: folders are classes in the order of their names: '{}' is class {}; -labels says otherwise",
              places.database_option(), labels.back(), labels.size() - 1);
}

/// Samples of both places; those of the second must be of the kind of the first.
SampleFolder look_through_both(const Places& places) {
  if (!places.is_tested_apart()) return look_through(places.database_option(), places.database());
  SampleFolder tested = look_through("-test-dir", places.test);
  const SampleFolder calibrating = look_through(places.calibration_option, places.calibration);
  if (calibrating.kind != tested.kind)
    refuse(places.calibration_option,
           fmt::format("'{}' and that of -test-dir, '{}', hold samples of different kinds",
                       places.calibration, places.test),
           "pictures or arrays in both: they are prepared alike");
  tested.has_bin = tested.has_bin || calibrating.has_bin;
  std::error_code ignored;
  if (std::filesystem::equivalent(places.calibration, places.test, ignored))
    log::warn("calibration uses Test samples, -test-dir is '{}', too: the score of the export is optimistic",
              places.calibration);
  return tested;
}

DocumentedSection database_section(const Options& o, const Places& places, const SampleFolder& tested,
                                   const InputSize& input) {
  const bool is_array = tested.kind == SampleKind::Array;
  DocumentedSection out{
      {"database",
       {{"Type", "DIR_Database"},
        {"DataPath", places.database()},
        {"Depth", "-1"},
        {"LabelDepth", tested.labels.empty() ? "-1" : "1"},
        {"ValidExtensions", join(tested.endings, " ")},
        {"Learn", "0"},
        {"RandomPartitioning", "0"}},
       "option " + places.database_option()},
      "All samples below DataPath are for Test. LabelDepth=1: the folders right below it are the "
      "labels; -1: there are none."};
  auto& keys = out.values.keys;
  if (places.is_tested_apart()) {
    keys.emplace_back("CalibrationPath", places.calibration);
    out.comment += "\nSamples of CalibrationPath calibrate, and are prepared like those for Test.";
  }
  if (is_array) {
    keys.emplace_back("SampleShape", fmt::format("{} {} {}", input.channels, input.height, input.width));
    out.comment += "\nSampleShape: channels, height and width of a sample in the files.";
    if (input.channels_last) {
      keys.emplace_back("ChannelsLast", "1");
      out.comment += "\nChannelsLast=1: the ONNX file has the channels behind the pixels, and so have they.";
    }
  }
  if (o.sample_type.empty()) return out;
  keys.emplace_back("SampleType", o.sample_type);
  if (!tested.has_bin) log::notice("-sample-type: no effect, no sample is a .bin file");
  return out;
}

// ---- what becomes of them
// ----------------------------------------------------------------------------------

/// Numbers of "0.485,0.456,0.406", one or one a channel; "1/255" is one.
std::vector<double> numbers_of(const std::string& option, const std::string& text, int64_t channels) {
  std::vector<double> out;
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> parts = split(item, '/');
    const auto above = parse_real(parts.front());
    const auto below = parts.size() == 2 ? parse_real(parts.back()) : std::optional<double>(1);
    if (!above || !below || *below == 0 || parts.size() > 2)
      refuse(option, fmt::format("expected numbers between ',', got '{}'", text));
    out.push_back(*above / *below);
  }
  if (out.size() != 1 && static_cast<int64_t>(out.size()) != channels)
    refuse(option, fmt::format("expected 1 number or {}, one for each channel or feature, got {}", channels,
                               out.size()));
  return out;
}

std::string list_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  // Quotients such as 0.406 / (1 / 255) have a tail that says nothing.
  for (const double value : values) texts.push_back(print_real(static_cast<float>(value)));
  return join(texts, " ");
}

/// Builds [sp.Transformation-1], -2 ...
class SampleSteps {
 public:
  SampleSteps(const Options& o, const InputSize& input, const SampleFolder& tested)
      : o_(o), input_(input), kind_(tested.kind) {}

  std::vector<DocumentedSection> run() {
    if (kind_ == SampleKind::Picture) {
      check_input();
      geometry();
      colour();
    } else {
      for (const auto& [given, name] :
           {std::pair{!o_.resize.empty(), "-resize"}, {o_.crop, "-crop"}, {o_.bgr, "-bgr"}})
        if (given)
          refuse(name, "the samples are arrays, of the size and the channels of the network's input");
      if (input_.channels_last) say("channels last");
    }
    values();
    log::info("Preprocessing: {}", text_);
    return std::move(sections_);
  }

 private:
  void add(const std::string& type, std::vector<std::pair<std::string, std::string>> keys,
           const std::string& comment) {
    keys.insert(keys.begin(), {"Type", type + "Transformation"});
    sections_.push_back(
        {{fmt::format("sp.Transformation-{}", sections_.size() + 1), std::move(keys)}, comment});
  }
  void say(const std::string& what) { text_ += (text_.empty() ? "" : ", ") + what; }

  void check_input() const {
    const std::string option = o_.calib_dir.empty() ? "-test-dir" : "-calib-dir";
    if (!input_.is_map || (input_.channels != 1 && input_.channels != 3))
      refuse(option,
             fmt::format("pictures have 1 or 3 channels, the network takes {} of {}x{} (width, height)",
                         input_.channels, input_.width, input_.height),
             input_.is_map && (input_.width == 1 || input_.width == 3)
                 ? "the file has its channels last; tf2onnx --inputs-as-nchw puts them first"
                 : "-calib-npy takes samples of every shape");
  }

  /// "64" or "64x48".
  std::vector<int64_t> resize() const {
    std::vector<int64_t> out;
    for (const std::string& part : split(o_.resize, 'x')) out.push_back(parse_whole(part).value_or(0));
    constexpr int64_t kMost = 1 << 15;
    if (out.size() > 2 || std::any_of(out.begin(), out.end(), [](int64_t n) { return n < 1 || n > kMost; }))
      refuse("-resize", fmt::format("expected the shorter side, or width x height such as 256x256, got '{}'",
                                    o_.resize));
    return out;
  }

  void geometry() {
    const bool is_torch = o_.preset == "imagenet-torch";
    int64_t width = input_.width, height = input_.height;
    bool keeps_aspect = o_.crop || is_torch;
    const bool crops = keeps_aspect;
    if (is_torch) {  // 256 for an input of 224
      width = (width * 256 + 112) / 224;
      height = (height * 256 + 112) / 224;
    }
    if (!o_.resize.empty()) {
      const std::vector<int64_t> size = resize();
      width = size.front(), height = size.back();
      keeps_aspect = size.size() == 1;
      if (std::min(width, input_.width) < input_.width || std::min(height, input_.height) < input_.height)
        refuse("-resize", fmt::format("expected at least the input, {}x{}, got '{}'", input_.width,
                                      input_.height, o_.resize));
      if (!crops && (keeps_aspect || width != input_.width || height != input_.height))
        refuse("-resize",
               fmt::format("'{}' leaves more than the input, {}x{}", o_.resize, input_.width, input_.height),
               "'-crop' cuts it out of the middle");
      if (!crops) log::notice("-resize {}: no effect, pictures get the size of the input", o_.resize);
    }
    if (is_torch && o_.crop) log::notice("-crop: no effect, -preset imagenet-torch crops");
    std::vector<std::pair<std::string, std::string>> keys{
        {"Width", std::to_string(width)}, {"Height", std::to_string(height)}, {"Antialias", "1"}};
    if (keeps_aspect)
      keys.insert(keys.end(), {{"KeepAspectRatio", "1"}, {"ResizeToFit", "0"}, {"Exact", "1"}});
    const bool keeps_size = is_torch && o_.resize.empty();
    if (keeps_size) keys.emplace_back("KeepSize", fmt::format("{} {}", input_.width, input_.height));
    add("Rescale", std::move(keys),
        keeps_size
            ? "The picture becomes as small as it can with this width and height inside it, as Pillow does.\n"
              "One of KeepSize is what the network takes already."
        : keeps_aspect
            ? "The picture becomes as small as it can with this width and height inside it, as Pillow does."
            : "Bilinear, as Pillow does; the aspect is not kept.");
    say(fmt::format("resized to {}{}x{}{}", keeps_aspect ? "cover " : "", width, height,
                    keeps_size ? fmt::format(" (those of {}x{} are not)", input_.width, input_.height) : ""));
    if (!crops) return;
    add("PadCrop", {{"Width", std::to_string(input_.width)}, {"Height", std::to_string(input_.height)}},
        "The middle is cut out.");
    say(fmt::format("the middle {}x{} cut out", input_.width, input_.height));
  }

  void colour() {
    if (input_.channels == 1) {
      if (o_.bgr) refuse("-bgr", "the network takes one channel");
      add("ChannelExtraction", {{"CSChannel", "Gray"}}, "Colours become grey.");
      return say("grey");
    }
    const std::string order = o_.bgr ? "BGR" : "RGB";
    add("ColorSpace", {{"ColorSpace", order}}, "The order of the channels; grey pictures get three.");
    say(order);
  }

  /// Numbers that go with bytes go with no other depth of pictures.
  void range_affine(std::vector<std::pair<std::string, std::string>> keys, const std::string& comment) {
    const bool is_picture = kind_ == SampleKind::Picture;
    if (is_picture) keys.emplace_back("BytesOnly", "1");
    add("RangeAffine", std::move(keys), comment + (is_picture ? "\nPictures of 16 bits are refused." : ""));
  }

  void affine(const std::vector<double>& minus, const std::vector<double>& divides,
              const std::string& comment) {
    range_affine({{"FirstOperator", "Minus"},
                  {"FirstValue", list_of(minus)},
                  {"SecondOperator", "Divides"},
                  {"SecondValue", list_of(divides)}},
                 comment);
    say(fmt::format("(a - {}) / {}", list_of(minus), list_of(divides)));
  }

  /// (a s - m) / d = (a - m / s) / (d / s).
  void mean_and_std() {
    const double scale = numbers_of("-scale", o_.scale, 1).front();
    std::vector<double> mean{0}, deviation{1};
    if (!o_.mean.empty()) mean = numbers_of("-mean", o_.mean, input_.channels);
    if (!o_.std_dev.empty()) deviation = numbers_of("-std", o_.std_dev, input_.channels);
    const auto is_wrong = [](double x) { return !(x > 0); };
    if (is_wrong(scale)) refuse("-scale", fmt::format("expected a number > 0, got '{}'", o_.scale));
    if (std::any_of(deviation.begin(), deviation.end(), is_wrong))
      refuse("-std", fmt::format("expected numbers > 0, got '{}'", o_.std_dev));
    for (double& x : mean) x /= scale;
    for (double& x : deviation) x /= scale;
    affine(mean, deviation,
           "Values a become (a - first) / second, in the order of the channels: scale, mean and std in one.");
  }

  void values() {
    if (!o_.scale.empty()) return mean_and_std();
    std::string preset = o_.standardize ? "none" : o_.preset;
    const bool is_picture = kind_ == SampleKind::Picture;
    if (preset.empty()) preset = is_picture && !input_.is_integer ? "unit" : "none";
    if (preset == "imagenet-torch") {
      if (input_.channels != 3)
        refuse("-preset",
               fmt::format("imagenet-torch is of 3 channels, the network takes {}", input_.channels));
      affine({123.675, 116.28, 103.53}, {58.395, 57.12, 57.375},
             "Values a become (a - first) / second: a / 255, less 0.485 0.456 0.406, by 0.229 0.224 0.225.");
    } else if (preset == "imagenet-tf") {
      affine({127.5}, {127.5}, "Values a become a / 127.5 - 1.");
    } else if (preset == "none") {
      range_affine(
          {{"FirstOperator", "Plus"}, {"FirstValue", "0"}},
          "Values stay as they are; without such a step integers would be divided by the largest of their "
          "type.");
      say("values as they are");
    } else {
      say("integers divided by the largest of their type (a / 255)");
    }
    if (o_.preset.empty())
      log::notice(
          "no -preset, -mean or -std: '-preset {}' is assumed, values must be those that the network learnt "
          "from",
          preset);
  }

  const Options& o_;
  const InputSize& input_;
  SampleKind kind_;
  std::vector<DocumentedSection> sections_;
  std::string text_;
};

}  // namespace

namespace {

/// "[sp.Transformation-3] BytesOnly: ..." without its first words, if it begins so; nothing else.
std::optional<std::string> behind(const std::string& message, std::string_view begin, std::string_view end) {
  const size_t at = message.starts_with(begin) ? message.find(end) : std::string::npos;
  return at == std::string::npos ? std::nullopt : std::optional(message.substr(at + end.size()));
}

}  // namespace

ConfigError in_words_of_options(const ConfigError& error, const Options& o) {
  const Places places = places_of(o);
  const std::string samples =
      places.is_tested_apart() ? places.calibration_option + ", -test-dir" : places.database_option();
  std::vector<Diagnostic> findings = error.findings();
  for (Diagnostic& finding : findings) {
    if (const auto bytes = behind(finding.message, "[sp.Transformation", "] BytesOnly: ")) {
      finding.message = fmt::format("option {}: {}", samples, *bytes);
      finding.hint += "; '-preset unit' takes 16 bits, too";
    } else if (const auto step = behind(finding.message, "[sp.Transformation", "] ")) {
      finding.message = fmt::format("option {}: {}", samples, *step);
    } else if (const auto labels = behind(finding.message, "[", ".Target] LabelsFile: ")) {
      finding.message = "option -labels: " + *labels;
    } else if (const auto classes = behind(finding.message, "[", ".Target] ");
               classes && classes->find(" labels need as many outputs") != std::string::npos) {
      finding.message = fmt::format("option {}: {}", samples, *classes);
      finding.hint = "folders are labels; '-labels <file>' names the classes that the network has";
    }
  }
  return ConfigError(std::move(findings));
}

std::vector<DocumentedSection> sample_sections(const Options& o, const InputSize& input) {
  const Places places = places_of(o);
  if (places.database().empty()) {
    log::notice("{}: no INI file, so no database; -calib-dir and -test-dir give samples", o.model);
    return {{{"database", {}}, "No samples."}};
  }
  refuse_variables(places);
  if (places.is_tested_apart() && o.init.empty() && o.dump.empty() && !o.print_ini &&
      !(o.prepares_export() && o.is_integer()))
    log::notice("{}: no effect, only an integer export is calibrated", places.calibration_option);
  const SampleFolder tested = look_through_both(places);
  warn_of_label_order(places, tested.labels, o);
  std::vector<DocumentedSection> out{database_section(o, places, tested, input)};
  for (DocumentedSection& step : SampleSteps(o, input, tested).run()) out.push_back(std::move(step));
  return out;
}

}  // namespace n2d2::app
