// SPDX-License-Identifier: Apache-2.0
// Wrong case files: YAML that is none, keys that are unknown or missing, and many mistakes at once.
#include <algorithm>

#include "case_errors.hpp"

namespace agwave {
namespace {

const Wrong syntax[] = {
    {"latin1", plus("title: S\xe9isme"), usage, {"c.yaml:6: not UTF-8 text; found the byte 0xE9"}},
    {"surrogate", plus("title: \xed\xa0\x80"), usage, {"c.yaml:6: not UTF-8 text; found the byte 0xED"}},
    {"empty", "", usage, {"c.yaml:1:", "a map of keys; found nothing"}},
    {"only_comment", "# nothing\n", usage, {"found nothing"}},
    {"a_list", "- 1\n- 2\n", usage, {"c.yaml:1:", "found a list of 2"}},
    {"a_word", "hello\n", usage, {"found 'hello'"}},
    {"open_bracket", plus("ocean: {density: 1025"), usage, {"c.yaml:", "YAML syntax"}},
    {"bad_indent", "domain:\n  size: [1000, 1000]\n bathymetry: {}\n", usage, {"c.yaml:3:2: YAML syntax"}},
    {"tab_indent", "mesh:\n\telements: [1, 1, 1]\n", usage, {"c.yaml:2:", "YAML syntax"}},
    {"open_quote", plus("title: 'abc"), usage, {"c.yaml:7:1: YAML syntax: the text ends inside a quote"}},
    {"two_documents", plus("---\ntitle: b"), usage, {"second YAML document"}},
    {"list_as_key", plus("? [1, 2]\n: 3"), usage, {"c.yaml:6:", "a key must be a plain word"}},
    {"unknown_alias", plus("title: *nowhere"), usage, {"c.yaml:6:8: YAML syntax"}},
    {"alias_of_itself", plus("sources: &a [*a]"), usage, {"c.yaml:6:", "YAML syntax"}},
    {"duplicate_section", plus("time: {end: 20}"), usage, {"c.yaml:6: time: duplicate key", "line 5"}},
    {"duplicate_key", line(4, "mesh: {elements: [4, 3, 2], order: 4, order: 1}"), usage, {"c.yaml:4: mesh.order: duplicate key"}},
};
INSTANTIATE_TEST_SUITE_P(Syntax, CaseErrors, testing::ValuesIn(syntax), row_name);

const Wrong keys[] = {
    {"unknown_section", plus("oceans: {density: 1025}"), usage, {"c.yaml:6: oceans: unknown key", "did you mean 'ocean'?"}},
    {"unknown_key",
     plus("ocean:\n  densty: 1025"),
     usage,
     {"c.yaml:7: ocean.densty: unknown key", "density, sound_speed, gravity", "did you mean 'density'?"}},
    {"swapped_letters", floor("type: flat, depth: 4000, dpeth: 1"), usage, {"c.yaml:3: domain.bathymetry.dpeth", "did you mean 'depth'?"}},
    {"case_matters", plus("Title: a"), usage, {"c.yaml:6: Title: unknown key", "did you mean 'title'?"}},
    {"in_wrong_section", plus("elements: [1, 1, 1]"), usage, {"c.yaml:6: elements: unknown key", "did you mean 'mesh.elements'?"}},
    {"of_another_type",
     floor("type: flat, depth: 4000, height: 10"),
     usage,
     {"c.yaml:3: domain.bathymetry.height: unknown key", "it belongs to type gaussian"}},
    {"space_missing",
     line(4, "mesh: {elements: [4, 3, 2], order:4}"),
     usage,
     {"c.yaml:4: mesh.order:4: unknown key", "a space is missing after ':'"}},
    {"merge_key", plus("ocean: {<<: {density: 1025}}"), usage, {"c.yaml:6: ocean.<<: unknown key"}},
    {"no_domain", "mesh: {elements: [4, 3, 2]}\ntime: {end: 10}\n", usage, {"c.yaml:1: domain: missing"}},
    {"no_mesh", line(4, ""), usage, {"c.yaml:1: mesh: missing"}},
    {"no_time", line(5, ""), usage, {"c.yaml:1: time: missing"}},
    {"no_elements", line(4, "mesh: {order: 4}"), usage, {"c.yaml:4: mesh.elements: missing", "add 'elements: ...'"}},
    {"no_end", line(5, "time:\n  safety: 0.9"), usage, {"c.yaml:5: time.end: missing"}},
    {"no_bathymetry", line(3, ""), usage, {"c.yaml:1: domain.bathymetry: missing"}},
    {"no_type", floor("depth: 4000"), usage, {"c.yaml:3: domain.bathymetry.type: missing", "flat, cosine, gaussian, margin, grid, prepared"}},
    {"no_depth", floor("type: flat"), usage, {"c.yaml:3: domain.bathymetry.depth: missing"}},
    {"no_shelf_edge", floor("type: margin"), usage, {"c.yaml:3: domain.bathymetry.shelf_edge: missing"}},
    {"section_is_number", plus("ocean: 1025"), usage, {"c.yaml:6: ocean: expected a map of keys; found 1025"}},
    {"section_is_list", line(4, "mesh: [4, 3, 2]"), usage, {"c.yaml:4: mesh: expected a map of keys; found a list of 3"}},
};
INSTANTIATE_TEST_SUITE_P(Keys, CaseErrors, testing::ValuesIn(keys), row_name);

TEST(CaseErrorsTogether, AllAreReportedInTheOrderOfTheFile) {
  const auto [code, message] = error_of(
      "domain: {size: [80, 60000], bathymetry: {type: flat, depth: -4000}}\nmesh: {elements: [4.5, 0, 2]}\nocean: {densty: 1}\n"
      "time: {end: -1}\nsensors: {interval: 1, seafloor: {file: nowhere.csv}}\n");
  EXPECT_EQ(static_cast<int>(code), 2);
  std::size_t at = 0;
  for (const char* key :
       {"domain.size[0]", "domain.bathymetry.depth", "mesh.elements[0]", "mesh.elements[1]", "ocean.densty", "time.end", "sensors.seafloor.file"}) {
    const std::size_t found = message.find(key);
    EXPECT_TRUE(found != std::string::npos && found >= at) << key << " in\n" << message;
    at = found;
  }
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 6) << message;
}

TEST(CaseErrorsTogether, ManyAreCut) {
  std::string list = "sensors:\n  interval: 1\n  seafloor:\n";
  for (int i = 0; i < 1000; ++i) list += "    - {name: A" + std::to_string(i) + ", x: -1, y: 2}\n";
  expect_fragments(error_of(plus(list)).second, {"c.yaml:9: sensors.seafloor[0].x", "... and 800 more errors"});
}

TEST(CaseErrorsTogether, OverridesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"mesh.order", "--set: mesh.order: not an override"},
      {"=4", "not an override"},
      {"mesh..order=4", "the key path has an empty part"},
      {"mesh.order=[1", "is not YAML"},
      {"mesh.order=3", "--set: mesh.order: unknown choice; found 3"},
      {"mesh.ordr=4", "--set: mesh.ordr: unknown key"},
      {"ocean.density=1.025", "--set: ocean.density: out of range"},
      {"mesh.elements[5]=4", "'mesh.elements' is a list of 3 entries, which has no entry '5'"},
      {"mesh.elements[x]=4", "has no entry 'x'"},
      {"mesh.elements[0]b=4", "a '.' is missing after ']'"},
      {"time.end.x=4", "'time.end' is the value '10'"},
      {"time.end=~", "c.yaml:5: time.end: missing"},
      {"sources[1].amplitude=1", "'sources' is a list of 0 entries, which has no entry '1'"},
  };
  for (const auto& [item, fragment] : table) {
    const auto [code, message] = error_of(plus("sources: []"), {item});
    EXPECT_EQ(static_cast<int>(code), 2) << item << ": " << message;
    expect_fragments(message, {fragment});
  }
}

TEST(CaseErrorsTogether, HostileFilesEndInAnError) {
  std::string deep(100000, '['), laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) laughs += ", " + last;
    laughs += "]\n";
  }
  const std::string binary("\0\xff\xfe", 3), not_utf8("a: \xff\xc0"), large(70u << 20, ' ');
  for (const std::string& yaml : {deep, std::string(100000, '{'), laughs, large, binary, not_utf8}) {
    EXPECT_EQ(static_cast<int>(error_of(yaml).first), 2) << yaml.substr(0, 40);
  }
}

}  // namespace
}  // namespace agwave
