#include "channel_files.hpp"

#include <cstring>
#include <regex>

#include "n2d2/base/error.hpp"

#include "mat.hpp"

namespace n2d2::data {

std::vector<FoundFile> group_channels(std::vector<FoundFile> files, const std::filesystem::path& root,
                                      const ChannelRule& rule) {
  std::vector<FoundFile> out;
  try {
    const std::regex match(rule.match);
    for (FoundFile& file : files) {
      const std::string name = file.path.lexically_relative(root).generic_string();
      if (!std::regex_search(name, match)) continue;
      for (const std::string& replacement : rule.replace) {
        const std::string other =
            std::regex_replace(name, match, replacement, std::regex_constants::format_first_only);
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(root / other, ignored))
          throw ConfigError(
              fmt::format("MultiChannelReplace: '{}' gives '{}' for '{}', which is no file in '{}'",
                          replacement, other, name, root.string()));
        file.channels.push_back(root / other);
      }
      out.push_back(std::move(file));
    }
  } catch (const std::regex_error& error) {
    throw ConfigError(fmt::format("MultiChannelMatch: expected a regular expression, got '{}': {}",
                                  rule.match, error.what()));
  }
  if (out.empty())
    throw ConfigError(
        fmt::format("MultiChannelMatch: no file in '{}' has a match of '{}'", root.string(), rule.match));
  return out;
}

Image merge_channels(const std::vector<std::filesystem::path>& files, bool is_upright,
                     std::vector<std::string>* remarks) {
  std::vector<Image> parts;
  int channels = 0;
  for (const auto& file : files) {
    parts.push_back(read_picture(file, is_upright, remarks));
    const Image &first = parts.front(), &last = parts.back();
    if (last.width() != first.width() || last.height() != first.height() || last.depth() != first.depth())
      throw ConfigError(fmt::format("{}: expected {}x{} {} as '{}' has, found {}x{} {}", file.string(),
                                    first.width(), first.height(), to_string(first.depth()),
                                    files.front().filename().string(), last.width(), last.height(),
                                    to_string(last.depth())));
    channels += last.channels();
  }
  Image out(parts.front().width(), parts.front().height(), channels, parts.front().depth());
  const auto element = static_cast<size_t>(size_bytes(out.depth()));
  std::byte* to = out.raw();
  for (int64_t pixel = 0; pixel < int64_t{out.width()} * out.height(); ++pixel)
    for (const Image& part : parts) {
      const size_t bytes = element * static_cast<size_t>(part.channels());
      std::memcpy(to, part.raw() + static_cast<size_t>(pixel) * bytes, bytes);
      to += bytes;
    }
  return out;
}

}  // namespace n2d2::data
