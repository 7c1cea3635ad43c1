// What may the `-export-parameters` file of `-export CPP` say? Its keys, for the whole export, for layers and
// for memories.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/delegates/hand_over.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/program/memory_budget.hpp"
#include "n2d2/targets/target.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::targets::cpp {

/// What MemoryAlignment counts.
enum class AlignmentUnit { Element, Byte };

/// The machine that an export is for: it ships the forms of its kernels for instruction sets of that machine,
/// all where nobody says (the compiler picks). No form changes a byte of an output.
enum class Machine { Generic, X86, Arm64, CortexM };

/// What the exported program is to have little of: time, or code.
enum class Optimize { Speed, Size };

/// Whether a form of its kernels reads weights in the order of export/CPP/kernels/packed.hpp.
constexpr bool reads_packed_weights(Machine machine) {
  return machine != Machine::CortexM;
}

/// Whether a form of them multiplies matrices.
constexpr bool multiplies_matrices(Machine machine) {
  return machine == Machine::Generic || machine == Machine::X86;
}

}  // namespace n2d2::targets::cpp

template <>
struct n2d2::EnumText<n2d2::targets::cpp::AlignmentUnit> {
  static constexpr std::array names{"Element", "Byte"};
};

template <>
struct n2d2::EnumText<n2d2::targets::cpp::Machine> {
  static constexpr std::array names{"generic", "x86", "arm64", "cortex-m"};
};

template <>
struct n2d2::EnumText<n2d2::targets::cpp::Optimize> {
  static constexpr std::array names{"speed", "size"};
};

namespace n2d2::targets::cpp {

using program::MemoryBudget;

}  // namespace n2d2::targets::cpp

/// "25600", "25K" (of 1024), "1M", "min" and, for no limit, "0".
template <>
struct n2d2::ValueText<n2d2::program::MemoryBudget> {
  using Budget = program::MemoryBudget;
  static bool parse(std::string_view text, Budget& value);
  static std::string print(const Budget& value);
  static std::string kind() { return "bytes, a number with K or M behind it, 'min', or 0 for no limit"; }
  static std::vector<double> numbers(const Budget&) { return {}; }
};

namespace n2d2::targets::cpp {

/// The form of a kernel that a section asks for.
struct AskedForm {
  std::optional<std::string> name;  ///< nothing: the section leaves it to the next one
  friend bool operator==(const AskedForm&, const AskedForm&) = default;
};
/// The export chooses.
inline constexpr std::string_view kOwnForm = "auto";

}  // namespace n2d2::targets::cpp

template <>
struct n2d2::ValueText<n2d2::targets::cpp::AskedForm> {
  using Asked = targets::cpp::AskedForm;
  static bool parse(std::string_view text, Asked& value) {
    value.name = std::string(text);
    return true;
  }
  static std::string print(const Asked& value) {
    return value.name.value_or(std::string(targets::cpp::kOwnForm));
  }
  static std::string kind() { return "auto, or the name of a form"; }
  static std::vector<double> numbers(const Asked&) { return {}; }
};

namespace n2d2::targets::cpp {

/// Keys of a layer's section.
struct LayerParameters {
  std::optional<bool> no_wrap;
  std::vector<std::string> memory_section;
  AskedForm kernel = {};
  std::optional<int> tiles = {};
  std::optional<int> bits = {}, weight_bits = {}, activation_bits = {};

  template <class V>
  static void fields(V&& v) {
    using P = LayerParameters;
    v("NoWrap", &P::no_wrap, help("the layer's output shares no byte with its inputs"));
    v("MemorySection", &P::memory_section, help("memories for the layer's output, the preferred one first"));
    v("Kernel", &P::kernel,
      help("form of the kernel that computes the layer (docs/use/kernels.md); auto: the first that fits"));
    v("Tiles", &P::tiles, at_least(1),
      help("slices of rows in which the layer runs together with the layers right before and behind it that "
           "have as many; rows between slices are computed again"));
    add_width_fields<P>(v);
  }
};

/// `[conv1]`, `[conv*]`, `[default]`, or "" for the global section.
struct LayerSection {
  std::string mask;
  SourceLocation where;
  LayerParameters values;
  SourceLocation kernel_at = {};  ///< of its key Kernel
  SourceLocation tiles_at = {};   ///< of its key Tiles

  /// It names one layer: what it asks for must fit.
  bool is_exact() const;
  /// "[conv1]", or "[]".
  std::string subject() const { return "[" + mask + "]"; }
};

/// Largest alignment, in bytes or elements: a page. Multiples that are no power of two hold within an arena;
/// its own address is a multiple of the largest power of two that divides them.
inline constexpr int kMostAlignment = 4096;

/// `[memory.<name>]`.
struct MemoryParameters {
  std::string name = "default";
  int64_t size = 0, alignment = 1;
  std::string section = ".nn_memory";

