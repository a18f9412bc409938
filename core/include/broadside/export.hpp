// The symbols that a shared library exports. A static library exports none, because its user may be a plug-in
// that exports none of them itself.
#pragma once

// Stands before the name in `namespace BROADSIDE_API broadside` of a header that declares what a source file
// defines. Only the build of the library itself sets the macro: callers define nothing, and their flags do
// not matter. MSVC has no such attribute for a namespace, so its shared library exports all symbols
// (WINDOWS_EXPORT_ALL_SYMBOLS).
#if defined(BROADSIDE_IS_SHARED) && !(defined(_MSC_VER) && !defined(__clang__))
#define BROADSIDE_API [[gnu::visibility("default")]]
#else
#define BROADSIDE_API
#endif
