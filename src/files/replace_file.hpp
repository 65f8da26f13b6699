// SPDX-License-Identifier: Apache-2.0
// Small files that are whole at every moment: written under a temporary name, then renamed. Devices, pipes and the standard output cannot be
// replaced by a file, and are written to as they are. Throws Error(output).
#pragma once
#include <filesystem>
#include <string>

namespace agwave {

// `durable`: on the disk before it takes its name, so that it survives a crash of the machine.
void replace_file(const std::string& path, const std::string& content, bool durable);

// A device, a pipe or the standard output: what is written there stays.
bool is_stream(const std::string& path);

// Makes renames in the directory survive a crash; a file system that cannot is no reason to stop.
void sync_directory(const std::filesystem::path& directory);

}  // namespace agwave
