// How are tensors read whose batch is not axis 0? Recurrent layers of ONNX take T,N,C.
#include <algorithm>
#include <numeric>
#include <optional>

#include "channels_last.hpp"
#include "importer.hpp"

namespace n2d2::onnx {

namespace {

/// Where axis `axis` of the file's tensor is when axis `batch` was moved to the front.
int64_t in_front(int64_t axis, int64_t batch) {
  return axis == batch ? 0 : axis < batch ? axis + 1 : axis;
}
Extents batch_in_front(Extents dims, size_t batch) {
  std::rotate(dims.begin(), dims.begin() + static_cast<int64_t>(batch),
              dims.begin() + static_cast<int64_t>(batch) + 1);
  return dims;
}
Extents batch_at(Extents dims, size_t batch) {
  std::rotate(dims.begin(), dims.begin() + 1, dims.begin() + static_cast<int64_t>(batch) + 1);
  return dims;
}

Attribute integers_attribute(std::vector<int64_t> values) {
  Attribute out;
  out.kind = Attribute::Kind::Ints, out.integers = std::move(values);
  return out;
}

/// One node with its attributes and constants as they are for tensors whose batch is axis 0.
class BatchFirst {
 public:
  using Operands = std::map<std::string, Operand, std::less<>>;
  BatchFirst(const FileNode& file, const Operands& operands) : node(file), operands_(operands) {
    for (const std::string& name : file.inputs)
      if (const Operand* data = data_of(name); data != nullptr && (first_ == nullptr || data->batch != 0))
        first_ = data;
    batch_ = static_cast<int64_t>(first_->batch), rank_ = static_cast<int64_t>(first_->dims.size());
    batch_of_output = first_->batch;
    rewrite();
  }

  FileNode node;
  std::map<size_t, Operand> shown;  ///< constants in another order
  size_t batch_of_output = 0;

 private:
  const Operand* data_of(const std::string& name) const {
    const auto found = operands_.find(name);
    return found == operands_.end() || found->second.is_constant() ? nullptr : &found->second;
  }
  int64_t axis(int64_t axis) const { return static_cast<int64_t>(axis_of(axis, static_cast<size_t>(rank_))); }

  [[noreturn]] void refuse_node() const {
    refuse(fmt::format("reads a tensor of {} whose batch is axis {}", text_of(first_->dims), batch_),
           "transpose it in front of this node, so that the batch is axis 0 (batch_first=True in PyTorch)");
  }

  void rewrite() {
    static const std::map<std::string_view, void (BatchFirst::*)()> kRules{
        {"Concat", &BatchFirst::one_axis},
        {"Gather", &BatchFirst::gather},
        {"GRU", &BatchFirst::sequence},
        {"LSTM", &BatchFirst::sequence},
        {"LayerNormalization", &BatchFirst::normalization},
        {"LogSoftmax", &BatchFirst::one_axis},
        {"MatMul", &BatchFirst::product},
        {"RMSNormalization", &BatchFirst::normalization},
        {"RNN", &BatchFirst::sequence},
        {"ReduceMax", &BatchFirst::reduction},
        {"ReduceMean", &BatchFirst::reduction},
        {"ReduceSum", &BatchFirst::reduction},
        {"Reshape", &BatchFirst::reshape},
        {"Slice", &BatchFirst::slice},
        {"Softmax", &BatchFirst::one_axis},
        {"Split", &BatchFirst::one_axis},
        {"Squeeze", &BatchFirst::squeeze},
        {"Transpose", &BatchFirst::transpose},
        {"Unsqueeze", &BatchFirst::unsqueeze}};
    if (const auto found = kRules.find(node.type); found != kRules.end()) return (this->*found->second)();
    if (!takes_elements(node.type) && !joins_elements(node.type)) refuse_node();
    same_order();
  }

  /// Operators of single elements: constants get the order of the data.
  void same_order() {
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const auto found = operands_.find(node.inputs[slot]);
      if (found == operands_.end()) continue;
      const Operand& operand = found->second;
      if (!operand.is_constant()) {
        if (static_cast<int64_t>(operand.dims.size()) != rank_ || operand.batch != first_->batch)
          refuse_node();
        continue;
      }
      if (operand.array->size() <= 1) continue;
      Extents dims(static_cast<size_t>(rank_) - std::min(static_cast<size_t>(rank_), operand.dims.size()), 1);
      dims.insert(dims.end(), operand.dims.begin(), operand.dims.end());
      if (static_cast<int64_t>(dims.size()) != rank_ || dims[first_->batch] != 1) refuse_node();
      Operand shows = operand;
      shows.dims = batch_in_front(dims, first_->batch);
      shows.array = std::make_shared<const Array>(operand.array->with_dims(Extents(shows.dims)));
      shown[slot] = std::move(shows);
    }
  }

