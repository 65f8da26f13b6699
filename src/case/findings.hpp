// SPDX-License-Identifier: Apache-2.0
// Collects every error of a case file, so that the user mends them in one go: one line each,
// "file:line: key: what is wrong; what was found; what is allowed; what to do", in the order of the file.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "error/error.hpp"

namespace agwave {

std::string base_of_paths(const Mark& mark);  // for messages: where a relative path counts from

struct Detail {
  std::string found{}, allowed{}, advice{};
  ExitCode code = ExitCode::usage;  // input when an input file is to blame
};

class Findings {
 public:
  explicit Findings(std::string file) : file_(std::move(file)) {}

  void add(const Mark& mark, const std::string& what, const Detail& detail = {});

  Mark mark(int line, std::string key) const;  // line 0: the value came from --set
  ExitCode blames(const Mark& mark) const;     // input where the mark is in another file than the case's
  std::size_t count() const { return entries_.size(); }

  // Throws one Error with every finding (the first 200 in full): Error(input) when all are about input files, else Error(usage).
  void raise() const;

 private:
  struct Entry {
    Mark mark;
    std::string message;
    ExitCode code;
  };
  std::string file_;
  std::vector<Entry> entries_;
};

}  // namespace agwave
