// What a shared library shows to its callers; nothing in a static one, whose users may be plug-ins that show
// nothing of it themselves.
#pragma once

// Stands before the name in `namespace BROADSIDE_API broadside` of a header that declares what a source file
// defines. Only the build of the library itself sets the macro: callers need no definition, and no flag of theirs
// matters.
// MSVC has no such word for a namespace: its shared library exports all symbols (WINDOWS_EXPORT_ALL_SYMBOLS).
#if defined(BROADSIDE_IS_SHARED) && !(defined(_MSC_VER) && !defined(__clang__))
#define BROADSIDE_API [[gnu::visibility("default")]]
#else
#define BROADSIDE_API
#endif
