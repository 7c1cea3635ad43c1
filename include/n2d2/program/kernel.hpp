// Which kernel computes a node, what does it promise, and what does it take to print and to run a call of it?
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// One member of a call's config: `static constexpr <type> <name> = <text>;`.
struct ConfigField {
  std::string name, type, text;
  friend bool operator==(const ConfigField&, const ConfigField&) = default;
};
using ConfigFields = std::vector<ConfigField>;

/// Whether calls whose maps have these shapes are turned: a map of one row is stored as a column, so that
/// rows are its pixels, and where all maps of a call have one row, and one of them several pixels, height and
/// width of its layer are exchanged.
bool is_turned(std::span<const Shape> maps);
/// Whether the call that computes a node is turned: its maps are the activations that it reads and its
/// outputs. What a kernel packs for a turned call has rows and columns exchanged (Kernel::pack), and its
/// windows count pixels (Kernel::contract).
bool is_turned(const graph::Graph& graph, const graph::Node& node);

/// What the printed call of a kernel is specialised by. `of_inputs` is empty, or has the fields of each input
/// of a kernel that takes any number of them (its inputs follow its outputs then).
struct Config {
  ConfigFields fields;
  std::vector<ConfigFields> of_inputs = {};
};

/// Where a view lies in elements of its type: the fields of export/CPP/kernels/plane.hpp. ring, first and
/// turn as in View.
struct Plane {
  int width = 0, height = 0, channels = 0;
  int64_t pixel = 0, row = 0;
  int ring = 0, first = 0;
  int64_t turn = 0;
  friend bool operator==(const Plane&, const Plane&) = default;
};
Plane plane_of(const View& view);

/// Addresses of row 0, pixel 0, channel 0 of a call's views, and the rows of the outputs that are asked for.
struct HostArgs {
  std::span<const void* const> in;
  std::span<void* const> out;
  Rows rows;  ///< count is never -1
  void* scratch = nullptr;
  void* state = nullptr;
  int slice = 0;  ///< of the constants that have slices (Constant::slices)
};
using HostCall = std::function<void(const HostArgs&)>;
/// Makes a call's state what its kernel needs it to be.
using HostStart = std::function<void(void* state)>;
/// Gives back what a state holds.
using HostEnd = std::function<void(void* state)>;

/// How the bytes of a node's output come to be.
enum class Placement {
  Own,    ///< one call writes them
  Alias,  ///< they are those of the input, in its order; where pitches forbid it, one call copies them
  Parts   ///< each data input is a range of channels, written by its producer or by a call that copies it
};

/// One of several ways in which a kernel computes. All of them give the same bytes.
struct Form {
  std::string_view name;      ///< a word that no other form of a kernel of the same operator has: "packed"
  std::string_view what;      ///< for people
  bool reads_packed = false;  ///< Constant::packed, where the call has it
  bool reads_narrow = false;  ///< Constant::storage of any kind that the kernel has given it
};

/// How a kernel takes part in a loop over slices of channels, or over rows that are added up.
struct Slicing {
  /// What a slice of its outputs is made of. OfAll: of all inputs; its constants begin with the outputs.
  /// OfSame: of the same slice of the inputs; the channels are the last axis of its weights.
  enum class Made { Never, OfAll, OfSame } made = Made::Never;
  /// The kernel of its library that adds the products of a slice of the inputs, which are the last axis of
  /// its weights, to sums of 32 bits; "requantize" makes the outputs of them. "": there is none.
  std::string_view sums = {};
  /// The kernel that adds up the rows of the input. "": there is none.
  std::string_view sums_of_rows = {};
};

/// One kernel of a target. Its functions are asked in the order in which they stand here.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// "conv2d": unique in its library, and the name of the function in the printed program.
  virtual std::string_view name() const = 0;
  /// The file that declares it there: "conv.hpp".
  virtual std::string_view header() const = 0;
  /// The text of that file; empty: it lies among the sources of the export.
  virtual std::string_view header_text() const { return {}; }
  /// Types of operators it may compute.
  virtual std::vector<std::string_view> operators() const = 0;
  /// Returns the priority of the kernel. Among the kernels of a library that take a node, the one with the
  /// highest priority is chosen; at equal priorities, the first in the list.
  virtual int priority() const { return 0; }
  virtual Placement placement() const { return Placement::Own; }
  /// "": takes the node; else why not. Also asked of graphs that have no integers yet.
  virtual std::string refuses(const graph::Graph& graph, const graph::Node& node) const = 0;
  /// Its forms, the one that it has by itself first, where that fits; empty: one, called as the kernel is.
  /// The header of a kernel with forms has, beside the kernel, `const char* <name>_form(config, arrays...)`
  /// that says what computes.
  virtual std::vector<Form> forms() const { return {}; }
  /// "": that form computes the node, which the kernel takes and which has its integers; else why not.
  virtual std::string form_refuses(const graph::Graph&, const graph::Node&, std::string_view) const {
    return {};
  }
  /// Windows of the data inputs, in rows of one-row maps that are pixels when all maps of the node have one
  /// row.
  virtual Contract contract(const graph::Graph& graph, const graph::Node& node) const = 0;
  /// What it reads beside its maps, in its own order: weight layout has no other owner.
  virtual std::vector<Constant> pack(const graph::Graph&, const graph::Node&) const { return {}; }
  /// What loops may do with the node, which the kernel takes and which has its integers.
  virtual Slicing slicing(const graph::Graph&, const graph::Node&) const { return {}; }
  /// After planning.
  virtual Config config(const Program& program, const Call& call) const = 0;
  /// Returns the call to run in process, bound to its constants. Never null: exports are proven by running
  /// every call.
  virtual HostCall host(const Program& program, const Call& call) const = 0;
  /// Once before the first call of every run; null where there is no state.
  virtual HostStart host_start(const Program&, const Call&) const { return nullptr; }
  /// Once after every run whose start succeeded, also when a call fails; null: there is nothing to give back.
  virtual HostEnd host_end(const Program&, const Call&) const { return nullptr; }
};

/// The kernel of the source: the caller makes its rows, so host() gives a call that throws.
const Kernel& source_kernel();

/// A kernel that may be asked for by the name of a form.
struct Choice {
  const Kernel* kernel = nullptr;
  Form form;
  std::string why_not;  ///< "": it computes the node
};

/// The kernels of one target by operator type.
class KernelLibrary {
 public:
  /// InternalError for a name that is taken.
  void add(std::unique_ptr<const Kernel> kernel);
  /// Kernels for what this library refuses, behind its own; null: none.
  void fall_back_on(const KernelLibrary* other) { other_ = other; }
  /// The chosen kernel, or null with the reasons of all candidates in `reasons`.
  const Kernel* choose(const graph::Graph& graph, const graph::Node& node, std::string& reasons) const;
  /// All forms of all kernels of the operator, those first that are chosen first. The node has its integers.
  std::vector<Choice> choices(const graph::Graph& graph, const graph::Node& node) const;
  /// Operator types that have a kernel, also among those behind its own, sorted.
  std::vector<std::string> operators() const;
  /// All of them, in the order in which they were added; its own first.
  std::vector<const Kernel*> kernels() const;
  /// The kernel of that name, also among those behind its own. Null when there is none.
  const Kernel* find(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  const KernelLibrary* other_ = nullptr;
};

}  // namespace n2d2::program
