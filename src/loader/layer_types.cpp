#include "layer_types.hpp"

#include <algorithm>

#include "n2d2/data/transformation.hpp"
#include "n2d2/loader/help.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/ops/all.hpp"

#include "builder.hpp"
#include "foreign_words.hpp"
#include "section_activation.hpp"
#include "section_quantizers.hpp"

namespace n2d2::loader {

namespace {

/// Fields of operators that no INI key sets: the mapping keys and passes do.
constexpr std::string_view kNotKeys[] = {"Groups",     "Connections",   "ConstantsFrom",
                                         "CountZeros", "OutputPadding", "Positions",
                                         "Rounding",   "ScaleX",        "ScaleY"};

void add_spellings(const FieldInfo& info, std::vector<std::string>& keys) {
  if (info.geometry.empty()) {
    keys.emplace_back(info.name);
    return;
  }
  for (const char* suffix : {"", "Dims", "Size", "X", "Y", "Width", "Height"})
    keys.push_back(std::string(info.geometry) + suffix);
}

FieldHelp text_field(std::string_view name, std::string_view kind, std::string default_text,
                     std::string_view help, Place place = Place::Section) {
  FieldHelp field;
  field.info.name = name;
  field.info.help = help;
  field.info.place = place;
  field.kind = kind;
  field.default_text = std::move(default_text);
  return field;
}

std::deque<LayerType>& open_layer_types() {
  static std::deque<LayerType> types{
      {"Activation", true, {}, {}, false},
      {"BatchNorm", true, {"ScaleSolver", "BiasSolver"}, {}, false},
      {"Conv", true, {"WeightsSolver", "BiasSolver"}, {"WeightsFiller", "BiasFiller"}, true},
      {"Deconv", true, {"WeightsSolver", "BiasSolver"}, {"WeightsFiller", "BiasFiller"}, true},
      {"Dropout", true, {}, {}, false},
      {"ElemWise", false, {}, {}, false},
      {"Fc", true, {"WeightsSolver", "BiasSolver"}, {"WeightsFiller", "BiasFiller"}, false},
      {"LRN", true, {}, {}, false},
      {"Normalize", false, {}, {}, false},
      {"Padding", true, {}, {}, false},
      {"Pool", true, {}, {}, true},
      {"Reshape", true, {}, {}, false},
      {"Resize", true, {}, {}, false},
      {"Scaling", false, {}, {}, false},
      {"Softmax", false, {}, {}, false},
      {"TargetBias", false, {}, {}, false},
      {"Threshold", true, {}, {}, false},
      {"Transformation", true, {}, {}, false},
      {"Transpose", false, {}, {}, false},
      {"Unpool", true, {}, {}, true},
  };
  return types;
}

}  // namespace

const std::deque<LayerType>& supported_layer_types() {
  return open_layer_types();
}

void add_layer_type(std::string_view name) {
  N2D2_CHECK(find_layer_type(name) == nullptr, "layer type '{}' is registered twice", name);
  open_layer_types().push_back({name, true, {}, {}, false});
}

const LayerType* find_layer_type(std::string_view name) {
  for (const LayerType& type : supported_layer_types())
    if (type.name == name) return &type;
  return nullptr;
}

std::span<const UnsupportedType> unsupported_layer_types() {
  constexpr std::string_view kDetection =
      "classify crops, or give each pixel a class (a Target on a map); boxes are found outside the network";
  static constexpr UnsupportedType kTypes[] = {
      {"Anchor", kDetection},
      {"Distance", "a Softmax with WithLoss=1 on an Fc learns classes"},
      {"FMP", "a Pool with a stride makes maps smaller, by whole factors"},
      {"LSTM", "a Conv over the whole sequence, a map of one row, needs no state"},
      {"ObjectDet", kDetection},
      {"Proposal", kDetection},
      {"ROIPooling", kDetection},
      {"RP", kDetection},
  };
  return kTypes;
}

bool is_spike_key(std::string_view key) {
  static constexpr std::string_view kKeys[] = {"BipolarIntegration",
                                               "BipolarThreshold",
                                               "BipolarWeights",
                                               "DefaultDelay",
                                               "DigitalIntegration",
                                               "EnableStdp",
                                               "IncomingDelay",
                                               "InhibitRefractory",
                                               "Leak",
                                               "LtdProba",
                                               "LtpProba",
                                               "Refractory",
                                               "RefractoryIntegration",
                                               "StdpLtp",
                                               "SynapticRedundancy",
                                               "TerminateDelta",
                                               "TerminateMax",
                                               "TerminateMin",
                                               "Threshold",
                                               "WeightDecrementMean",
                                               "WeightDecrementVar",
                                               "WeightIncrementMean",
                                               "WeightIncrementVar",
                                               "WeightsResetProba",
                                               "WeightsSetProba",
                                               "WeightsRelInit"};
  // "WeightsMinMean", "WeightsMaxVarSlope": a device's conductances and their spread.
  constexpr std::string_view kSpreads[] = {"WeightsMin",      "WeightsMax",      "WeightsSet", "WeightsReset",
                                           "WeightIncrement", "WeightDecrement", "Vset",       "Vreset"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys) ||
         std::any_of(std::begin(kSpreads), std::end(kSpreads),
                     [&](std::string_view start) { return key.starts_with(start); });
}

std::vector<std::string> other_layer_types() {
  std::vector<std::string> names;
  for (const UnsupportedType& type : unsupported_layer_types()) names.emplace_back(type.name);
  return names;
}

std::vector<UnsupportedKey> unsupported_keys(std::string_view type) {
  std::vector<UnsupportedKey> keys;
  const auto add = [&](std::vector<UnsupportedKey> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  if (type == "Deconv") add({{"QWeight"}, {"QWeightSolver"}});
  if (type == "Conv" || type == "Deconv" || type == "Fc") add({{"OutputsRemap", Place::Config, "\"\""}});
  if (type == "Conv" || type == "Deconv")
    add({{"WeightsSharing"},
         {"BiasesSharing"},
         {"WeightsExportFormat", Place::Config, "OCHW"},
         {"WeightsExportFlip", Place::Config, "0"}});
  if (type == "Fc") add({{"WeightsExportFormat", Place::Config, "OC"}});
  if (type == "BatchNorm")
    add({{"ScalesSharing"}, {"BiasesSharing"}, {"MeansSharing"}, {"VariancesSharing"}});
  return keys;
}

std::vector<UnsupportedKey> unsupported_onnx_keys(std::string_view type) {
  std::vector<UnsupportedKey> keys = unsupported_keys(type);
  for (const char* key : {"InputOffsetX", "InputOffsetY", "InputWidth", "InputHeight"})
    keys.push_back({key, Place::Section, "0"});
  if (type == "Conv") {
    for (const char* key : {"SubSample", "SubSampleX", "SubSampleY"})
      keys.push_back({key, Place::Section, "1"});
    keys.push_back({"SubSampleDims", Place::Section, "1 1"});
  }
  if (type == "Fc") {
    keys.push_back({"Normalize", Place::Config, "0"});
    keys.push_back({"DropConnect", Place::Config, "1"});
  }
  return keys;
}

std::vector<std::string> layer_types() {
  std::vector<std::string> names;
  for (const LayerType& type : supported_layer_types()) names.emplace_back(type.name);
  names.emplace_back("ONNX");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<FieldHelp> layer_fields(const std::string& type) {
  if (type == "ONNX") return onnx_fields();
  const LayerType* known = find_layer_type(type);
  if (known == nullptr) {
    const auto names = layer_types();
    throw ConfigError(fmt::format("unknown layer type '{}'{}", type, meant(WordKind::LayerType, type, names)),
                      {}, "known: " + join(names, ", "));
  }
  std::vector<FieldHelp> fields{
      text_field("Input", "a list", "", "layers it reads, 'sp' is the network input"),
      text_field("Model", "a word", "DefaultModel", "Frame or Transcode")};
  fields[0].info.required = true;
  bool outputs = false;
  if (type == "Transformation") {
    fields.push_back(text_field("Transformation", "one of " + join(data::transformations_of_maps(), " "), "",
                                "what is done with the maps; its keys stand in the section"));
    fields.back().info.required = true;
  }
  if (const graph::OperatorEntry* op = type == "Activation" ? nullptr : ops::registry().find(type))
    for (const FieldHelp& field : op->fields) {
      if (std::find(std::begin(kNotKeys), std::end(kNotKeys), field.info.name) != std::end(kNotKeys))
        continue;
      outputs = outputs || field.info.name == "NbOutputs";
      fields.push_back(field);
    }
  if (!outputs) {
    fields.push_back(text_field("NbOutputs", "an integer", "", "channels it produces"));
    fields.back().info.required = true;
    fields.back().info.min = 1;
  }
  if (type == "Conv") {
    fields.push_back(text_field("SubSample", "1 or 2 integers >= 1", "1", "windows that are averaged"));
    fields.back().info.geometry = "SubSample";
  }
  if (type == "Unpool") {
    fields.push_back(text_field("ArgMax", "a Pool layer", "", "the layer whose maxima say where values go"));
    fields.back().info.required = true;
  }
  if (type == "Resize")
    fields.push_back(text_field("AlignCorners", "0 or 1", "1",
                                "bilinear: corner pixels stay corners, 0: the first stays", Place::Config));
  if (known->mapped) fields.push_back(text_field("Mapping", "keys", "", "which channel feeds which output"));
  fields.push_back(text_field("ActivationFunction", "one of " + join(activation_names(), " "),
                              type == "Activation" ? "Tanh" : "", "after the layer (.X: its parameters)"));
  for (FieldHelp& field : quantizer_choices(has_quantized_weights(type))) fields.push_back(std::move(field));
  for (const std::string_view key : known->fillers)
    fields.push_back(text_field(key, "a filler", "NormalFiller", "initial values (.X: its parameters)"));
  if (!known->solvers.empty())
    fields.push_back(text_field("Solvers", "a solver", "SGD", "how it learns (.X: its parameters)"));
  for (const std::string_view key : known->solvers)
    fields.push_back(text_field(key, "a solver", "SGD", "wins over Solvers"));
  if (!known->fillers.empty())
    fields.push_back(text_field("NoBias", "0 or 1", "0", "no value added to each output", Place::Config));
  if (!known->solvers.empty())
    fields.push_back(text_field("BackPropagate", "0 or 1", "1", "0: nothing below learns", Place::Config));
  for (FieldHelp& field : describe_fields<WidthKeys>()) fields.push_back(std::move(field));
  fields.push_back(text_field("ConfigSection", "a list", "", "sections with parameters, the last wins"));
  return fields;
}

KnownKeys known_keys(std::string_view type) {
  KnownKeys known{{"Type", "DataType", "Mapping.Size", "Mapping.NbGroups", "Mapping.ChannelsPerGroup"}, {}};
  const LayerType* layer = find_layer_type(type);
  if (layer == nullptr) return known;
  for (const FieldHelp& field : layer_fields(std::string(type)))
    add_spellings(field.info, field.info.place == Place::Section ? known.section : known.config);
  // Keys of a window of the input map. Layers that see less than the whole map are not supported.
  for (const char* key : {"InputOffsetX", "InputOffsetY", "InputWidth", "InputHeight"})
    known.section.emplace_back(key);
  for (const UnsupportedKey& key : unsupported_keys(type))
    (key.place == Place::Section ? known.section : known.config).emplace_back(key.key);
  for (const std::string_view filler : layer->fillers)
    for (const std::string& name : training::fillers().names())
      for (const FieldHelp& field : training::fillers().find(name)->fields)
        known.section.push_back(fmt::format("{}.{}", filler, field.info.name));
  std::vector<std::string_view> solvers = layer->solvers;
  if (!solvers.empty()) solvers.push_back("Solvers");
  for (const std::string_view solver : solvers)
    for (const std::string& name : training::solvers().names())
      for (const FieldHelp& field : training::solvers().find(name)->fields)
        known.config.push_back(fmt::format("{}.{}", solver, field.info.name));
  for (std::string& key : activation_keys("")) known.section.push_back(std::move(key));
  for (std::string& key : quantizer_keys(has_quantized_weights(type)))
    known.section.push_back(std::move(key));
  if (type == "Transformation")
    for (const std::string& name : data::transformations_of_maps())
      for (const FieldHelp& field : data::transformations().find(name)->fields())
        known.section.emplace_back(field.info.name);
  return known;
}

}  // namespace n2d2::loader
