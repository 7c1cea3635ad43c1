// How are weights and activations of a layer quantized while it learns? QWeight and QAct of its sections.
#pragma once

#include <memory>
#include <optional>

#include "n2d2/ops/quantize_activation.hpp"

#include "layer_parameters.hpp"

namespace n2d2::loader {

/// A quantizer of activations, with what its learnt number starts with.
struct ActivationQuantizer {
  ops::QuantizeActivation op;
  float start = 0;
  std::unique_ptr<training::Solver> solver;
};

/// QWeight, QWeightSolver and their parameters: `parameter` gets the quantizer, bound to its weights in the
/// graph, and the solver of its steps. Errors name the key.
void read_weight_quantizer(const ParameterKeys& keys, Parameter& parameter);

/// QAct, QActSolver and their parameters; nothing without QAct. `is_activated`: the section has the key
/// ActivationFunction, without which QAct means nothing, as a warning says.
std::optional<ActivationQuantizer> read_activation_quantizer(const ParameterKeys& keys, bool is_activated);

/// Adds the quantizer behind a value, as node `<layer>_QAct` with the constant `<layer>_QAct_SAT_Alpha` or
/// `<layer>_QAct_LSQ_StepSize`. Returns its output.
graph::ValueId add_quantizer(Builder& builder, ActivationQuantizer quantizer, const std::string& layer,
                             graph::ValueId value, const SourceLocation& where);
/// Learnt number of a quantizer whose node stands in the graph: it becomes a parameter of the network.
graph::ValueId add_learnt_step(Builder& builder, ActivationQuantizer& quantizer, const std::string& layer);

/// Whether QWeight means something to a layer type: Conv and Fc.
bool has_quantized_weights(std::string_view type);
/// The keys of quantizers in a section and in its config sections are read from here on: what means nothing
/// is reported by the functions above.
void claim_quantizer_keys(const ParameterKeys& keys, std::string_view type);

/// The keys that choose a quantizer and a solver of its steps: "QAct" ...
std::vector<FieldHelp> quantizer_choices(bool has_weights);
/// Keys of their parameters, for near misses: "QWeight.Range" ...
std::vector<std::string> quantizer_keys(bool has_weights);

}  // namespace n2d2::loader
