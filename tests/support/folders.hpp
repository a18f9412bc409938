// Folders of the files that tests read: the project's own, and recorded scenes and meshes.
#pragma once

#include <filesystem>

namespace broadside::test {

// Functions, so that only one object file depends on the path of a checkout.

const std::filesystem::path& source_folder();
/// May not exist: then its tests are skipped, with a message.
const std::filesystem::path& data_folder();

}  // namespace broadside::test
