// Files that appear whole or not at all.
#pragma once

#include <broadside/scene_io/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace broadside::scene_io {

/// Writes a temporary file beside the one that is meant; `commit` gives it the name. Whoever reads meanwhile,
/// or after a failure, finds the file as it was before. A symbolic link is followed, and what it names is
/// replaced; a device or a pipe is written in place, because it has no state to keep. Movable; one thread at
/// a time.
class NewFile {
public:
    /// Opens the temporary file; an existing file must be writable, and its permissions are kept.
    static Result<NewFile> create(const std::filesystem::path& path);

    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&& other) noexcept;
    /// Without a commit the temporary file is removed.
    ~NewFile();

    /// A further descriptor of the open file, which its taker closes before `commit`; -1, and errno says why.
    int duplicate_descriptor() const noexcept;
    [[nodiscard]] std::optional<Error> write(std::string_view bytes);
    /// Waits until the bytes are on the disk, and renames.
    [[nodiscard]] std::optional<Error> commit();

    /// "NAME: cannot be VERB (REASON)".
    Error error_of_system(std::string_view verb, int error_number) const;

private:
    NewFile() = default;
    void abandon() noexcept;

    // As the caller wrote it, for messages.
    std::string name_;
    std::filesystem::path target_;
    // Empty when the target is written in place.
    std::filesystem::path temporary_;
    int descriptor_ = -1;
};

/// A whole file at once.
[[nodiscard]] std::optional<Error> write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace broadside::scene_io
