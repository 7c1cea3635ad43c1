#include "parse_arguments.hpp"

#include <algorithm>
#include <limits>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

namespace po = boost::program_options;

/// A value that an option does not take.
class Refused : public po::error {
 public:
  using po::error::error;
};

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What the value of an option is: checked against its line of the table, kept in its member.
class MemberValue : public po::value_semantic {
 public:
  MemberValue(const Option& option, Options& options) : option_(option), options_(options) {}

  std::string name() const override { return std::string(option_.value); }
  // How many arguments are its own was decided when they were cut; what is wrong with them is said here.
  unsigned min_tokens() const override { return 0; }
  unsigned max_tokens() const override { return 1; }
  bool is_composing() const override { return false; }
  bool is_required() const override { return false; }
  bool apply_default(boost::any&) const override { return false; }

  void parse(boost::any& store, const std::vector<std::string>& tokens, bool) const override {
    if (option_.value.empty() && !tokens.empty())
      throw Refused(fmt::format("option -{} takes no value, got '{}'", option_.name, tokens.front()));
    if (!option_.value.empty() && tokens.empty() && !option_.left_out)
      throw Refused(fmt::format("option -{}: missing value <{}>", option_.name, option_.value));
    const std::string text = !tokens.empty()    ? tokens.front()
                             : option_.left_out ? std::string(option_.left_out->implied)
                                                : "";
    if (!tokens.empty() && !option_.words.empty() &&
        std::find(option_.words.begin(), option_.words.end(), text) == option_.words.end())
      refuse(join(option_.words, " or "), text);
    std::visit([&](auto member) { check(member, text); }, option_.member);
    store = text;
  }

  void notify(const boost::any& store) const override {
    const auto& text = boost::any_cast<const std::string&>(store);
    std::visit([&](auto member) { set(member, text); }, option_.member);
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& text) const {
    throw Refused(fmt::format("option -{}: expected {}, got '{}'", option_.name, expected, text));
  }

  void check(bool Options::*, const std::string&) const {}
  void check(std::vector<std::string> Options::*, const std::string&) const {}
  template <class T>
  void check(T Options::*, const std::string& text) const {
    T value{};
    if constexpr (std::is_same_v<T, int64_t>) {
      const std::string expected = fmt::format("an integer >= {}", option_.min);
      if (is_whole_number(text) && !parse_integer(text))
        refuse(fmt::format("{} and <= {}", expected, std::numeric_limits<int64_t>::max()), text);
      if (parse_real(text) && (!parse_whole(text) || *parse_whole(text) < option_.min))
        refuse(expected, text);
    }
    if (!ValueText<T>::parse(text, value)) refuse(ValueText<T>::kind(), text);
  }

  void set(bool Options::*member, const std::string&) const { options_.*member = true; }
  void set(std::vector<std::string> Options::*member, const std::string& text) const {
    (options_.*member).push_back(text);
  }
  template <class T>
  void set(T Options::*member, const std::string& text) const {
    ValueText<T>::parse(text, options_.*member);
  }

  const Option& option_;
  Options& options_;
};

const OtherOption* find_other(std::string_view name) {
  for (const OtherOption& other : other_options())
    if (other.name == name) return &other;
  return nullptr;
}

const DeletedOption* find_deleted(std::string_view name) {
  for (const DeletedOption& deleted : deleted_options())
    if (deleted.name == name) return &deleted;
  return nullptr;
}

/// Whether the next argument is the value of this option.
bool takes_next(const Option& option, const std::vector<std::string>& rest) {
  if (option.value.empty() || rest.empty()) return false;
  return !option.left_out || option.left_out->is_value(rest.front());
}

