// Which files together are one sample, a channel or some of them each?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sample_files.hpp"

namespace n2d2::data {

/// Keys MultiChannelMatch and MultiChannelReplace.
struct ChannelRule {
  std::string match;  ///< regular expression (ECMAScript) in the path below the root; empty: no rule
  std::vector<std::string>
      replace;  ///< what stands in its place in the paths of the other files, $1 ... being its groups
};

/// The files whose path below `root` has a match, each with the files that the replacements give as its
/// `channels`.
/// ConfigError with a message without subject: no regular expression, no match at all, a file that is not
/// there.
std::vector<FoundFile> group_channels(std::vector<FoundFile> files, const std::filesystem::path& root,
                                      const ChannelRule& rule);

/// The channels of all pictures behind each other. ConfigError naming the file whose size or elements differ.
/// `remarks` as read_picture() has it.
Image merge_channels(const std::vector<std::filesystem::path>& files, bool is_upright,
                     std::vector<std::string>* remarks = nullptr);

}  // namespace n2d2::data
