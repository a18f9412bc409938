/* The shared parts of the C API: status, results, hooks for memory and threads, version, instruction sets.

   Structs. Settings and results begin with `size`. Before every call, the caller sets it to sizeof of the struct
   that it was compiled with. Zero in any other field of settings means the default. A library that knows fewer
   fields accepts a larger struct whose further bytes are zero, and returns invalid_argument for any other. One that
   knows more accepts a smaller struct, and writes no further than its end. A null pointer to settings means all
   defaults; a null pointer to a result means that it is not wanted. Structs without `size` (shapes, views, items of
   lists) never change.

   Handles come from the `..._create` of their kind. Its `..._destroy` frees them and accepts null. A call that
   changes an object must be alone with it; calls that take a pointer to const may run on several threads at once.
   Objects are independent of each other. A null handle, a null array with a count, a count that no array has (such
   as -1 made unsigned), an unknown enumerator or an unknown size returns invalid_argument, and nothing has happened.

   No exception leaves the library, and none may leave a callback. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Only these names are visible in the shared library. */
#define BROADSIDE_C_API __attribute__((visibility("default")))

/* The type of an enum's values in C++. Without one, a value above all enumerators is undefined there, and the
   library could not refuse it. */
#ifdef __cplusplus
#define BROADSIDE_ENUM_TYPE : unsigned int
extern "C" {
#else
#define BROADSIDE_ENUM_TYPE
#endif

/* The version of the header; broadside_version() is that of the library. */
#define BROADSIDE_VERSION_MAJOR 0
#define BROADSIDE_VERSION_MINOR 1
#define BROADSIDE_VERSION_PATCH 0
/* The number in the name libbroadside_c.so.N. It changes if a function is removed or a struct changes; additions
   keep it. */
#define BROADSIDE_C_ABI 0

/* The index for "none" wherever an index in a caller's array is reported. */
#define BROADSIDE_NO_INDEX SIZE_MAX
/* The index for "no box" and "no triangle". */
#define BROADSIDE_NO_BOX 0xFFFFFFFFu
#define BROADSIDE_NO_TRIANGLE 0xFFFFFFFFu
/* The time or t of a miss, exactly 1e30f. Written with all digits, because a C compiler that evaluates floats as
   doubles takes 1e30f for another number. */
#define BROADSIDE_NO_INTERSECTION 1000000015047466219876688855040.0f

/* The outcome of a call. Only ok is zero. */
typedef enum broadside_status BROADSIDE_ENUM_TYPE {
    BROADSIDE_OK = 0,
    /* The caller's output was too small, or a cap was reached. Of a list, what fits was written; of a batch,
       nothing. If the result has `required`, it is the size of the whole result. */
    BROADSIDE_CAPACITY_EXCEEDED = 1,
    /* The allocator returned null. Inputs and objects are unchanged, unless the call says otherwise. */
    BROADSIDE_OUT_OF_MEMORY = 2,
    /* An argument contradicts the documentation; `bad_index` is the item, if there is one. */
    BROADSIDE_INVALID_ARGUMENT = 3,
    /* No instruction set is active; broadside_isa_error says why. */
    BROADSIDE_UNSUPPORTED_ISA = 4,
    /* The caller's sink returned 0 and received no more of the list. */
    BROADSIDE_STOPPED = 5,
    BROADSIDE_STATUS_FORCE_32_BITS = 0x7FFFFFFF
} broadside_status;

/* A short text such as "capacity exceeded"; "unknown status" for any other number. Static storage. */
BROADSIDE_C_API const char* broadside_status_name(broadside_status status);

/* Result of a batch call or of a call that returns a list, besides its status. */
typedef struct broadside_result {
    /* sizeof(broadside_result). */
    uint32_t size;
    /* The status that the call returned. */
    broadside_status status;
    /* The first item that made the arguments invalid, else BROADSIDE_NO_INDEX. */
    size_t bad_index;
    /* Number of items written. For a list, always a prefix of the complete one. For a batch, which has a result for
       each query, all (items, or words of bits) or none. 0 without an output. */
    size_t written;
    /* Number of items of the complete result: the capacity, or number of words, that it needs. Meaningless unless
       the status is ok or capacity_exceeded. */
    size_t required;
} broadside_result;

/* Source of an object's memory. Copied into the object; `user` must outlive it. Called on the thread that calls the
   library and, for a broadside_query_lists, also on threads of a runner. */
typedef struct broadside_allocator {
    /* sizeof(broadside_allocator). */
    uint32_t size;
    uint32_t reserved;
    /* Returns `bytes` aligned to `alignment` (a power of two, at most 64). A null result makes the call return
       out_of_memory. */
    void* (*allocate)(size_t bytes, size_t alignment, void* user);
    /* Frees what `allocate` returned. `bytes` and `alignment` are the same as then. */
    void (*deallocate)(void* memory, size_t bytes, size_t alignment, void* user);
    void* user;
} broadside_allocator;

/* A piece of work, to be called once for every task_index. */
typedef void (*broadside_task)(void* context, uint32_t task_index);

/* The caller's way to run tasks; null runs them on the calling thread. No result depends on it. */
typedef struct broadside_task_runner {
    /* sizeof(broadside_task_runner). */
    uint32_t size;
    /* Number of tasks that can run at once; a hint for how finely to cut. 0 counts as 1, more than 1024 as 1024. */
    uint32_t worker_count;
    /* Calls `task(context, i)` once for every i below `task_count`, in any order, on any thread, and returns when
       all have returned. */
    void (*parallel_for)(void* user, uint32_t task_count, broadside_task task, void* context);
    void* user;
} broadside_task_runner;

/* "major.minor.patch" of the library. Static storage. */
BROADSIDE_C_API const char* broadside_version(void);
/* BROADSIDE_C_ABI of the library. */
BROADSIDE_C_API uint32_t broadside_c_abi(void);

/* Version, compiler, instruction sets and asserts in one line, for logs. Writes at most `capacity` bytes, including
   the zero at the end, and returns the length of the whole text without it, as snprintf does. Null with 0 is legal. */
BROADSIDE_C_API size_t broadside_config_text(char* out_text, size_t capacity);

/* Instruction sets. All return the same bits; they differ in speed. */
typedef enum broadside_isa BROADSIDE_ENUM_TYPE {
    BROADSIDE_ISA_SCALAR = 0,
    BROADSIDE_ISA_SSE2 = 1,
    BROADSIDE_ISA_AVX2 = 2,
    BROADSIDE_ISA_AVX512 = 3,
    BROADSIDE_ISA_NEON64 = 4,
    BROADSIDE_ISA_WASM128 = 5,
    /* None is active. */
    BROADSIDE_ISA_NONE = 255,
    BROADSIDE_ISA_FORCE_32_BITS = 0x7FFFFFFF
} broadside_isa;

/* The names that the environment variable BROADSIDE_ISA takes, "scalar", "sse2" and so on; null for none. */
BROADSIDE_C_API const char* broadside_isa_name(broadside_isa isa);
/* The instruction sets that are built and run on this machine: their number, and each by `index` below it,
   ascending. BROADSIDE_ISA_NONE past the last. */
BROADSIDE_C_API size_t broadside_supported_isa_count(void);
BROADSIDE_C_API broadside_isa broadside_supported_isa(size_t index);
/* The active instruction set: the one that BROADSIDE_ISA names, else the best. BROADSIDE_ISA_NONE if that variable
   names one that cannot run. */
BROADSIDE_C_API broadside_isa broadside_active_isa(void);
/* Makes one active for all threads, from their next call on. Returns unsupported_isa and changes nothing if it
   cannot run. Global. */
BROADSIDE_C_API broadside_status broadside_set_active_isa(broadside_isa isa);
/* The reason why none is active, written as by broadside_config_text; empty if one is. */
BROADSIDE_C_API size_t broadside_isa_error(char* out_text, size_t capacity);

/* Report of a failed assertion; only builds with asserts have any. */
typedef struct broadside_assert_info {
    /* sizeof(broadside_assert_info). */
    uint32_t size;
    /* Not 0 if a call refuses an argument: when the handler returns, the call returns invalid_argument. If 0,
       behaviour after the handler returns is undefined. */
    uint32_t is_refused_argument;
    /* The text of the condition. */
    const char* condition;
    /* The meaning of the condition; for an argument, its name and the rule. */
    const char* message;
    /* The source file. */
    const char* file;
    /* The line in `file`. */
    int64_t line;
} broadside_assert_info;
/* Called on the thread whose assertion fails. */
typedef void (*broadside_assert_handler)(const broadside_assert_info* info);
/* Replaces the handler and returns the previous one, null for the default. Null restores the default, which prints a
   line and aborts. Global, for all threads. */
BROADSIDE_C_API broadside_assert_handler broadside_set_assert_handler(broadside_assert_handler handler);

#ifdef __cplusplus
}
#endif
