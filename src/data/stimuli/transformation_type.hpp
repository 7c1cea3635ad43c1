// How does a transformation get from a section to an object, and its OpenCV errors to the user?
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "n2d2/data/transformation.hpp"

namespace n2d2::data {

/// Keys of every transformation.
struct CommonTransformationKeys {
  ApplyTo apply_to = ApplyTo::All;
  template <class V>
  static void fields(V&& v) {
    v("ApplyTo", &CommonTransformationKeys::apply_to, help("partitions this step is for"));
  }
};

struct TransformationSetup {
  static void set(Transformation& t, std::string type, const KeySource& keys, ApplyTo apply_to,
                  std::string text) {
    t.type_ = std::move(type);
    t.subject_ = keys.subject();
    t.where_ = keys.where();
    t.apply_to_ = apply_to;
    t.text_ = std::move(text);
  }
};

/// Reports something wrong with the value of a key.
void report_key(const KeySource& keys, std::string_view key, const std::string& message,
                Diagnostics& diagnostics, const std::string& hint = {});

/// A warning for each of these keys that is there: `why` says what makes it meaningless ("with Norm=MinMax").
void warn_without_effect(const KeySource& keys, std::initializer_list<const char*> names,
                         const std::string& why, Diagnostics& diagnostics);

/// The step fails when the picture has another depth than these.
void require_depth(const Transformation& step, const Image& image, std::initializer_list<DataType> depths);

/// Runs body; an OpenCV exception becomes the ConfigError of the step.
void with_opencv(const Transformation& step, const Image& image, const std::function<void()>& body);

/// A ConfigError of the step names the sample: "... ('cat/1.png')".
void apply_to_sample(const Transformation& step, const std::function<std::string()>& name, Image& image,
                     Rng& rng);

/// T: a Transformation with fields(); a member `void check(const KeySource&, Diagnostics&)`, if there, runs
/// after reading.
template <class T>
TransformationType transformation_type(std::string type, std::string summary) {
  TransformationType out;
  out.summary = std::move(summary);
  out.make = [type](const KeySource& keys, Diagnostics& diagnostics) -> std::unique_ptr<Transformation> {
    const size_t before = diagnostics.errors().size();
    auto step = std::make_unique<T>();
    CommonTransformationKeys common;
    read_fields(*step, keys, diagnostics);
    read_fields(common, keys, diagnostics);
    if constexpr (requires { step->check(keys, diagnostics); }) step->check(keys, diagnostics);
    if (diagnostics.errors().size() != before) return nullptr;
    std::string text = type;
    for (const auto& [key, value] : print_fields(*step)) text += " " + key + "=" + value;
    TransformationSetup::set(*step, type, keys, common.apply_to, std::move(text));
    return step;
  };
  out.has_map_steps = !std::is_same_v<decltype(&T::map_steps), decltype(&Transformation::map_steps)>;
  out.fields = [] {
    std::vector<FieldHelp> fields = describe_fields<T>();
    for (FieldHelp& help : describe_fields<CommonTransformationKeys>()) fields.push_back(std::move(help));
    return fields;
  };
  return out;
}

}  // namespace n2d2::data
