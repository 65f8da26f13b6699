// SPDX-License-Identifier: Apache-2.0
// Collected errors of a case file and the one Error that reports them; see findings.hpp.
#include "case/findings.hpp"

#include <algorithm>
#include <utility>

namespace agwave {

std::string to_string(const Mark& mark) {
  std::string where = mark.file;
  if (mark.line > 0) where += text(":", mark.line);
  if (!mark.key.empty()) where += ": " + mark.key;
  return where;
}

std::string base_of_paths(const Mark& mark) {
  return mark.line > 0 ? "paths in the case file count from its folder" : "paths in --set count from where you are";
}

Mark Findings::mark(int line, std::string key) const { return {line > 0 ? file_ : "--set", line, std::move(key)}; }

ExitCode Findings::blames(const Mark& mark) const { return mark.line > 0 && mark.file != file_ ? ExitCode::input : ExitCode::usage; }

void Findings::add(const Mark& mark, const std::string& what, const Detail& detail) {
  std::string message = what;
  if (!detail.found.empty()) message += "; found " + detail.found;
  if (!detail.allowed.empty()) message += "; allowed: " + detail.allowed;
  if (!detail.advice.empty()) message += "; " + detail.advice;
  entries_.push_back({mark, std::move(message), detail.code});
}

void Findings::raise() const {
  if (entries_.empty()) return;
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  const auto place = [this](const Entry* e) { return std::pair{e->mark.file == file_ ? 0 : 1, e->mark.file == file_ ? e->mark.line : 0}; };
  std::stable_sort(order.begin(), order.end(), [&](const Entry* a, const Entry* b) { return place(a) < place(b); });

  constexpr std::size_t shown = 200;  // a million bad sensors should not become a million lines
  std::string message;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    message += (i > 0 ? "\n" : "") + to_string(order[i]->mark) + ": " + order[i]->message;
  }
  if (order.size() > shown) message += text("\n... and ", order.size() - shown, " more errors");
  const bool all_input = std::all_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.code == ExitCode::input; });
  throw Error(all_input ? ExitCode::input : ExitCode::usage, message);
}

}  // namespace agwave