  void sequence() {
    const auto layout = node.attributes.find("layout");
    const bool is_first = layout != node.attributes.end() && layout->second.integer == 1;
    if (is_first || batch_ != 1) refuse_node();
  }

  void product() {
    if (batch_ == rank_ - 1 || data_of(node.inputs.at(1)) != nullptr) refuse_node();
  }

  void one_axis() {
    const auto found = node.attributes.find("axis");
    const bool is_old = (node.type == "Softmax" || node.type == "LogSoftmax") && node.opset < 13;
    const int64_t missing = is_old ? 1 : node.type == "Softmax" || node.type == "LogSoftmax" ? -1 : 0;
    const int64_t along = axis(found == node.attributes.end() ? missing : found->second.integer);
    if (is_old && along != rank_ - 1) refuse_node();
    set_axis(along);
    for (const std::string& name : node.inputs)
      if (const Operand* data = data_of(name); data != nullptr && data->batch != first_->batch) refuse_node();
  }
  void set_axis(int64_t along) {
    Attribute& out = node.attributes["axis"];
    out.kind = Attribute::Kind::Int, out.integer = in_front(along, batch_);
  }

  void gather() {
    const auto found = node.attributes.find("axis");
    const int64_t along = axis(found == node.attributes.end() ? 0 : found->second.integer);
    const auto indices = operands_.find(node.inputs.at(1));
    if (along == batch_ || indices == operands_.end() || !indices->second.is_constant()) refuse_node();
    const auto rank = static_cast<int64_t>(indices->second.dims.size());
    if (along < batch_) batch_of_output = static_cast<size_t>(batch_ + rank - 1);
    set_axis(along);
  }

