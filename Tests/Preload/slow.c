// For tests of transfers that are under way: a disk that writes slowly keeps one going without much of the processor. Put into
// a process by LD_PRELOAD, it makes each write of 64 KiB and more at a place of a file (those of received files) take the
// microseconds for each MiB that KIBO_TEST_SLOW names.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long slow_pwrite(int file, const void *bytes, size_t count, off_t offset) {
    const char *slow = getenv("KIBO_TEST_SLOW");
    if (slow && count >= 65536) {
        long pause = (long)(atol(slow) * (double)count / (1 << 20));
        nanosleep(&(struct timespec){.tv_sec = pause / 1000000, .tv_nsec = pause % 1000000 * 1000}, NULL);
    }
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return slow_pwrite(file, bytes, count, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return slow_pwrite(file, bytes, count, offset); }
