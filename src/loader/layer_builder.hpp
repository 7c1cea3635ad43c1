// How does one layer section become nodes? What the steps of building it hand to each other.
#pragma once

#include "n2d2/data/transformation.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/resize.hpp"

#include "builder.hpp"
#include "channel_mapping.hpp"
#include "layer_types.hpp"

namespace n2d2::loader {

/// Builds one layer; its members are what the steps hand to each other.
class LayerBuilder {
 public:
  LayerBuilder(Builder& builder, const LayerSection& layer) : b_(builder), layer_(layer), name_(layer.name) {}

  /// The value that children read; nothing when the layer has errors or hangs on one that has.
  std::optional<graph::ValueId> build();

 private:
  bool failed() const { return b_.diagnostics.errors().size() > errors_; }
  void error_at(const std::string& key, const std::string& message, const std::string& hint = {}) {
    const auto found = b_.ini.find(name_, key);
    b_.diagnostics.error(found ? found->where : section_->where(),
                         fmt::format("[{}] {}: {}", name_, key, message), hint);
  }
  bool read_type();
  void read_general();
  void read_nb_outputs();
  /// False when a kernel or a window has a depth: maps have a width and a height only.
  bool is_flat();
  void find_inputs();
  void connect();
  /// Inputs side by side have one size; one of 1x1 is repeated over the others. False after a finding.
  bool match_sizes();
  /// InputWidth and the like may only ask for the whole map.
  void check_window();
  void add_layer();
  void add_weighted(std::vector<graph::ValueId>& inputs);
  void add_pool(std::unique_ptr<graph::Operator> op);
  void add_unpool(std::unique_ptr<graph::Operator> op);
  /// The step that a layer of Type=Transformation is; null after a finding.
  std::unique_ptr<data::Transformation> read_transformation();
  void add_transformation();
  graph::ValueId add_classes();
  /// The mean of the windows that SubSample of a Conv asks for.
  void add_sub_sample();
  void accept_former_names();
  void check_outputs();
  bool fits(const Shape& weights);
  void map_channels();
  template <class Op>
  void add_mapped_weights(Op& op, std::vector<graph::ValueId>& inputs);
  void read_align_corners(ops::Resize& resize);
  void add_bias(std::vector<graph::ValueId>& inputs, int64_t outputs);
  void add_weights(Shape shape, std::vector<int64_t> parts, std::vector<graph::ValueId>& inputs);
  void add_batchnorm(std::unique_ptr<graph::Operator> op, const std::string& node,
                     const std::string& scale_key);
  graph::ValueId parameter(const std::string& node, const std::string& role, Shape shape,
                           std::vector<int64_t> parts, std::unique_ptr<training::Filler> filler,
                           std::unique_ptr<training::Solver> solver);
  void add_node(std::unique_ptr<graph::Operator> op, const std::string& node,
                std::vector<graph::ValueId> inputs);
  Diagnostic in_words_of_the_file(Diagnostic finding) const;
  void add_activation();
  void quantize_weights();
  void quantize_activation();
  void note_repeated_operands() const;
  /// Findings about the table of a Pool; false after an error.
  bool check_pool_mapping();
  std::vector<int64_t> input_parts(bool flattened) const;
  const Shape& shape() const { return b_.net.graph.value(*value_).type.shape; }

  Builder& b_;
  const LayerSection& layer_;
  const std::string& name_;
  size_t errors_ = 0;
  const LayerType* type_ = nullptr;
  std::vector<std::string> configs_;
  std::unique_ptr<KeySource> section_, config_;
  std::unique_ptr<graph::Operator> op_, activation_;
  std::unique_ptr<data::Transformation> transformation_;
  int nb_outputs_ = 0;
  Dims sub_sample_{1, 1};
  bool no_bias_ = false, back_propagate_ = true, broken_input_ = false;
  std::unique_ptr<training::Filler> weights_filler_, bias_filler_;
  std::unique_ptr<training::Solver> weights_solver_, bias_solver_;
  /// Parents by name, and their values.
  std::vector<std::string> names_;
  std::vector<graph::ValueId> inputs_;
  ChannelMapping mapping_;
  /// What has been built so far ends here.
  std::optional<graph::ValueId> value_;
  /// The node with the layer's parameters.
  graph::NodeId node_;
};

}  // namespace n2d2::loader
