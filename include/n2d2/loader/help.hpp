// What can sections of an INI file say, for help? Layer types and their keys are in network.hpp.
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2::loader {

/// Layer types of N2D2 that are not supported, sorted.
std::vector<std::string> other_layer_types();

/// Names that `ActivationFunction=` accepts, sorted.
std::vector<std::string> activation_types();
/// Parameters of one of them, written `ActivationFunction.<name>`. ConfigError for an unknown one.
std::vector<FieldHelp> activation_fields(const std::string& name);

/// Names that `QWeight=` accepts, sorted. `QAct=` accepts none but these.
std::vector<std::string> quantizer_names();
/// What one of them reads as `QWeight.<name>`, and as `QAct.<name>` where there is one of activations.
struct QuantizerHelp {
  std::string title;  ///< "QWeight=LSQ"
  std::vector<FieldHelp> fields;
};
std::vector<QuantizerHelp> quantizer_help(const std::string& name);

/// Keys that say which channel feeds which output.
std::vector<FieldHelp> mapping_fields();

}  // namespace n2d2::loader
