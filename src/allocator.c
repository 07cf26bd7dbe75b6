/*
 * The options of jemalloc, which it reads from this symbol before the first allocation.
 *
 * narenas:1              All threads share one arena. Every arena retains partially free pages, so with dozens of workers and an
 *                        arena for each, such pages would be nearly all of the idle process's memory overhead.
 * lg_tcache_max:12       Thread caches hold free blocks of up to 4 KiB instead of 32 KiB.
 * slab_sizes             Blocks of one size are allocated next to each other in a slab, which is released when all of them are
 *                        free. For sizes where this wastes little of a page (at most 6 %), slabs have one page or a few pages
 *                        instead of up to seven, so that a block that is still in use after a peak retains less memory.
 * dirty_decay_ms:1000    Memory that has been free for a second is returned to the system,
 * muzzy_decay_ms:0       immediately and completely,
 * background_thread:true even while no thread allocates.
 *
 * This is C because defining a symbol with a given name needs `unsafe` in Rust. `tests/bench/run memory` shows the effect.
 */
const char *_rjem_malloc_conf =
    "narenas:1,lg_tcache_max:12,"
    "slab_sizes:8-768:1|896-896:2|1024-1280:1|1792-1792:4|2048-2048:1|2560-2560:2,"
    "dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true";

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

/*
 * The C library's allocator is used by libraries in C, such as libwebp, which needs tens of megabytes for an image. By default,
 * it adapts its threshold and then retains free blocks of that size, in an arena for each thread. With a fixed threshold, such
 * blocks are returned to the system when they are freed.
 */
__attribute__((constructor)) static void configure_c_library(void)
{
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_ARENA_MAX, 1);
}
#endif
