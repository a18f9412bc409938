// Where the files are that tests read: the project's own, and recorded scenes and meshes.
#pragma once

#include <filesystem>

namespace broadside::test {

// Functions, so that one object alone depends on where a checkout lies.

const std::filesystem::path& source_folder();
/// May not exist: then its tests are skipped and say so.
const std::filesystem::path& data_folder();

}  // namespace broadside::test
