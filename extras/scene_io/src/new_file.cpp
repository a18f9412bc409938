// Files that appear complete or not at all: a temporary file, synchronised, then renamed.
#include <broadside/scene_io/new_file.hpp>

#include "messages.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace broadside::scene_io {
namespace {

namespace fs = std::filesystem;

// Beside the target, because a rename does not cross file systems; with a name that no other writer has.
fs::path temporary_beside(const fs::path& target) {
    static std::atomic<unsigned> serial{0};
    fs::path path = target;
    path += text_of(".", getpid(), "-", serial.fetch_add(1), ".part");
    return path;
}

int open_temporary(const fs::path& target, fs::path& out_path) {
    for (;;) {
        out_path = temporary_beside(target);
        const int descriptor = open(out_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        // A leftover of a process with the same number.
        if (descriptor < 0 && errno == EEXIST) continue;
        return descriptor;
    }
}

}  // namespace

NewFile::NewFile(NewFile&& other) noexcept
    : name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
    if (this == &other) return *this;
    abandon();
    name_ = std::move(other.name_);
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
    return *this;
}

NewFile::~NewFile() { abandon(); }

void NewFile::abandon() noexcept {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
    if (!temporary_.empty()) unlink(temporary_.c_str());
    temporary_.clear();
}

Error NewFile::error_of_system(std::string_view verb, int error_number) const {
    const std::string reason =
        error_number != 0 ? std::generic_category().message(error_number) : std::string("unknown reason");
    return error_in_file(name_, text_of("cannot be ", verb, " (", reason, ")"));
}

Result<NewFile> NewFile::create(const fs::path& path) {
    NewFile file;
    file.name_ = path.string();
    std::error_code code;
    file.target_ = fs::is_symlink(fs::symlink_status(path, code)) ? fs::weakly_canonical(path, code) : path;
    struct stat status = {};
    const bool exists = stat(file.target_.c_str(), &status) == 0;
    if (exists && access(file.target_.c_str(), W_OK) != 0) return file.error_of_system("created", errno);
    if (exists && !S_ISREG(status.st_mode)) {
        file.descriptor_ = open(file.target_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        fs::path temporary;
        file.descriptor_ = open_temporary(file.target_, temporary);
        if (file.descriptor_ >= 0) file.temporary_ = std::move(temporary);
    }
    if (file.descriptor_ < 0) return file.error_of_system("created", errno);
    if (exists && !file.temporary_.empty() && fchmod(file.descriptor_, status.st_mode & 07777) != 0) {
        return file.error_of_system("created", errno);
    }
    return file;
}

int NewFile::duplicate_descriptor() const noexcept { return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); }

std::optional<Error> NewFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return error_of_system("written", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return std::nullopt;
}

std::optional<Error> NewFile::commit() {
    const bool is_temporary = !temporary_.empty();
    if (is_temporary && fsync(descriptor_) != 0) return error_of_system("written", errno);
    if (close(std::exchange(descriptor_, -1)) != 0) return error_of_system("written", errno);
    if (is_temporary && rename(temporary_.c_str(), target_.c_str()) != 0) {
        return error_of_system("written", errno);
    }
    temporary_.clear();
    return std::nullopt;
}

std::optional<Error> write_file(const fs::path& path, std::string_view bytes) {
    Result<NewFile> file = NewFile::create(path);
    if (!file) return file.error();
    if (auto error = file->write(bytes)) return error;
    return file->commit();
}

}  // namespace broadside::scene_io
