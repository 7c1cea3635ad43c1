// What happens to keys that no object reads? General keys, keys that are not supported, keys nobody knows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builder.hpp"
#include "layer_types.hpp"

namespace n2d2::loader {

/// A source in which these keys are never found and stay unread: fields of operators that are no INI keys.
std::unique_ptr<KeySource> hide_keys(std::unique_ptr<KeySource> source, std::vector<std::string> hidden);

/// The source, with the value of the key `former` under the name `key`.
std::unique_ptr<KeySource> rename_key(std::unique_ptr<KeySource> source, std::string key, std::string former);

/// The source of an object of a section: "[fc] WeightsFiller:" instead of "[fc]" is the subject of its
/// messages.
std::unique_ptr<KeySource> with_subject(std::unique_ptr<KeySource> source, const std::string& object);

/// Marks keys that a finding already speaks about.
void mark_all_read(const config::IniDocument& ini, const std::string& section,
                   const std::string& reader = {});
void mark_prefix_read(const config::IniDocument& ini, const std::string& section, std::string_view prefix);

/// `Model` of a layer, or DefaultModel with an empty layer name: Frame and Transcode, with or without _CUDA.
/// What runs as another model says so once in a file. Errors for the spike and device models.
void check_model(Builder& builder, const std::string& model, const SourceLocation& where,
                 const std::string& layer);
/// Float32 only.
void check_data_type(Builder& builder, const KeyText& found, const std::string& subject);

/// An error for each key of the list that does not have its neutral text; its sub-keys count as read.
void refuse_unsupported(Builder& builder, const std::string& section, const std::vector<std::string>& configs,
                        const std::vector<UnsupportedKey>& keys);
/// `Kernel=Gaussian` and `Kernel[c][o]` of a Conv.
void refuse_fixed_kernels(Builder& builder, const std::string& section);

}  // namespace n2d2::loader
