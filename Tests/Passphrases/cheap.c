// For suites whose daemons open and seal keys again and again: put into their processes by LD_PRELOAD, it gives libsodium's
// Argon2 the lowest cost in place of what is asked for. Another cost still makes another key. What is sealed with it can be
// opened with it only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int crypto_pwhash(unsigned char *const out, unsigned long long outSize, const char *const password,
                  unsigned long long passwordSize, const unsigned char *const salt, unsigned long long passes, size_t memory,
                  int algorithm) {
    static int (*real)(unsigned char *, unsigned long long, const char *, unsigned long long, const unsigned char *,
                       unsigned long long, size_t, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "crypto_pwhash");
    unsigned char mixed[16];
    memcpy(mixed, salt, sizeof mixed);
    for (int index = 0; index < 8; index++) {
        mixed[index] ^= (unsigned char)(passes >> 8 * index);
        mixed[8 + index] ^= (unsigned char)((unsigned long long)memory >> 8 * index);
    }
    return real(out, outSize, password, passwordSize, mixed, 1, 8192, algorithm);
}
