// The version as text, made from the constants.
#include <broadside/version.hpp>

namespace broadside {
namespace {

constexpr char digit(int value) { return static_cast<char>('0' + value); }
static_assert(kVersionMajor < 10 && kVersionMinor < 10 && kVersionPatch < 10, "one digit each");
constinit const char version_text[] = {digit(kVersionMajor), '.', digit(kVersionMinor), '.',
                                       digit(kVersionPatch), '\0'};

}  // namespace

const char* version_string() noexcept { return version_text; }

}  // namespace broadside
