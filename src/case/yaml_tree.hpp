// SPDX-License-Identifier: Apache-2.0
// A YAML document as a plain tree in which every value knows the line it came from, including values set by --set
// (line 0). Built from yaml-cpp's events rather than its nodes, so that duplicate keys are kept (and reported later)
// and aliases cannot grow the tree without bound.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace agwave {

struct Tree {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  bool quoted = false;  // a quoted scalar is text even when it looks like a number
  int line = 0;         // 1-based; of the key for values in a map; 0: --set
  std::string scalar{};
  std::vector<std::string> keys{};  // map: keys[i] belongs to items[i]; duplicates are kept
  std::vector<Tree> items{};

  const Tree* find(std::string_view key) const;  // the first of that name, or null
};

struct YamlError : std::runtime_error {  // line and column 1-based
  YamlError(int line, int column, const std::string& what) : std::runtime_error(what), line(line), column(column) {}
  int line, column;
};

// Throws YamlError on a syntax error, several documents, an alias of itself, or too many values (10 million, of
// which aliases may make 100 000).
Tree parse_tree(const std::string& text);

// Sets `path` ("sources[0].amplitude" or "sources.0.amplitude") to the YAML in `value`; missing maps are created, the
// entry one past the end of a list is appended, a null removes the key. Throws std::runtime_error that says what is wrong.
void set_value(Tree& root, const std::string& path, const std::string& value);

}  // namespace agwave
