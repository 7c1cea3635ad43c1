// What does the rule of one ONNX operator see? Its node's inputs and attributes, and the graph that grows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/registry.hpp"

#include "read/file.hpp"
#include "split.hpp"

namespace n2d2::onnx {

/// What the name of a tensor stands for: an array, or a wire of the graph with the extents the file gives it.
struct Operand {
  Extents dims;
  graph::ValueId value;
  ArrayPtr array;
  /// Set when the tensor of the file holds integers: what they stand for. The wire carries the reals.
  std::optional<Grid> grid = {};
  /// dims are N,...,C, and the map of the wire is that of N,C,...: no byte of an export differs.
  bool channels_last = false;
  /// Axis of the batch in dims. Where it is not 0, the wire is that of the tensor with this axis moved to the
  /// front, and what channels_last says is said of that.
  size_t batch = 0;
  /// Set when the wire is a map whose bytes the tensor is a view of. Only with batch extent 1.
  std::shared_ptr<const Split> split = nullptr;
  /// The node that makes the tensor when somebody needs more than a view.
  const FileNode* deferred = nullptr;
  bool is_constant() const { return array != nullptr; }
};

/// N,C,H,W of a tensor of the file with batch extent 1: rank 3 is a map of height 1, missing axes are 1, and
/// axes behind the fourth count into W.
Shape map_shape(const Extents& dims);

/// Refuses the node: "<reason>" after its subject, and the nearest rewrite.
[[noreturn]] void refuse(std::string reason, std::string rewrite = {});

class Importer;

/// One node on its way into the graph. Attributes and inputs that nobody asks for are findings.
class Node {
 public:
  /// `is_needed`: its output is needed as it is in the file, not as a view.
  Node(Importer& importer, const FileNode& file, bool is_needed = false)
      : importer_(importer), file_(file), is_needed_(is_needed) {}

  const FileNode& file() const { return file_; }
  int64_t opset() const;
  const ImportOptions& options() const;

