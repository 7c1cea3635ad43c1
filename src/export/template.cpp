#include "n2d2/export/template.hpp"

#include <kainjow/mustache.hpp>

#include "n2d2/base/error.hpp"

namespace n2d2::exporter {

namespace {

namespace mustache = kainjow::mustache;

/// Looks a name up like mustache does, but does not accept that it is missing.
class StrictContext final : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data* data, std::string name)
      : mustache::context<std::string>(data), name_(std::move(name)) {}
  const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = mustache::context<std::string>::get(name);
    N2D2_CHECK(found != nullptr, "template '{}' names '{}', which is not defined", name_, name);
    return found;
  }

 private:
  std::string name_;
};

mustache::data convert(const TemplateData& data) {
  mustache::data out(mustache::data::type::object);
  for (const auto& [name, entry] : data.entries) {
    if (const auto* text = std::get_if<std::string>(&entry)) {
      out.set(name, *text);
    } else if (const auto* on = std::get_if<bool>(&entry)) {
      out.set(name, mustache::data(*on));
    } else {
      mustache::data list(mustache::data::type::list);
      for (const TemplateData& item : std::get<TemplateData::List>(entry)) list << convert(item);
      out.set(name, list);
    }
  }
  return out;
}

}  // namespace

TemplateData& TemplateData::set(const std::string& name, std::string text) {
  entries[name] = std::move(text);
  return *this;
}
TemplateData& TemplateData::set_switch(const std::string& name, bool on) {
  entries[name] = on;
  return *this;
}
TemplateData& TemplateData::set_list(const std::string& name, List list) {
  entries[name] = std::move(list);
  return *this;
}

std::string render(std::string_view text, const TemplateData& data, const std::string& template_name) {
  mustache::mustache tmpl{std::string(text)};
  N2D2_CHECK(tmpl.is_valid(), "template '{}': {}", template_name, tmpl.error_message());
  tmpl.set_custom_escape([](const std::string& raw) { return raw; });
  const mustache::data root = convert(data);
  StrictContext context(&root, template_name);
  return tmpl.render(context);
}

}  // namespace n2d2::exporter
