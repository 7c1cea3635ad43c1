#include "shell_pages.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

#include "option_table.hpp"
#include "usage.hpp"

namespace n2d2::app {

namespace {

/// In quotes of the shell: what a module registers may have any name.
std::string in_shell_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> spellings(const Option& option) {
  std::vector<std::string> out{"-" + std::string(option.name)};
  if (!option.alias.empty()) out.push_back("-" + std::string(option.alias));
  return out;
}

/// What completes the value of an option; empty: nothing does.
std::string value_completion(const Option& option) {
  if (!option.words.empty()) return "compgen -W " + in_shell_quotes(join(option.words, " "));
  if (option.choices != nullptr) return "compgen -W " + in_shell_quotes(join(option.choices(), " "));
  if (option.value == "folder") return "compgen -d";
  if (option.value == "file.ini") return "compgen -f -X '!*.ini'";
  return option.value == "file" ? "compgen -f" : "";
}

/// `-x` in troff: the dash is one that can be copied.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else
      out += c;
  // A line that begins with a dot or a quote would be a request.
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string troff_facts(std::string_view heading, std::span<const Fact> facts) {
  std::string out = fmt::format(".SH {}\n", heading);
  for (const Fact& fact : facts)
    out += fmt::format(".TP\n.B {}\n{}\n", troff(fact.term), troff(fact.meaning));
  return out;
}

std::string troff_option(const Option& option, const Options& defaults) {
  std::string out = ".TP\n.B " + troff(join(spellings(option), ", "));
  if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", troff(option.value));
  out += "\n" + troff(option.help);
  const std::string value = option.value.empty() ? "" : value_text(option, defaults);
  if (!value.empty()) out += " [" + troff(value) + "]";
  return out + "\n";
}

/// In quotes of fish, where a backslash counts.
std::string in_fish_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "'";
}

/// The words that a value may be; none: it is something else.
std::vector<std::string> words_of(const Option& option) {
  return option.words.empty() && option.choices != nullptr ? option.choices() : option.words;
}

/// What follows -x in a command of fish: what the value may be.
std::string fish_value(const Option& option) {
  if (option.value.empty()) return "";
  if (const auto words = words_of(option); !words.empty())
    return (option.left_out ? " -f -a " : " -x -a ") + in_fish_quotes(join(words, " "));
  if (option.value == "folder") return " -x -a '(__fish_complete_directories)'";
  if (option.value == "file.ini") return " -f -a '(__fish_complete_suffix .ini)'";
  return option.value == "file" ? " -r -F" : " -x";
}

/// "[help]" of zsh.
std::string zsh_help(std::string_view text) {
  std::string out = "[";
  for (const char c : text)
    out += c == '[' || c == ']' || c == '\\' || c == ':' ? std::string{'\\', c} : std::string(1, c);
  return out + "]";
}

/// ":value:action" of zsh.
std::string zsh_value(const Option& option) {
  if (option.value.empty()) return "";
  std::string action = " ";
  if (const auto words = words_of(option); !words.empty())
    action = "(" + join(words, " ") + ")";
  else if (option.value == "folder")
    action = "_files -/";
  else if (option.value == "file.ini")
    action = "_files -g \"*.ini\"";
  else if (option.value == "file")
    action = "_files";
  return fmt::format("{}{}:{}", option.left_out ? "::" : ":", option.value, action);
}

constexpr const char* kBashHead = R"(# Completion of n2d2 for bash; 'n2d2 -completion bash' prints it.
_n2d2() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} ending
  COMPREPLY=()
  # '-x=' is cut at the '=' into words of their own.
  if [[ $cur == '=' ]]; then cur=; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  case ${prev/#--/-} in
)";

constexpr const char* kBashTail = R"(    *) ;;
  esac
  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
    if [[ $cur == --* ]]; then
      mapfile -t COMPREPLY < <(compgen -P - -W "$options" -- "${cur#-}")
    elif [[ $cur == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    else
      mapfile -t COMPREPLY < <(
        for ending in ini INI onnx ONNX graph; do compgen -f -X "!*.$ending" -- "$cur"; done
        compgen -d -- "$cur")
    fi
  fi
}
complete -o filenames -F _n2d2 n2d2
)";

}  // namespace

std::string bash_completion() {
  std::vector<std::string> names;
  std::string cases;
  for (const Option& option : options()) {
    const std::vector<std::string> spelled = spellings(option);
    names.insert(names.end(), spelled.begin(), spelled.end());
    if (option.value.empty()) continue;
    const std::string values = value_completion(option);
    // Behind a value that nothing completes there is no option either.
    const std::string then =
        values.empty() ? "return" : fmt::format("mapfile -t COMPREPLY < <({} -- \"$cur\")", values);
    cases += fmt::format("    {}) {} ;;\n", join(spelled, "|"), then);
  }
  std::string head = kBashHead;
  head.insert(head.find("  COMPREPLY=()"), "  local options=" + in_shell_quotes(join(names, " ")) + "\n");
  return head + cases + kBashTail;
}

std::string fish_completion() {
  std::string out =
      "# Completion of n2d2 for fish; 'n2d2 -completion fish' prints it.\n"
      "complete -c n2d2 -f -k -a '(__fish_complete_suffix .onnx; __fish_complete_suffix .ini)'\n";
  for (const Option& option : options())
    for (const std::string& name : spellings(option))
      out += fmt::format("complete -c n2d2 -o {}{} -d {}\n", name.substr(1), fish_value(option),
                         in_fish_quotes(option.help));
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef n2d2\n# Completion of n2d2 for zsh; 'n2d2 -completion zsh' prints it.\n_arguments \\\n";
  for (const Option& option : options())
    for (const std::string& name : spellings(option))
      out += "  " + in_shell_quotes("*" + name + zsh_help(option.help) + zsh_value(option)) + " \\\n";
  return out + "  '*:network file:_files -g \"*.(ini|INI|onnx|ONNX|graph)\"'\n";
}

std::string manual_page(std::string_view version) {
  std::string out = fmt::format(".TH N2D2 1 \"\" \"n2d2 {}\" \"User Commands\"\n", version);
  out += ".SH NAME\nn2d2 \\- neural networks from INI and ONNX files to standalone C++\n.SH SYNOPSIS\n";
  for (const Fact& fact : synopses())
    out += fmt::format(".TP\n.B {}\n{}\n", troff(fact.term), troff(fact.meaning));
  out +=
      ".SH OPTIONS\nOptions have one or two dashes. A value is the next argument, also where it begins with "
      "a dash, or "
      "stands behind an equals sign. Defaults are in brackets.\n";
  const Options defaults;
  for (int group = 0; group < kGroups; ++group) {
    out += fmt::format(".SS {}\n", troff(title(static_cast<Group>(group))));
    for (const Option& option : options())
      if (option.group == static_cast<Group>(group)) out += troff_option(option, defaults);
  }
  out += troff_facts("ENVIRONMENT", environment());
  out += troff_facts("EXIT STATUS", exit_codes());
  return out + troff_facts("EXAMPLES", examples());
}

}  // namespace n2d2::app