  void transpose() {
    std::vector<int64_t> order;
    if (const auto found = node.attributes.find("perm"); found != node.attributes.end())
      order = found->second.integers;
    if (order.empty())
      for (int64_t i = rank_; i-- > 0;) order.push_back(i);
    std::vector<int64_t> moved{0};
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] == batch_)
        batch_of_output = i;
      else
        moved.push_back(in_front(axis(order[i]), batch_));
    }
    if (moved.size() != order.size() || static_cast<int64_t>(order.size()) != rank_) refuse_node();
    node.attributes["perm"] = integers_attribute(std::move(moved));
  }

  /// The axes of an attribute, or of a constant, which then becomes one.
  std::optional<std::vector<int64_t>> take_axes(size_t slot) {
    if (const auto found = node.attributes.find("axes"); found != node.attributes.end())
      return found->second.integers;
    if (slot >= node.inputs.size() || node.inputs[slot].empty()) return std::nullopt;
    const auto found = operands_.find(node.inputs[slot]);
    if (found == operands_.end() || !found->second.is_constant() || !found->second.array->is_integer)
      refuse_node();
    std::vector<int64_t> axes = found->second.array->integers;
    node.inputs[slot].clear();
    return axes;
  }

  void squeeze() {
    std::optional<std::vector<int64_t>> axes = take_axes(1);
    if (!axes) {
      axes.emplace();
      for (int64_t i = 0; i < rank_; ++i)
        if (i != batch_ && first_->dims[static_cast<size_t>(i)] == 1) axes->push_back(i);
    }
    for (int64_t& each : *axes) {
      each = axis(each);
      if (each == batch_) refuse_node();
      batch_of_output -= each < batch_ ? 1 : 0;
      each = in_front(each, batch_);
    }
    node.attributes["axes"] = integers_attribute(*std::move(axes));
  }

  /// Over the last axis alone.
  void normalization() {
    const auto axes = node.attributes.find("axes");
    const bool is_list = axes != node.attributes.end();
    const auto along = node.attributes.find("axis");
    const int64_t first = along == node.attributes.end() ? -1 : along->second.integer;
    const bool is_last =
        is_list ? axes->second.integers.size() == 1 && axis(axes->second.integers[0]) == rank_ - 1
                : axis(first) == rank_ - 1;
    if (!is_last || batch_ == rank_ - 1) refuse_node();
  }

  void reduction() {
    std::optional<std::vector<int64_t>> axes = take_axes(1);
    if (!axes || axes->empty()) refuse_node();
    const auto keeps = node.attributes.find("keepdims");
    const bool is_kept = keeps == node.attributes.end() || keeps->second.integer != 0;
    for (int64_t& each : *axes) {
      each = axis(each);
      if (each == batch_) refuse_node();
      batch_of_output -= !is_kept && each < batch_ ? 1 : 0;
      each = in_front(each, batch_);
    }
    node.attributes["axes"] = integers_attribute(*std::move(axes));
  }

  void unsqueeze() {
    const std::optional<std::vector<int64_t>> axes = take_axes(1);
    if (!axes) refuse_node();
    const auto rank = static_cast<size_t>(rank_) + axes->size();
    std::vector<bool> is_new(rank, false);
    for (const int64_t each : *axes) is_new[axis_of(each, rank)] = true;
    int64_t old = 0;
    for (size_t i = 0; i < rank; ++i)
      if (!is_new[i] && old++ == batch_) batch_of_output = i;
    std::vector<int64_t> moved;
    for (size_t i = 0; i < rank; ++i)
      if (is_new[i])
        moved.push_back(in_front(static_cast<int64_t>(i), static_cast<int64_t>(batch_of_output)));
    node.attributes["axes"] = integers_attribute(std::move(moved));
  }

  void slice() {
    const std::optional<std::vector<int64_t>> given = take_axes(3);
    std::vector<int64_t> axes;
    if (given)
      axes = *given;
    else if (const auto starts = node.attributes.find("starts"); starts != node.attributes.end())
      axes.resize(starts->second.integers.size());
    else if (const auto constant = operands_.find(node.inputs.at(1)); constant != operands_.end())
      axes.resize(static_cast<size_t>(constant->second.is_constant() ? constant->second.array->size() : 0));
    if (!given) std::iota(axes.begin(), axes.end(), 0);
    for (int64_t& each : axes) each = in_front(axis(each), batch_);
    node.attributes["axes"] = integers_attribute(std::move(axes));
  }

  /// The batch stays an axis of its own, behind as many elements as before.
  void reshape() {
    const auto constant = operands_.find(node.inputs.at(1));
    if (constant == operands_.end() || !constant->second.is_constant()) refuse_node();
    Extents dims = constant->second.array->integers;
    int64_t all = 1, known = 1, before = 1;
    for (size_t i = 0; i < first_->dims.size(); ++i) {
      all *= first_->dims[i];
      if (static_cast<int64_t>(i) < batch_) before *= first_->dims[i];
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 0 && i < first_->dims.size()) dims[i] = first_->dims[i];
      known *= dims[i] == -1 ? 1 : dims[i];
    }
    for (int64_t& extent : dims)
      if (extent == -1 && known > 0) extent = all / known;
    const int64_t batch = first_->dims[first_->batch];
    std::optional<size_t> place;  // where it was, if it may be there
    int64_t passed = 1;
    for (size_t i = 0; i < dims.size(); passed *= dims[i++])
      if (passed == before && dims[i] == batch && (!place || i == first_->batch)) place = i;
    // A single sample has the same values with its batch in front.
    const bool is_one = batch == 1 && !dims.empty();
    if (!place && !is_one) refuse_node();
    batch_of_output = place.value_or(0);
    Operand shows = constant->second;
    shows.array = std::make_shared<const Array>(
        Array::of_integers({static_cast<int64_t>(dims.size())}, batch_in_front(dims, batch_of_output)));
    shown[1] = std::move(shows);
  }

  const Operands& operands_;
  const Operand* first_ = nullptr;
  int64_t batch_ = 0, rank_ = 0;
};

bool is_recurrent(std::string_view type) {
  return type == "LSTM" || type == "GRU" || type == "RNN";
}

}  // namespace

bool Importer::reads_moved_batch(const FileNode& node) const {
  if (node.type == "Shape" || node.type == "Size") return false;  // they have the extents of the file
  bool reads_data = false;
  for (const std::string& name : node.inputs) {
    const auto found = operands_.find(name);
    if (name.empty() || found == operands_.end() || found->second.is_constant()) continue;
    reads_data = true;
    if (found->second.batch != 0) return true;
  }
  if (node.type != "Transpose" || !reads_data) return false;
  const Operand& data = operands_.find(node.inputs.at(0))->second;
  if (data.split || (data.channels_last && data.dims[0] == 1)) return false;  // what is made is a view
  const auto perm = node.attributes.find("perm");
  return perm == node.attributes.end() || perm->second.integers.empty() || perm->second.integers[0] != 0;
}

