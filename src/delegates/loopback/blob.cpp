#include "blob.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>

#include "runtime/blob.hpp"

namespace n2d2::delegates {

namespace {

namespace format = N2D2_Export::loopback;

#define N2D2_MEMBER_NAME(type, name) #name,
#define N2D2_KERNEL_MEMBERS(kernel, members) {#kernel, {members(N2D2_MEMBER_NAME)}},

struct KernelMembers {
  std::string_view kernel;
  std::vector<std::string_view> members;
};
const std::vector<KernelMembers>& known_kernels() {
  static const std::vector<KernelMembers> all{N2D2_LOOPBACK_KERNELS(N2D2_KERNEL_MEMBERS)};
  return all;
}
const std::vector<std::string_view>& operand_members() {
  static const std::vector<std::string_view> all{N2D2_LOOPBACK_OPERAND(N2D2_MEMBER_NAME)};
  return all;
}

int kind_of(DataType type) {
  switch (type) {
    case DataType::U8:
      return format::kU8;
    case DataType::I8:
      return format::kI8;
    case DataType::U16:
      return format::kU16;
    case DataType::I16:
      return format::kI16;
    case DataType::F32:
      return format::kFloat;
    default:
      throw InternalError(fmt::format("no kernel takes {}", to_string(type)), __FILE__, __LINE__);
  }
}

class Writer {
 public:
  Writer(const program::Program& program, bool copied) : p_(program), copied_(copied) {}

  std::vector<std::byte> write() {
    put(format::kMagic), put(0);
    put(p_.graph.inputs().size()), put(p_.graph.outputs().size()), put(p_.calls.size());
    put(copied_ ? 1 : 0);
    for (const auto* ends : {&p_.graph.inputs(), &p_.graph.outputs()})
      for (const graph::ValueId value : *ends) put_end(p_.map_of(value));
    for (size_t cell = 0; cell < p_.cells.size(); ++cell)
      for (const program::CallId call : p_.cells[cell].calls) cell_of_[call] = cell;
    for (program::CallId call = 0; call < static_cast<program::CallId>(p_.calls.size()); ++call)
      put_call(call);
    for (const auto& [at, constant] : constants_) words_[at] = append(p_.constant(constant));
    const size_t size = words_.size() * sizeof(int32_t) + arrays_.size();
    words_[1] = fitting(size);
    std::vector<std::byte> out(size);
    std::memcpy(out.data(), words_.data(), words_.size() * sizeof(int32_t));
    if (!arrays_.empty())
      std::memcpy(out.data() + words_.size() * sizeof(int32_t), arrays_.data(), arrays_.size());
    return out;
  }

 private:
  template <class I>
  static int32_t fitting(I value) {
    const auto number = static_cast<int64_t>(value);
    N2D2_CHECK(number == static_cast<int32_t>(number), "{} does not fit into a blob", number);
    return static_cast<int32_t>(number);
  }
  template <class I>
  void put(I value) {
    words_.push_back(fitting(value));
  }

  void put_end(const program::View& view) {
    put(view.place.value().offset), put(view.w), put(view.h), put(view.used()), put(view.pixel),
        put(view.row);
    put(view.ring), put(view.first), put(view.turn);
  }

  void put_config(const program::ConfigFields& fields, const std::vector<std::string_view>& members,
                  std::string_view kernel) {
    N2D2_CHECK(fields.size() == members.size(), "loopback knows other members of '{}'", kernel);
    for (const std::string_view member : members) {
      const auto field =
          std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == member; });
      N2D2_CHECK(field != fields.end(), "'{}' has no member '{}'", kernel, member);
      if (member == "packed") {
        put(0);  // a blob holds plain weights, whatever its reader is compiled for
      } else if (field->type == "float") {
        const float value = std::strtof(field->text.c_str(), nullptr);
        words_.emplace_back();
        std::memcpy(&words_.back(), &value, sizeof value);
      } else {
        put(std::strtoll(field->text.c_str(), nullptr, 10));
      }
    }
  }

