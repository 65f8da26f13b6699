// SPDX-License-Identifier: Apache-2.0
// Small files that are whole at every moment: written under a temporary name, then renamed. Throws Error(output).
#pragma once
#include <filesystem>
#include <string>

namespace agwave {

// `durable`: on the disk before it takes its name, so that it survives a crash of the machine.
void replace_file(const std::string& path, const std::string& content, bool durable);

// Makes renames in the directory survive a crash; a file system that cannot is no reason to stop.
void sync_directory(const std::filesystem::path& directory);

}  // namespace agwave
