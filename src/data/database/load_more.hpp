// Which sections together make a database? The first, and those that LoadMore names one after the other.
#pragma once

#include <set>
#include <string>

#include "database_type.hpp"

namespace n2d2::data {

/// Calls load(keys, args) for the section and for each that follows. ConfigError at LoadMore for a name that
/// is no section or was loaded before, and for a section of another Type; after other findings in a section
/// nothing more is loaded. Keys: has `load_more`, read as LoadMore.
template <class Keys, class Load>
void load_sections(const Keys& first, const LoadArgs& args, const Load& load) {
  load(first, args);
  std::set<std::string> seen;
  const KeySource* from = &args.keys;
  std::unique_ptr<KeySource> section;
  for (std::string next = first.load_more; !next.empty();) {
    const bool is_again = !seen.insert(next).second;
    auto source = is_again || !args.context.section ? nullptr : args.context.section(next);
    if (!source) {
      const auto key = from->find("LoadMore");
      throw ConfigError(is_again ? fmt::format("{} LoadMore: [{}] is loaded already", from->subject(), next)
                                 : fmt::format("{} LoadMore: expected the name of a section, got '{}'",
                                               from->subject(), next),
                        key ? key->where : from->where());
    }
    section = std::move(source);
    const auto type = section->find("Type"), wanted = args.keys.find("Type");
    if (type && wanted && type->text != wanted->text)
      throw ConfigError(fmt::format("{} Type: expected {} as in {}, got '{}'", section->subject(),
                                    wanted->text, args.keys.subject(), type->text),
                        type->where,
                        "LoadMore goes on with the same driver; without Type it is that of the first");
    from = section.get();
    Keys keys;
    const size_t before = args.diagnostics.errors().size();
    read_fields(keys, *section, args.diagnostics);
    if (args.diagnostics.errors().size() != before) return;
    load(keys, LoadArgs{*section, args.context, args.common, args.diagnostics, args.takes_channel_files});
    next = keys.load_more;
  }
}

}  // namespace n2d2::data
