// SPDX-License-Identifier: Apache-2.0
// The manifest of a checkpoint. Its checksum would keep everything else out, so it is mended first where there is one.
#include <nlohmann/json.hpp>

#include "files/checksum.hpp"
#include "fuzz.hpp"
#include "io/checkpoint_manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("checksum")) {
    const auto dump = [](const auto& j) { return j.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace); };
    json.erase("checksum");
    json["checksum"] = checksum_of(dump(json));
    text = dump(json) + "\n";
  }
  fuzz::refuse_or_take([&] { parse_manifest("manifest.json", text); });
  return 0;
}
