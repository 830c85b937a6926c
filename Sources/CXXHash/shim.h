// The library has its fastest code (AVX2, AVX-512) behind names of its own, and this header where it was built with it: its
// macros lead the usual names there. Macros are not seen from Swift, these functions are.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

static inline XXH128_hash_t kibo_xxh3_128(const void *bytes, size_t count) { return XXH3_128bits(bytes, count); }

static inline XXH_errorcode kibo_xxh3_128_update(XXH3_state_t *state, const void *bytes, size_t count) {
    return XXH3_128bits_update(state, bytes, count);
}