  // ---- attributes; a wrong type is refused ---------------------------------------------------------------
  bool has(std::string_view name) const { return file_.attributes.contains(name); }
  int64_t integer(std::string_view name, int64_t missing);
  double real(std::string_view name, double missing);
  std::string text(std::string_view name, const std::string& missing);
  /// Empty when it is not there.
  std::vector<int64_t> integers(std::string_view name);
  std::vector<float> reals(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  ArrayPtr tensor(std::string_view name);
  /// Refused unless it is this, or not there.
  void expect(std::string_view name, int64_t only, std::string rewrite = {});

  // ---- inputs
  // ------------------------------------------------------------------------------------------------
  size_t input_count() const { return file_.inputs.size(); }
  bool has_input(size_t slot) const { return slot < file_.inputs.size() && !file_.inputs[slot].empty(); }
  /// Refused when it is not there. Never channels_last.
  const Operand& input(size_t slot);
  /// Returns the operand as it is laid out, which may be channels_last or a view (split). Refused when it is
  /// not there.
  const Operand& lying(size_t slot);
  /// Returns the operand as lying() does, without counting it as read; it is there.
  const Operand& peek(size_t slot) const;
  /// Refused when it is a constant.
  const Operand& data(size_t slot = 0);
  /// Refused when it depends on the data. `what` names it: "the weights".
  const Array& constant(size_t slot, std::string_view what);
  /// A constant that may be left out: null.
  const Array* optional_constant(size_t slot, std::string_view what);
  /// Integers of an attribute in old operator sets, of an input in new ones; nothing when neither is there.
  std::optional<std::vector<int64_t>> integers_of(std::string_view attribute, size_t slot);
  bool all_constant() const;

  // ---- results
  // -----------------------------------------------------------------------------------------------
  bool wants_output(size_t i) const { return i < file_.outputs.size() && !file_.outputs[i].empty(); }
  /// Whether a node or an output of the file reads output i.
  bool is_read(size_t i) const;
  /// Refused when output i is asked for.
  void expect_no_output(size_t i, std::string_view what) const;
  void set_constant(Array array, size_t output = 0);
  /// Sets the output to the values of `from` with the extents `dims`. Adds a Reshape when the map of `dims`
  /// differs from the map of `from`.
  void pass_on(const Operand& from, Extents dims);
  void set_value(graph::ValueId value, Extents dims, size_t output = 0);
  /// The tensor N,...,C of the file with these extents, whose values are those of a map N,C,...
  void set_channels_last(graph::ValueId value, Extents dims);
  /// Says that the file has the batch of the output at this axis. The extents that set_value() and its like
  /// were given have it first.
  void move_batch(size_t axis, size_t output = 0);
  /// Sets the output to a view of the bytes of a map.
  void set_split(graph::ValueId value, Split split, size_t output = 0);
  /// Leaves a node that moves values until somebody needs what it makes: views of views move nothing. False
  /// where it is to be done.
  bool defer(const Operand& from, Split split);
  /// The operand of slot `slot` as a view, if it can be one.
  std::optional<Split> split_of(size_t slot);
  /// The last axis of an operand as channels, all others as the pixels of a map: one row, where a map had to
  /// be made. Refused where there is no such axis.
  graph::ValueId with_channels_last(size_t slot);
  /// A map of one row whose bytes are these extents of a view in this order, the last `channels` of them as
  /// channels.
  graph::ValueId arranged(graph::ValueId value, const Split& split, const std::vector<size_t>& order,
                          size_t channels, std::string_view suffix);
  /// In the file, the output holds integers on this grid.
  void set_grid(const Grid& grid, size_t output = 0);
  /// A helper's name: that of the first output and a suffix.
  std::string helper(std::string_view suffix) const;
  graph::ValueId add_constant(std::string_view role, Tensor tensor, std::optional<QuantParams> quant = {});
  /// Adds an operator under a helper's name, "" for the node's own, and returns its value.
  graph::ValueId add(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs,
                     std::string_view suffix = {});
  /// The values as a map of another shape.
  graph::ValueId as_map(graph::ValueId value, const Shape& shape, std::string_view suffix);
  /// Adds the operator as the node itself; the result has these extents. ModelError when it has 2^31
  /// elements.
  void finish(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs, Extents dims);
  /// Adds the operator as the node itself, as finish() does. The extents of the result follow from `rank` and
  /// from what the operator makes of its inputs.
  void finish_map(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs, size_t rank);
  /// Extents of a value as a tensor of this rank: 2 (N,C), 3 (N,C,L) or 4.
  Extents extents_of(graph::ValueId value, size_t rank);

  /// Inputs that the rule sees in another order than that of the file.
  void show(std::map<size_t, Operand> shown) { shown_ = std::move(shown); }
  /// The nodes of a branch of an If take its place.
  void take_branch(size_t which);

  graph::Graph& graph();
  /// The node that makes the value, if this import added it and nothing but this node reads the value.
  const graph::Node* own_producer(size_t slot);
  /// Attributes that no rule read, sorted; inputs likewise.
  std::vector<std::string> unread_attributes() const;
  std::vector<std::string> unread_inputs() const;
  /// The node that is the layer; set by finish.
  graph::NodeId layer;
  /// Data are shown with the batch as axis 0, where the file has it elsewhere.
  bool sees_batch_first = false;

 private:
  const Attribute* find(std::string_view name, Attribute::Kind kind, std::string_view kind_text);

  Importer& importer_;
  const FileNode& file_;
  bool is_needed_;
  std::set<std::string, std::less<>> read_;
  std::set<size_t> read_inputs_;
  std::map<size_t, Operand> shown_;
};

/// What a rule does with data that are integers in the file: nothing, pass them on as they are, or ask for
/// their Operand::grid.
enum class Integers { Refused, Moved, Read };

/// How an operator is imported.
struct Rule {
  /// Puts the node into the graph; null: only constants are understood.
  std::function<void(Node&)> convert;
  /// The node of constant inputs; null: there is no such rule.
  std::function<void(Node&)> fold;
  Integers integers = Integers::Refused;
  /// The operator is one of QONNX, not of ONNX.
  bool is_of_qonnx = false;
};
using RuleRegistry = Registry<Rule>;

/// Filled once from the sorted list of src/onnx/CMakeLists.txt.
const RuleRegistry& rules();

/// The array under a shape of as many elements; a vector must be one. Refused when it is not, or holds
/// integers;
/// `what` names it: "the weights".
Tensor real_tensor(const Array& array, Shape shape, std::string_view what);
/// A list of integers. Refused when it is none.
Extents list_of_extents(const Array& array);
/// A size of a window in [least, 2^20]. Refused when it is not.
int window_size(std::string_view name, int64_t value, int64_t least);
/// A negative axis counts from the end. Refused when it is outside.
size_t axis_of(int64_t axis, size_t rank);

}  // namespace n2d2::onnx
