// The folders that the build was configured with.
#include "tests/support/folders.hpp"

namespace broadside::test {

const std::filesystem::path& source_folder() {
    static const std::filesystem::path folder = BROADSIDE_SOURCE_DIR;
    return folder;
}

const std::filesystem::path& data_folder() {
    static const std::filesystem::path folder = BROADSIDE_DATA_DIR;
    return folder;
}

}  // namespace broadside::test
