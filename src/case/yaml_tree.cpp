// SPDX-License-Identifier: Apache-2.0
// Builds the tree from the events of yaml-cpp's parser, which needs neither its node graph (several times larger and
// silent about duplicate keys) nor recursion. See yaml_tree.hpp.
#include "case/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "error/error.hpp"

namespace agwave {
namespace {

constexpr std::int64_t max_values = 10'000'000;  // about 1 GB of tree; the text is limited to 64 MB
constexpr std::int64_t max_copies = 100'000;     // values made by aliases, a few bytes of text each

std::int64_t count_values(const Tree& tree) {
  std::int64_t count = 1;
  for (const Tree& item : tree.items) count += count_values(item);
  return count;
}

class Builder : public YAML::EventHandler {
 public:
  Tree root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, Tree{.line = mark.line + 1}); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    const bool quoted = tag == "!" || (!tag.empty() && tag != "?");
    const bool null = !quoted && (value == "~" || value == "null" || value == "Null" || value == "NULL" || value.empty());
    add(mark, anchor, Tree{.kind = null ? Tree::Kind::null : Tree::Kind::scalar, .quoted = quoted, .line = mark.line + 1, .scalar = value});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside the value that it names");
    const std::int64_t copied = count_values(found->second);
    copies_ += copied;
    if (copies_ > max_copies) fail(mark, text("aliases make more than ", max_copies, " values"));
    values_ += copied - 1;
    Tree copy = found->second;
    copy.line = mark.line + 1;
    add(mark, 0, std::move(copy));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, Tree::Kind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, Tree::Kind::map);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Tree tree{};
    YAML::Mark mark{};
    YAML::anchor_t anchor = 0;
    std::optional<std::string> key{};
    int key_line = 0;
  };

  [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& what) { throw YamlError(mark.line + 1, mark.column + 1, what); }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Tree::Kind kind) {
    open_.push_back({.tree = Tree{.kind = kind, .line = mark.line + 1}, .mark = mark, .anchor = anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, done.anchor, std::move(done.tree));
  }

  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Tree tree) {
    if (++values_ > max_values) fail(mark, text("more than ", max_values, " values; give long lists as files"));
    if (anchor != 0) anchors_[anchor] = tree;
    if (open_.empty()) {
      root = std::move(tree);
      return;
    }
    Open& parent = open_.back();
    if (parent.tree.kind == Tree::Kind::list) {
      parent.tree.items.push_back(std::move(tree));
    } else if (!parent.key) {
      if (tree.kind == Tree::Kind::list || tree.kind == Tree::Kind::map) fail(mark, "a key must be a plain word, not a list or a map");
      parent.key = tree.kind == Tree::Kind::null && tree.scalar.empty() ? "~" : tree.scalar;
      parent.key_line = mark.line + 1;
    } else {
      tree.line = parent.key_line;
      parent.tree.keys.push_back(std::move(*parent.key));
      parent.tree.items.push_back(std::move(tree));
      parent.key.reset();
    }
  }

  std::vector<Open> open_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::int64_t values_ = 0, copies_ = 0;
};

void set_lines(Tree& tree, int line) {
  tree.line = line;
  for (Tree& item : tree.items) set_lines(item, line);
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool after_bracket = i > 0 && path[i - 1] == ']';
    if (path[i] == '[' || (path[i] == '.' && !after_bracket)) {
      parts.emplace_back();
    } else if (path[i] != ']' && !(path[i] == '.' && after_bracket)) {
      if (after_bracket) throw std::runtime_error("a '.' is missing after ']'");
      parts.back() += path[i];
    } else if (path[i] == '.') {
      parts.emplace_back();
    }
  }
  for (const std::string& part : parts) {
    if (part.empty()) throw std::runtime_error("the key path has an empty part");
  }
  return parts;
}

std::size_t list_index(const std::string& part, std::size_t size, const std::string& parent) {
  const bool digits = part.size() < 9 && part.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t index = digits ? std::stoul(part) : size + 1;
  if (index > size) throw std::runtime_error(text("'", parent, "' is a list of ", size, " entries, which has no entry '", part, "'"));
  return index;
}

}  // namespace

const Tree* Tree::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

Tree parse_tree(const std::string& text) {
  // yaml-cpp takes the end of the text for the end of a quote, but not the end of a document, "..."
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  try {
    std::istringstream stream(text + "\n...\n");
    YAML::Parser parser(stream);
    Builder first, second;
    parser.HandleNextDocument(first);
    if (parser.HandleNextDocument(second)) throw YamlError(std::max(1, second.root.line), 1, "a second YAML document begins; a case file holds one");
    return std::move(first.root);
  } catch (const YAML::Exception& e) {
    if (e.mark.line >= lines) throw YamlError(lines, 1, "the text ends inside a quote or bracket");
    throw YamlError(e.mark.line + 1, e.mark.column + 1, e.msg);
  }
}

void set_value(Tree& root, const std::string& path, const std::string& value) {
  Tree leaf;
  try {
    leaf = parse_tree(value);
  } catch (const YamlError& e) {
    throw std::runtime_error(text("'", value, "' is not YAML: ", e.what()));
  }
  set_lines(leaf, 0);
  Tree* at = &root;
  std::string parent;
  const std::vector<std::string> parts = split_path(path);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (at->kind == Tree::Kind::scalar) throw std::runtime_error(text("'", parent, "' is the value '", at->scalar, "', not a map or a list"));
    if (at->kind == Tree::Kind::null) at->kind = Tree::Kind::map;
    std::size_t index = 0;
    if (at->kind == Tree::Kind::list) {
      index = list_index(parts[k], at->items.size(), parent);
    } else {
      while (index < at->keys.size() && at->keys[index] != parts[k]) ++index;
    }
    const bool last = k + 1 == parts.size();
    if (last && leaf.kind == Tree::Kind::null) {
      if (index < at->items.size()) at->items.erase(at->items.begin() + static_cast<std::ptrdiff_t>(index));
      if (index < at->keys.size()) at->keys.erase(at->keys.begin() + static_cast<std::ptrdiff_t>(index));
      return;
    }
    if (index == at->items.size()) {
      at->items.emplace_back();
      if (at->kind == Tree::Kind::map) at->keys.push_back(parts[k]);
    }
    parent += (k > 0 ? "." : "") + parts[k];
    at = &at->items[index];
  }
  *at = std::move(leaf);
}

}  // namespace agwave