void Importer::add_batch_first(const FileNode& node, const Rule& rule) {
  const BatchFirst rewritten(node, operands_);
  struct Given {
    Operand* operand;
    size_t batch;
  };
  std::vector<Given> given;
  for (const std::string& name : node.inputs) {
    const auto found = operands_.find(name);
    if (found == operands_.end() || found->second.batch == 0) continue;
    Operand& operand = found->second;
    given.push_back({&operand, operand.batch});
    operand.dims = batch_in_front(operand.dims, operand.batch);
    operand.batch = 0;
  }
  const auto give_back = [&] {
    for (const Given& each : given) {
      each.operand->dims = batch_at(each.operand->dims, each.batch);
      each.operand->batch = each.batch;
    }
  };
  try {
    Node seen(*this, rewritten.node);
    seen.show(rewritten.shown);
    seen.sees_batch_first = true;
    convert(seen, rule, false);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
  if (is_recurrent(node.type)) return;
  for (const std::string& output : node.outputs)
    if (const auto made = operands_.find(output); made != operands_.end() && !made->second.is_constant()) {
      if (made->second.split && !made->second.split->axes[0].empty()) continue;  // rows, no batch
      if (made->second.split) make_straight(output, made->second);
      move_batch(output, rewritten.batch_of_output);
    }
}

/// Tensors (1,1,...) that are joined along axis 0 have their batch at axis 1, as states of several layers do.
void Importer::see_stack(const FileNode& node) {
  const auto along = node.attributes.find("axis");
  if (node.type != "Concat" || along == node.attributes.end()) return;
  for (const std::string& name : node.inputs) {
    const auto found = operands_.find(name);
    if (found == operands_.end() || found->second.is_constant()) return;
    const Operand& operand = found->second;
    const auto rank = static_cast<int64_t>(operand.dims.size());
    const bool is_one = rank > 1 && operand.dims[0] == 1 && operand.dims[1] == 1 && reads_[name] == 1;
    if ((along->second.integer != 0 && along->second.integer != -rank) ||
        !(operand.batch == 1 || (operand.batch == 0 && is_one)))
      return;
  }
  for (const std::string& name : node.inputs)
    if (operands_.find(name)->second.batch == 0) {
      straight(name);
      move_batch(name, 1);
    }
}

/// A view (T,1,C) that a recurrent layer reads, or that is joined with such a tensor, is a sequence whose
/// batch is axis 1.
void Importer::see_sequence(const FileNode& node) {
  if (is_recurrent(node.type)) {
    if (!node.inputs.empty()) see_sequence(node.inputs[0]);
    return;
  }
  const auto is_moved = [&](const std::string& name) {
    const auto found = operands_.find(name);
    return found != operands_.end() && found->second.batch == 1 && found->second.dims.size() == 3;
  };
  if (!joins_elements(node.type) || std::none_of(node.inputs.begin(), node.inputs.end(), is_moved)) return;
  for (const std::string& name : node.inputs) see_sequence(name);
}

void Importer::see_sequence(const std::string& name) {
  const auto found = operands_.find(name);
  if (found == operands_.end() || !found->second.split) return;
  Operand& operand = found->second;
  if (operand.split->axes.size() != 3 || !operand.split->axes[1].empty()) return;
  const Split first = operand.split->transposed({1, 0, 2});
  const graph::ValueId value = moved(operand.value, first, first.order(), first.axes.back().size(), name);
  --names_[operand.value];
  operand.value = as_map(value, map_shape(channels_first(first.dims())), name);
  ++names_[operand.value];
  operand.split = nullptr, operand.deferred = nullptr;
  operand.channels_last = true, operand.batch = 1;
  imported_.values[name] = operand.value;
  imported_.batch[name] = 1;
}

void Importer::move_batch(const std::string& name, size_t axis) {
  Operand& operand = operands_.find(name)->second;
  operand.dims = batch_at(operand.dims, axis);
  operand.batch = axis;
  if (axis != 0) imported_.batch[name] = axis;
}

}  // namespace n2d2::onnx
