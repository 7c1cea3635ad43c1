// Mutated files end with a ModelError or with a graph that holds together, whatever was hit.
#include <random>

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "drawn.hpp"
#include "onnx_text.hpp"

namespace n2d2::onnx {
namespace {

/// Whether the bytes import, as they are or with height and width exchanged.
bool imports(const std::string& bytes, bool transpose = false) {
  if (!transpose) imports(bytes, true);
  try {
    const Model model = parse_model(bytes, "net.onnx");
    graph::Graph graph;
    std::vector<graph::ValueId> inputs;
    for (size_t i = 0; i < model.inputs().size(); ++i)
      inputs.push_back(
          graph.add_input("in" + std::to_string(i), {Shape{1, 2, 6, 6}, DataType::F32, Layout::Nchw, {}}));
    ImportOptions options;
    options.transpose = transpose;
    import_model(graph, model, inputs, options);
    graph::verify(graph);
    return true;
  } catch (const ModelError& error) {
    EXPECT_STRNE(error.what(), "");
    return false;
  }
}

std::string base(int run = 0) {
  switch (run % 4) {
    case 0:
      return proto_of(small_cnn()).SerializeAsString();
    case 1:
      return proto_of(small_decoder()).SerializeAsString();
    case 3:
      return proto_of(small_integer_chains()).SerializeAsString();
    default:
      return proto_of(small_few_bits(), 21).SerializeAsString();
  }
}

TEST(MutatedModels, ImportBeforeTheyAreMutated) {
  EXPECT_TRUE(imports(base(0)));
  EXPECT_TRUE(imports(base(1)));
  EXPECT_TRUE(imports(base(2)));
  EXPECT_TRUE(imports(base(3)));
}

TEST(MutatedModels, FlippedBits) {
  std::mt19937 random(1);
  int refused = 0;
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = base(run);
    for (int flips = 1 + run % 3; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
    refused += imports(bytes) ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

TEST(MutatedModels, ExchangedAndRepeatedPieces) {
  std::mt19937 random(2);
  for (int run = 0; run < 1000; ++run) {
    std::string bytes = base(run);
    const size_t from = random() % bytes.size(), to = random() % bytes.size();
    const size_t size = std::min<size_t>(1 + random() % 40, bytes.size() - std::max(from, to));
    bytes.replace(to, size, std::string(bytes, from, size));
    imports(bytes);
  }
}

/// Any integer of the file becomes one at the edge of what it can hold.
TEST(MutatedModels, HugeAndNegativeNumbers) {
  std::vector<std::pair<int64_t, std::string>> edges;
  for (const int64_t edge :
       {int64_t{0}, int64_t{-1}, int64_t{1} << 20, int64_t{1} << 31, int64_t{1} << 62, INT64_MAX, INT64_MIN})
    for (const std::string& text : {small_cnn(), small_decoder(), small_few_bits(), small_integer_chains()})
      edges.emplace_back(edge, text);
  int refused = 0, all = 0;
  for (const auto& [value, text] : edges) {
    const int64_t edge = value;
    const auto original = proto_of(text);
    const auto check = [&](const auto& change) {
      ::onnx::ModelProto model = original;
      change(model);
      ++all;
      refused += imports(model.SerializeAsString()) ? 0 : 1;
    };
    for (int i = 0; i < original.graph().initializer_size(); ++i) {
      for (int k = 0; k < original.graph().initializer(i).dims_size(); ++k)
        check([&](auto& m) { m.mutable_graph()->mutable_initializer(i)->set_dims(k, edge); });
      for (int k = 0; k < original.graph().initializer(i).int64_data_size(); ++k)
        check([&](auto& m) { m.mutable_graph()->mutable_initializer(i)->set_int64_data(k, edge); });
    }
    for (int i = 0; i < original.graph().node_size(); ++i)
      for (int a = 0; a < original.graph().node(i).attribute_size(); ++a) {
        check([&](auto& m) { m.mutable_graph()->mutable_node(i)->mutable_attribute(a)->set_i(edge); });
        for (int k = 0; k < original.graph().node(i).attribute(a).ints_size(); ++k)
          check(
              [&](auto& m) { m.mutable_graph()->mutable_node(i)->mutable_attribute(a)->set_ints(k, edge); });
      }
    for (int k = 0; k < 4; ++k)
      check([&](auto& m) {
        auto* shape =
            m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        shape->mutable_dim(k)->set_dim_value(edge);
      });
  }
  EXPECT_GT(refused, all / 2);
}

/// Every input of every node becomes every other tensor: cycles, wrong ranks, constants as data and data as
/// weights.
void rewire_nodes(const std::string& text) {
  const auto original = proto_of(text);
  std::vector<std::string> tensors{""};
  for (const auto& tensor : original.graph().initializer()) tensors.push_back(tensor.name());
  for (const auto& node : original.graph().node()) tensors.push_back(node.output(0));
  int refused = 0, all = 0;
  for (int i = 0; i < original.graph().node_size(); ++i)
    for (int k = 0; k < original.graph().node(i).input_size(); ++k)
      for (const std::string& tensor : tensors) {
        ::onnx::ModelProto model = original;
        model.mutable_graph()->mutable_node(i)->set_input(k, tensor);
        ++all;
        refused += imports(model.SerializeAsString()) ? 0 : 1;
      }
  EXPECT_GT(refused, all / 4);
}

TEST(MutatedModels, RewiredNodes) {
  rewire_nodes(small_cnn());
  rewire_nodes(small_decoder());
  rewire_nodes(small_few_bits());
  rewire_nodes(small_integer_chains());
}

/// Every node becomes every operator that imports, in one of five operator sets in turn.
void exchange_operators(const std::string& text) {
  const auto original = proto_of(text);
  uint64_t number = 0;
  for (const int opset : {5, 7, 11, 13, newest_opset()}) {
    ++number;
    for (int i = 0; i < original.graph().node_size(); ++i) {
      if (!is_in_turn(number + static_cast<uint64_t>(i), 5)) continue;
      for (const std::string& type : operator_types()) {
        ::onnx::ModelProto model = original;
        model.mutable_opset_import(0)->set_version(opset);
        model.mutable_graph()->mutable_node(i)->set_op_type(type);
        imports(model.SerializeAsString());
        model.mutable_graph()->mutable_node(i)->set_domain("qonnx.custom_op.general");
        imports(model.SerializeAsString());
        model.mutable_graph()->mutable_node(i)->clear_domain();
        model.mutable_graph()->mutable_node(i)->clear_attribute();
        imports(model.SerializeAsString());
      }
    }
  }
}

TEST(MutatedModels, ExchangedOperators) {
  exchange_operators(small_cnn());
  exchange_operators(small_decoder());
  exchange_operators(small_few_bits());
  exchange_operators(small_integer_chains());
}

}  // namespace
}  // namespace n2d2::onnx