  void put_call(program::CallId id) {
    const program::Call& call = p_.call(id);
    N2D2_CHECK(call.contract.state == 0 && call.contract.scratch == 0, "'{}' needs memory of its own",
               call.kernel->name());
    const auto known = std::find_if(known_kernels().begin(), known_kernels().end(),
                                    [&](const auto& k) { return k.kernel == call.kernel->name(); });
    N2D2_CHECK(known != known_kernels().end(), "loopback does not know '{}'", call.kernel->name());
    const program::View& out = p_.view(call.out.at(0));
    const graph::Node& node = p_.node(call);
    const size_t start = words_.size();
    put(0), put(known - known_kernels().begin());
    put(kind_of(p_.view(call.in.at(0)).type)), put(kind_of(out.type));
    put(has_multipliers(node) ? 1 : 0);
    put(call.rows.first), put(call.rows.count < 0 ? out.h - call.rows.first : call.rows.count);
    put(debug_handle(id)), put(call.in.size());
    for (const program::ViewId in : call.in) put(p_.view(in).place.value().offset);
    put(out.place.value().offset);
    N2D2_CHECK(call.constants.size() <= format::kConstants, "'{}' has {} constants", node.name,
               call.constants.size());
    for (size_t i = 0; i < format::kConstants; ++i) {
      if (i < call.constants.size()) constants_.emplace_back(words_.size(), call.constants[i]);
      put(0);
    }
    const program::Config config = call.kernel->config(p_, call);
    put_config(config.fields, known->members, known->kernel);
    for (const auto& operand : config.of_inputs) put_config(operand, operand_members(), known->kernel);
    words_[start] = fitting(words_.size() - start);
  }

  /// The layer that a call ends.
  int64_t debug_handle(program::CallId id) const {
    const auto cell = cell_of_.find(id);
    if (cell == cell_of_.end() || p_.cells[cell->second].calls.back() != id) return -1;
    return static_cast<int64_t>(cell->second);
  }

  /// The place of an array; those that are the same array are one.
  int32_t append(const program::Constant& constant) {
    const auto known = place_of_.find(constant.data.get());
    if (known != place_of_.end()) return known->second;
    const size_t head = words_.size() * sizeof(int32_t);
    while ((head + arrays_.size()) % format::kAlignment != 0) arrays_.push_back(std::byte{0});
    const int32_t place = fitting(head + arrays_.size());
    const auto* data = static_cast<const std::byte*>(constant.data->raw());
    arrays_.insert(arrays_.end(), data, data + constant.data->bytes());
    return place_of_[constant.data.get()] = place;
  }

  const program::Program& p_;
  bool copied_;
  std::vector<int32_t> words_;
  std::vector<std::byte> arrays_;
  std::vector<std::pair<size_t, program::ConstantId>> constants_;  ///< words that hold their places
  std::map<program::CallId, size_t> cell_of_;
  std::map<const Tensor*, int32_t> place_of_;
};

}  // namespace

size_t most_summands() {
  return format::kMaxOperands;
}

bool is_in_loopback(std::string_view kernel) {
  return std::any_of(known_kernels().begin(), known_kernels().end(),
                     [&](const KernelMembers& known) { return known.kernel == kernel; });
}

bool has_multipliers(const graph::Node& node) {
  return node.rescale && !node.rescale->multiplier.empty();
}

std::vector<std::byte> blob_of(const program::Program& program, bool copied) {
  N2D2_CHECK(program.memories.size() == 1 && program.input_in_arena(), "one memory holds all");
  return Writer(program, copied).write();
}

program::Bytes handle_bytes(program::Bytes copied) {
  const program::Bytes own = 2 * sizeof(void*);
  return copied == 0 ? own : own + format::kAlignment - 1 + copied;
}

}  // namespace n2d2::delegates
