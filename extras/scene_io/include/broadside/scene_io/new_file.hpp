// Files that appear complete or not at all.
#pragma once

#include <broadside/scene_io/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace broadside::scene_io {

/// Writes a temporary file beside the target; `commit` renames it. A reader sees the old file until then, and
/// after a failure. A symbolic link is followed, and its target is replaced; a device or a pipe is written in
/// place, because it has no state to keep. Movable; one thread at a time.
class NewFile {
public:
    /// Opens the temporary file; an existing file must be writable, and its permissions are kept.
    static Result<NewFile> create(const std::filesystem::path& path);

    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&& other) noexcept;
    /// Without a commit the temporary file is removed.
    ~NewFile();

    /// A further descriptor of the open file, which its caller must close before `commit`; -1, with the
    /// reason in errno.
    int duplicate_descriptor() const noexcept;
    [[nodiscard]] std::optional<Error> write(std::string_view bytes);
    /// Waits until the bytes are on the disk, and renames.
    [[nodiscard]] std::optional<Error> commit();

    /// "NAME: cannot be VERB (REASON)".
    Error error_of_system(std::string_view verb, int error_number) const;

private:
    NewFile() = default;
    void abandon() noexcept;

    // The path as the caller wrote it, for messages.
    std::string name_;
    std::filesystem::path target_;
    // Empty if the target is written in place.
    std::filesystem::path temporary_;
    int descriptor_ = -1;
};

/// A whole file at once.
[[nodiscard]] std::optional<Error> write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace broadside::scene_io
