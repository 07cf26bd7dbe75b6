/*
 * The options of jemalloc, which reads them from this symbol before the first allocation.
 *
 * narenas:2              Threads share two arenas. jemalloc's own four for each processor keep free memory each, which dozens
 *                        of workers spread over all of them; two are enough for a few processors not to wait for each other.
 * lg_tcache_max:13       A thread keeps free blocks of up to 8 KiB to itself, instead of 32 KiB.
 * dirty_decay_ms:1000    What has been free for a second is given back to the system,
 * muzzy_decay_ms:0       at once and wholly,
 * background_thread:true also while nobody allocates.
 *
 * Here and not in Rust, where a symbol with a given name needs `unsafe`. `tests/bench/run memory` shows what they do.
 */
const char *_rjem_malloc_conf =
    "narenas:2,lg_tcache_max:13,dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true";
