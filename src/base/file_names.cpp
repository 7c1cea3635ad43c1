#include <map>
#include <set>

#include <fmt/format.h>

#include "n2d2/base/bytes.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2 {

namespace {

/// File systems take 255 bytes; a role, a number and an extension go behind a name.
constexpr size_t kLongest = 200;

/// FNV-1a of 64 bits.
uint64_t hash(std::string_view text) {
  uint64_t out = 0xcbf29ce484222325U;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return out;
}

}  // namespace

std::string file_name(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (std::string_view("<>:\"|?*/\\").find(c) != std::string_view::npos ||
        static_cast<unsigned char>(c) < 32)
      c = '_';
  return out;
}

std::vector<std::string> file_names(std::span<const std::string> names) {
  std::map<std::string, std::set<std::string_view>> owners;
  for (const std::string& name : names)
    owners[std::string(beginning(file_name(name), kLongest))].insert(name);
  std::set<std::string> taken;
  std::map<std::string_view, std::string> given;
  for (const auto& [plain, of] : owners)
    if (of.size() == 1 || of.contains(plain)) {
      taken.insert(plain);
      given.emplace(of.size() == 1 ? *of.begin() : *of.find(plain), plain);
    }
  for (const auto& [plain, of] : owners)
    for (const std::string_view name : of) {
      if (given.contains(name)) continue;
      std::string file;
      for (uint64_t h = hash(name); file.empty() || !taken.insert(file).second; ++h)
        file = fmt::format("{}~{:08x}", plain, h & 0xffffffffU);
      given.emplace(name, std::move(file));
    }
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(given.at(name));
  return out;
}

}  // namespace n2d2
