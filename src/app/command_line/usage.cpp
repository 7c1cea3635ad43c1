#include "usage.hpp"

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

#include "exit_code.hpp"
#include "option_table.hpp"

namespace n2d2::app {

namespace {

constexpr size_t kColumns = 100, kOptionColumn = 32, kFactColumn = 20;

constexpr Fact kSynopses[] = {
    {"n2d2 <net>.ini [options]", "learns, tests and exports the network that the file describes"},
    {"n2d2 <net>.onnx [options]",
     "tests and exports an ONNX file alone; -calib-dir, -test-dir and related options name the samples"},
    {"n2d2 <net>.graph [options]",
     "tests and exports a file of '-dump graph', which contains weights, data sections and seed"},
};

constexpr Fact kEnvironment[] = {
    {"N2D2_DATA", "folder of the databases; without it /local/$USER/n2d2_data"},
    {"N2D2_MODULES", "shared libraries to load before those of -module, with ':' between them"},
    {"N2D2_PATH",
     "folder of the files that exports copy, where it is neither beside the program nor where it was built"},
    {"N2D2_HOST_ISA",
     "kernels that -test runs for an integer export: baseline, avx2 or avx512; without it the best"},
    {"N2D2_COMPAT", "1: an ONNX BatchNorm learns with the momentum of the file, as in N2D2"},
    {"N2D2_COMPAT_EXIT", "1: the exit code is 0 in every case, as in N2D2"},
    {"NO_COLOR", "any value: no colours; TERM=dumb: neither colours nor lines that are rewritten"},
    {"OMP_NUM_THREADS", "number of threads; no result depends on it"},
    {"others", "${NAME} in an INI file is the variable NAME where the file does not define it"},
};

constexpr Fact kExamples[] = {
    {"n2d2 net.ini -seed 1 -learn-epoch 10",
     "learns, keeps the best weights in weights_validation, and scores them"},
    {"n2d2 net.ini -test -fuse", "scores the learnt weights"},
    {"n2d2 net.ini -export CPP -nbbits 8 -calib -1 -db-export 100 -test",
     "writes an int8 C++ project with 100 stimuli into export_CPP_int8, and scores it"},
    {"n2d2 net.onnx -export CPP -calib-dir pictures/ -preset imagenet-torch",
     "exports an ONNX file, with a folder of pictures as samples"},
    {"n2d2 -help-layer Conv", "lists the keys of a layer"},
};

std::string heading(std::string_view text) {
  return fmt::format("\n{}:\n", text);
}

std::string option_lines(const Option& option, const Options& defaults) {
  std::string left = fmt::format("  -{}", option.name);
  if (!option.value.empty())
    left += option.left_out ? fmt::format(" [{}]", option.value) : fmt::format(" <{}>", option.value);
  if (!option.alias.empty()) left += fmt::format(", -{}", option.alias);
  std::string text(option.help);
  if (const std::string value = option.value.empty() ? "" : value_text(option, defaults); !value.empty())
    text += " [" + value + "]";
  return hanging(left, text, kOptionColumn);
}

std::string fact_lines(std::span<const Fact> facts) {
  std::string out;
  for (const Fact& fact : facts) out += hanging("  " + std::string(fact.term), fact.meaning, kFactColumn);
  return out;
}

/// The term on a line of its own.
std::string command_lines(std::span<const Fact> facts) {
  std::string out;
  for (const Fact& fact : facts) out += fmt::format("  {}\n", fact.term) + hanging("", fact.meaning, 6);
  return out;
}

}  // namespace

std::span<const Fact> synopses() {
  return kSynopses;
}

std::span<const Fact> environment() {
  return kEnvironment;
}

std::span<const Fact> exit_codes() {
  static const std::string done = std::to_string(kDone), user = std::to_string(kUserError),
                           internal = std::to_string(kInternalError);
  static const Fact facts[] = {
      {done, "done"},
      {user, "the command line, a file or the network has an error; standard error says where"},
      {internal, "an error of the program itself"},
  };
  return facts;
}

std::span<const Fact> examples() {
  return kExamples;
}

std::string hanging(std::string_view left, std::string_view text, size_t indent) {
  std::string out, line(left);
  if (line.size() >= indent) {
    out = line + "\n";
    line.clear();
  }
  line.resize(indent, ' ');
  bool is_empty = true;
  for (const std::string& word : split(text, ' ')) {
    if (!is_empty && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line.assign(indent, ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  return out + line + "\n";
}

std::string usage() {
  std::string out = "Usage:\n" + command_lines(synopses());
  out += hanging(
      "",
      "Options have one or two dashes and may be anywhere. A value is the next argument, also "
      "where it begins with a dash (-calib -1), or follows '=' (-calib=-1). Defaults are in brackets.",
      2);
  const Options defaults;
  for (int group = 0; group < kGroups; ++group) {
    out += heading(title(static_cast<Group>(group)));
    for (const Option& option : options())
      if (option.group == static_cast<Group>(group)) out += option_lines(option, defaults);
  }
  out += heading("Environment") + fact_lines(environment());
  out += heading("Exit code") + fact_lines(exit_codes());
  out += heading("Examples") + command_lines(examples());
  return out;
}

}  // namespace n2d2::app