  template <class V>
  static void fields(V&& v) {
    using P = MemoryParameters;
    v("Size", &P::size, at_least(0), help("bytes; 0: unlimited"));
    v("Alignment", &P::alignment, at_least(1), at_most(kMostAlignment),
      help("multiple of bytes at which buffers start, from the start of the memory"));
    v("Section", &P::section, help("linker section of the array"));
  }
};

/// Stimuli with dumps of every layer where nobody says how many, and the most that their files take together
/// then, but for those of the first one.
inline constexpr int kUsualReferences = 10;
inline constexpr size_t kUsualReferenceBytes = 1 << 20;

/// Keys of the whole export, and what its sections say.
struct Parameters : SharedParameters {
  Parameters() { reference_stimuli = kUsualReferences; }

  bool include_input_in_buffer = true;
  bool optimize_buffer_memory = true;
  bool optimize_no_branch_concat = true;
  int memory_alignment = 1;
  AlignmentUnit memory_alignment_unit = AlignmentUnit::Element;
  std::string memory_manager_strategy = "OptimizeMaxLifetimeMaxSizeFirst";
  MemoryBudget memory_budget;
  bool stream_input = false;
  int64_t memory_search_nodes = 2'000'000;
  bool check_memory = false;
  int output_bits = 0;  ///< 0: as output_bits.hpp says
  bool input_zero_point = true;
  std::string namespace_name = "N2D2_Export";
  Machine machine = Machine::Generic;
  Optimize optimize = Optimize::Speed;

  delegates::Delegates delegates;          ///< Backend.<id>=1, in the order of their names
  std::vector<LayerSection> layers;        ///< in file order, "" first
  std::vector<MemoryParameters> memories;  ///< in file order; empty: one, unlimited

  template <class V>
  static void fields(V&& v) {
    using P = Parameters;
    SharedParameters::fields(v);
    v("IncludeInputInBuffer", &P::include_input_in_buffer,
      help("the network input has a place in the arena"));
    v("OptimizeBufferMemory", &P::optimize_buffer_memory,
      help("outputs may share bytes with inputs that no later layer reads"));
    v("OptimizeNoBranchConcat", &P::optimize_no_branch_concat,
      help("layers write their channels of a Concat in place"));
    v("MemoryAlignment", &P::memory_alignment, at_least(1), at_most(kMostAlignment),
      help("multiple of elements or bytes of every pixel pitch"));
    v("MemoryAlignmentUnit", &P::memory_alignment_unit, help("what MemoryAlignment counts"));
    v("MemoryBudget", &P::memory_budget,
      help("bytes that the plan must do with: layers run in turns, row by row, where they must; min: as few "
           "as "
           "can be"));
    v("StreamInput", &P::stream_input,
      help(
          "the caller makes the rows of the input when they are needed: it is never in the arena as a whole; "
          "takes the least memory without computing anything twice where MemoryBudget says nothing"));
    v("MemoryManagerStrategy", &P::memory_manager_strategy, help("order in which buffers are placed"));
    v("MemorySearchNodes", &P::memory_search_nodes, at_least(0),
      help("places the search for a smaller plan may try; 0: no search"));
    v("CheckMemory", &P::check_memory, help("the export is run with freed memory overwritten"));
    v("OutputNbBits", &P::output_bits,
      help("bits of the outputs of the network: 8, 16 or 32; 0: 32 where they are the scores of classes, "
           "else -nbbits"));
    v("InputZeroPoint", &P::input_zero_point,
      help("0: 0 among the integers of the input, and of all values, is 0, even where another one would make "
           "them exact or let them err less"));
    v("Namespace", &P::namespace_name, help("C++ namespace of the exported program"));
    v("Target", &P::machine, help("machine whose instruction sets the kernels may use"));
    v("Optimize", &P::optimize,
      help("size: layers of one kind share their code, which is compiled for size"));
  }

  /// What a cell's sections say, each key from its exact name, else from the first mask that fits, else from
  /// [default], else from the global section.
  bool no_wrap(std::string_view cell) const;
  /// Names of memories; empty: any.
  std::vector<std::string> memories_of(std::string_view cell) const;
  /// The section that says in how many slices the cell runs; null: none does.
  const LayerSection* tiles_section(std::string_view cell) const;
  /// Bits that sections ask for, of the cell.
  LayerWidths widths_of(std::string_view cell) const;
  /// The section that asks for bits of this cell by its name; none where there is no such section.
  std::optional<SourceLocation> place_of_widths(std::string_view cell) const;
  /// The section that says which form computes the cell; null where none does, or one says "auto".
  const LayerSection* form_section(std::string_view cell) const;
};

/// Reads and checks all sections, in file order: "", `[memory.<name>]`, and those of layers. Every finding
/// goes to `findings`. Kernel= names forms of the kernels of `library`.
Parameters read_parameters(const ParameterSections& sections, const program::KernelLibrary& library,
                           Diagnostics& findings);

/// The keys by section, for help and suggestions.
std::vector<ParameterTable> parameter_tables();

/// Whether a section's name holds wildcards: '*' for any number of characters, '?' for one.
bool is_mask(std::string_view section);
/// Whether a cell is meant by the section `mask`: its name, or a mask it fits. False for "default" and "".
bool is_for(std::string_view mask, std::string_view cell);

}  // namespace n2d2::targets::cpp
