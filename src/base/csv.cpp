#include "n2d2/base/csv.hpp"

namespace n2d2 {

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = fields[i];
    const bool plain = field.find_first_of(",\"\r\n#") == std::string::npos && !(i == 0 && field.empty());
    if (i > 0) out += ',';
    if (plain) {
      out += field;
      continue;
    }
    out += '"';
    for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    out += '"';
  }
  return out + '\n';
}

}  // namespace n2d2
