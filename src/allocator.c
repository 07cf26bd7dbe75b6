/*
 * The options of jemalloc, which reads them from this symbol before the first allocation.
 *
 * narenas:1              Threads share one arena. Each arena keeps pages that are free in part, and dozens of workers leave such
 *                        pages in all of them: nearly all of what a process has at rest beyond what it needs.
 * lg_tcache_max:12       A thread keeps free blocks of up to 4 KiB to itself, instead of 32 KiB.
 * slab_sizes             Blocks of one size lie side by side in a slab, which is given back when all of them are free. Where
 *                        little of a page is lost by it (at most 6 %), a slab is one page, or few, instead of up to seven: after
 *                        load, one block that is still used then keeps less.
 * dirty_decay_ms:1000    What has been free for a second is given back to the system,
 * muzzy_decay_ms:0       at once and wholly,
 * background_thread:true also while no thread allocates.
 *
 * Here and not in Rust, where a symbol with a given name needs `unsafe`. `tests/bench/run memory` shows what they do.
 */
const char *_rjem_malloc_conf =
    "narenas:1,lg_tcache_max:12,"
    "slab_sizes:8-768:1|896-896:2|1024-1280:1|1792-1792:4|2048-2048:1|2560-2560:2,"
    "dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true";

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

/*
 * The C library's allocator serves libraries in C: libwebp, which needs tens of megabytes for an image. Left to itself, it learns
 * to keep blocks of that size, in an arena for each thread. With a fixed threshold they are given back when they are free.
 */
__attribute__((constructor)) static void configure_c_library(void)
{
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_ARENA_MAX, 1);
}
#endif
