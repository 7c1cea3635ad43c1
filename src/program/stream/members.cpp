#include "members.hpp"

namespace n2d2::program {

Window by_rows(const Window& window) {
  return window.kind == Window::Kind::Rows ? window : Window{Window::Kind::Rows, 1, 0, 1};
}

Members::Members(const Program& program, CallId first, CallId end) : p_(program), first_(first), end_(end) {
  for (CallId c = first; c < end; ++c)
    for (const ViewId out : p_.call(c).out) makers_[p_.root_of(out)].push_back(c);
  for (CallId c = first; c < end; ++c) {
    const Call& call = p_.call(c);
    for (size_t i = 0; i < call.in.size(); ++i) {
      const Window& window = call.contract.windows.at(i);
      bool made_here = false;
      for (const CallId maker : makers_of(p_.root_of(call.in[i]))) {
        const ViewId out = p_.call(maker).out.at(0);
        if (maker >= c || (!p_.lies_in(out, call.in[i]) && !p_.lies_in(call.in[i], out))) continue;
        made_here = true;
        inner_.push_back({c, maker, call.in[i], window});
        inner_of_[p_.root_of(call.in[i])].push_back(inner_.back());
      }
      if (!made_here) outer_.push_back({c, kNone, call.in[i], window});
    }
  }
}

const std::vector<Dependence>& Members::inner_of(ViewId root) const {
  static const std::vector<Dependence> none;
  const auto at = inner_of_.find(root);
  return at == inner_of_.end() ? none : at->second;
}

const std::vector<CallId>& Members::makers_of(ViewId root) const {
  static const std::vector<CallId> none;
  const auto at = makers_.find(root);
  return at == makers_.end() ? none : at->second;
}

}  // namespace n2d2::program
