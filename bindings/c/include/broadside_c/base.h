/* What every call of the C API shares: status, results, hooks for memory and threads, version, instruction sets.

   Structs. Settings and results begin with `size`, which the caller sets to sizeof of the struct that it was
   compiled with, before every call; zero in all other fields of settings means the default. A library that knows
   fewer fields takes a larger struct whose further bytes are zero, and answers invalid_argument to another one; one
   that knows more takes a smaller struct, and writes no further than its end. A null pointer to settings means all
   defaults, one to a result that it is not wanted. Structs without `size` (shapes, views, items of lists) never
   change.

   Handles come from a `..._create` and go by the `..._destroy` of their kind, which takes null too. A call that
   changes an object must be alone with it; calls that take a pointer to const may run on several threads at once.
   Objects are independent of each other. A null handle, a null array with a count, a count that no array has (as -1
   made unsigned), an enumerator that is none and a size that is none answer invalid_argument, and nothing has happened.

   No exception leaves the library, and none may leave a callback. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Only these names are visible in the shared library. */
#define BROADSIDE_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the header; broadside_version() is that of the library. */
#define BROADSIDE_VERSION_MAJOR 0
#define BROADSIDE_VERSION_MINOR 1
#define BROADSIDE_VERSION_PATCH 0
/* The number in the name libbroadside_c.so.N: another one where a function is gone or a struct has changed. What is
   added leaves it. */
#define BROADSIDE_C_ABI 0

/* Stands for "none" wherever an index in a caller's array is reported. */
#define BROADSIDE_NO_INDEX SIZE_MAX
/* Stands for "no box" and "no triangle". */
#define BROADSIDE_NO_BOX 0xFFFFFFFFu
#define BROADSIDE_NO_TRIANGLE 0xFFFFFFFFu
/* The time or t of what does not meet, exactly: 1e30f, with all its digits, for a C compiler that evaluates floats as
   doubles takes 1e30f for another number. */
#define BROADSIDE_NO_INTERSECTION 1000000015047466219876688855040.0f

/* The outcome of a call. Zero is ok, and nothing else is. */
typedef enum broadside_status {
    BROADSIDE_OK = 0,
    /* The caller's output was too small or a cap was reached: of a list what fits was written, of a batch nothing;
       `required`, where the result has it, says how much room the whole answer needs. */
    BROADSIDE_CAPACITY_EXCEEDED = 1,
    /* The allocator returned null. Inputs and objects are as before, where the call says nothing else. */
    BROADSIDE_OUT_OF_MEMORY = 2,
    /* An argument contradicts what is said of it; `bad_index` names the item where there is one. */
    BROADSIDE_INVALID_ARGUMENT = 3,
    /* No instruction set is active; broadside_isa_error says why. */
    BROADSIDE_UNSUPPORTED_ISA = 4,
    /* The caller's sink answered 0: it has what it wanted, and the rest of the list was not asked for. */
    BROADSIDE_STOPPED = 5,
    BROADSIDE_STATUS_FORCE_32_BITS = 0x7FFFFFFF
} broadside_status;

/* A short text such as "capacity exceeded"; "unknown status" for any other number. Static storage. */
BROADSIDE_C_API const char* broadside_status_name(broadside_status status);

/* What a batch call or a call that gives a list has to say beside its status. */
typedef struct broadside_result {
    /* sizeof(broadside_result). */
    uint32_t size;
    /* What the call returned. */
    broadside_status status;
    /* The first item that made the arguments invalid, else BROADSIDE_NO_INDEX. */
    size_t bad_index;
    /* Items that were written: of a list always a prefix of the whole one; of a batch, which answers each query, all
       (items, or words of bits) or none. 0 where there is no output. */
    size_t written;
    /* Items that the whole answer has: the capacity, or number of words, that it needs. Means nothing unless the status
       is ok or capacity_exceeded. */
    size_t required;
} broadside_result;

/* Where an object gets its memory. Copied into the object; `user` must outlive it. Called by the thread that calls
   the library; by threads of a runner too for a broadside_answers. */
typedef struct broadside_allocator {
    /* sizeof(broadside_allocator). */
    uint32_t size;
    uint32_t reserved;
    /* Returns `bytes` aligned to `alignment` (a power of two, at most 64), or null, which the library answers with
       out_of_memory. */
    void* (*allocate)(size_t bytes, size_t alignment, void* user);
    /* Takes back what `allocate` gave, with the same numbers. */
    void (*deallocate)(void* memory, size_t bytes, size_t alignment, void* user);
    void* user;
} broadside_allocator;

/* A piece of work: to be called once for every task_index. */
typedef void (*broadside_task)(void* context, uint32_t task_index);

/* How the caller runs tasks; null means on the calling thread. No result depends on it. */
typedef struct broadside_task_runner {
    /* sizeof(broadside_task_runner). */
    uint32_t size;
    /* How many tasks can run at once; a hint for how finely to cut. 0 counts as 1, more than 1024 as that. */
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

/* Version, compiler, instruction sets and asserts in one line, for logs. Writes at most `capacity` bytes with the
   zero at the end, and returns the length of the whole text without it, as snprintf does. Null with 0 is legal. */
BROADSIDE_C_API size_t broadside_config_text(char* out_text, size_t capacity);

/* Instruction sets. All give the same bits; they differ in speed. */
typedef enum broadside_isa {
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

/* "scalar", "sse2" and so on, as the environment variable BROADSIDE_ISA takes them; null for none. */
BROADSIDE_C_API const char* broadside_isa_name(broadside_isa isa);
/* How many instruction sets are built in and run on this machine, and which: `index` below the count, ascending;
   BROADSIDE_ISA_NONE past it. */
BROADSIDE_C_API size_t broadside_supported_isa_count(void);
BROADSIDE_C_API broadside_isa broadside_supported_isa(size_t index);
/* The one that is active: that of BROADSIDE_ISA, else the best; BROADSIDE_ISA_NONE when that variable names one
   that cannot run. */
BROADSIDE_C_API broadside_isa broadside_active_isa(void);
/* Makes one active for all threads from their next call on. unsupported_isa, and nothing changes, when it cannot
   run. Global. */
BROADSIDE_C_API broadside_status broadside_set_active_isa(broadside_isa isa);
/* Why none is active, as broadside_config_text gives its text; empty when one is. */
BROADSIDE_C_API size_t broadside_isa_error(char* out_text, size_t capacity);

/* What an assert reports; only builds with asserts have any. */
typedef struct broadside_assert_info {
    /* sizeof(broadside_assert_info). */
    uint32_t size;
    /* Not 0 where a call refuses an argument: when the handler returns, it answers invalid_argument. Where it is 0,
       what happens after the handler has returned is undefined. */
    uint32_t is_refused_argument;
    /* The text of the condition. */
    const char* condition;
    /* Of an argument it names the argument and the rule. */
    const char* message;
    /* Where it stands. */
    const char* file;
    /* Of the file. */
    int64_t line;
} broadside_assert_info;
/* Called when an assertion fails, on the thread that it fails on. */
typedef void (*broadside_assert_handler)(const broadside_assert_info* info);
/* Replaces the handler and returns the one before, null where that was the default. Null restores the default, which
   prints a line and aborts. Global, for all threads. */
BROADSIDE_C_API broadside_assert_handler broadside_set_assert_handler(broadside_assert_handler handler);

#ifdef __cplusplus
}
#endif
