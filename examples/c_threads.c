/* The C API with threads and memory of the caller: the code of "Threads and memory" in docs/c_api.md. */
#include <broadside.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBoxCount = 20000, kThreadCount = 3 };

typedef struct Heap {
    size_t bytes_used;
    size_t allocation_count;
} Heap;

/* Aligned memory by malloc alone: what malloc returned stands before it. */
static void* allocate(size_t bytes, size_t alignment, void* user) {
    Heap* heap = user;
    char* const memory = malloc(bytes + alignment + sizeof(void*));
    if (memory == NULL) return NULL;
    const uintptr_t first = (uintptr_t)memory + sizeof(void*);
    char* const aligned = memory + sizeof(void*) + (alignment - first % alignment) % alignment;
    ((void**)(void*)aligned)[-1] = memory;
    heap->bytes_used += bytes;
    ++heap->allocation_count;
    return aligned;
}

static void deallocate(void* memory, size_t bytes, size_t alignment, void* user) {
    (void)alignment;
    ((Heap*)user)->bytes_used -= bytes;
    free(((void**)memory)[-1]);
}

/* One call of the library: threads take its tasks one by one. */
typedef struct Call {
    broadside_task task;
    void* context;
    uint32_t task_count;
    atomic_uint next_task;
} Call;

static void* work(void* argument) {
    Call* call = argument;
    for (uint32_t i; (i = atomic_fetch_add(&call->next_task, 1)) < call->task_count;)
        call->task(call->context, i);
    return NULL;
}

/* An engine has a pool of threads instead of starting some in each call. */
static void parallel_for(void* user, uint32_t task_count, broadside_task task, void* context) {
    (void)user;
    Call call = {.task = task, .context = context, .task_count = task_count};
    pthread_t threads[kThreadCount];
    int started = 0;
    while (started < kThreadCount && pthread_create(&threads[started], NULL, work, &call) == 0) ++started;
    work(&call);
    for (int i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}

static float min_x[kBoxCount], max_x[kBoxCount], zeros[kBoxCount], ones[kBoxCount];

int main(void) {
    for (int i = 0; i < kBoxCount; ++i) {
        min_x[i] = (float)i;
        max_x[i] = (float)i + 1;
        ones[i] = 1;
    }
    const broadside_boxes boxes = {min_x, zeros, zeros, max_x, ones, ones, kBoxCount};

    Heap heap = {0, 0};
    const broadside_allocator allocator = {
        .size = sizeof allocator, .allocate = allocate, .deallocate = deallocate, .user = &heap};
    const broadside_task_runner runner = {
        .size = sizeof runner, .worker_count = kThreadCount + 1, .parallel_for = parallel_for};
    broadside_finder* finder = NULL;
    if (broadside_finder_create(&allocator, &finder) != BROADSIDE_OK) return 1;
    const broadside_find_pairs_settings settings = {.size = sizeof settings, .runner = &runner};
    const broadside_pair* pairs = NULL;
    size_t pair_count = 0, warm_count = 0;
    for (int frame = 0; frame < 3; ++frame) {
        if (broadside_find_pairs(finder, &boxes, NULL, &settings, &pairs, &pair_count, NULL) != BROADSIDE_OK)
            return 1;
        if (frame == 0) warm_count = heap.allocation_count;
    }
    printf("%zu pairs, %zu allocations in warm frames\n", pair_count, heap.allocation_count - warm_count);
    broadside_finder_destroy(finder);
    printf("%zu bytes left\n", heap.bytes_used);
    return 0;
}