/// Cuts the next option, or the next argument without a dash, off the arguments.
std::vector<po::option> cut(std::vector<std::string>& rest) {
  po::option found;
  const auto next = [&] {
    std::string text = rest.front();
    rest.erase(rest.begin());
    found.original_tokens.push_back(text);
    return text;
  };
  const std::string text = next();
  const size_t name = text.find_first_not_of('-');
  if (text.size() < 2 || text[0] != '-') {
    found.value = {text};
    // No option in front of it takes it for a value.
    found.position_key = std::numeric_limits<int>::max();
    return {found};
  }
  found.string_key = text;
  if (name > 2) return {found};  // also where there is nothing but dashes
  const size_t equal = text.find('=', name);
  const std::string key = text.substr(name, equal == std::string::npos ? equal : equal - name);
  const Option* option = find_option(key);
  if (option != nullptr) found.string_key = option->name;
  if (equal != std::string::npos) {
    found.value = {text.substr(equal + 1)};
  } else if (option != nullptr) {
    if (takes_next(*option, rest)) found.value = {next()};
  } else if (const OtherOption* other = find_other(key);
             other != nullptr && other->has_value && !rest.empty()) {
    next();
  } else if (const DeletedOption* deleted = find_deleted(key);
             deleted != nullptr && !rest.empty() && deleted->is_value(rest.front())) {
    next();
  }
  return {found};
}

class Reader {
 public:
  explicit Reader(Diagnostics& findings) : findings_(findings) {
    for (const Option& option : options()) {
      boost::shared_ptr<po::option_description> row(
          new po::option_description(std::string(option.name).c_str(), new MemberValue(option, out_.options),
                                     std::string(option.help).c_str()));
      table_.add(row);
    }
  }

  ParsedArguments read(const std::vector<std::string>& arguments) {
    // No guessing of shortened names: `-log` is not `-log-epoch`.
    const int style = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent;
    const po::parsed_options parsed = po::command_line_parser(arguments)
                                          .options(table_)
                                          .style(style)
                                          .extra_style_parser(cut)
                                          .allow_unregistered()
                                          .run();
    for (const po::option& found : parsed.options)
      if (found.string_key.empty())
        file(found.value.front());
      else if (found.unregistered)
        unknown(found.original_tokens.front());
      else
        known(found);
    return std::move(out_);
  }

 private:
  void file(const std::string& text) {
    if (!out_.options.model.empty())
      return findings_.error({}, fmt::format("Unknown option(s): {}", text),
                             fmt::format("the network file is '{}' already", out_.options.model));
    out_.options.model = text;
  }

  void unknown(const std::string& text) {
    const size_t begin = std::min(text.find_first_not_of('-'), text.size());
    const std::string name = text.substr(begin, text.find('=') - begin);
    // More dashes than two are a mistake in any name.
    if (const DeletedOption* deleted = begin <= 2 ? find_deleted(name) : nullptr) {
      out_.deleted.push_back(deleted);
      return;
    }
    if (const OtherOption* other = find_other(name))
      return findings_.error(
          {}, fmt::format("option -{} is known to N2D2, not supported: {}", name, other->reason));
    std::vector<std::string> names;
    for (const Option& option : options())
      for (const std::string_view each : {option.name, option.alias})
        if (each.size() > 1) names.emplace_back(each);  // any letter is near a name of one letter
    // A word is not near itself: what is wrong with "---test" are its dashes.
    const auto guess = find_option(name) != nullptr ? std::optional(std::string(name)) : nearest(name, names);
    findings_.error(
        {}, fmt::format("Unknown option(s): {}{}", text, guess ? "; did you mean '-" + *guess + "'?" : ""),
        "n2d2 -h lists the options");
  }

  /// Each by itself, so that one that is refused hides no other, and that of two the last counts.
  void known(const po::option& found) {
    po::parsed_options one(&table_);
    one.options.push_back(found);
    try {
      po::variables_map values;
      po::store(one, values);
      po::notify(values);
    } catch (const Refused& refused) {
      return findings_.error({}, refused.what());
    }
    const Option* option = find_option(found.string_key);
    out_.given.push_back(
        {option, !found.value.empty(), value_text(*option, out_.options), found.original_tokens});
  }

  Diagnostics& findings_;
  ParsedArguments out_;
  po::options_description table_;
};

}  // namespace

ParsedArguments parse_arguments(const std::vector<std::string>& arguments, Diagnostics& findings) {
  return Reader(findings).read(arguments);
}

}  // namespace n2d2::app
