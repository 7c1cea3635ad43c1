// How does what was found of an export outlive the run that found it?
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "n2d2/loader/network.hpp"

#include "figures.hpp"

namespace n2d2::app {

/// What the figures of a network depend on, as 64 digits: the program's version, network and weights,
/// samples, the options that count, and the user's export parameters. Folders and threads are not among it.
std::string digest_of(const loader::Network& net, const Options& options);

/// One file for each export, pareto/points/<name>.json.
class PointFiles {
 public:
  PointFiles(std::filesystem::path folder, std::string digest)
      : folder_(std::move(folder)), digest_(std::move(digest)) {}

  /// What an earlier run has found of the same export of the same network; none where there is no such file.
  /// The first file that is of something else, or that cannot be read, is a notice.
  std::optional<Explored> read(const Point& point);
  /// The file is there as a whole, or not at all. ConfigError.
  void write(const Explored& explored) const;

 private:
  std::filesystem::path file_of(const Point& point) const;

  void note(const std::filesystem::path& file, const std::string& what);

  std::filesystem::path folder_;
  std::string digest_;
  bool is_noted_ = false;
};

}  // namespace n2d2::app
