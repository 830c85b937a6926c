// Lets each fsync and fdatasync of a program take KIBO_SYNC_MICROSECONDS longer, as on a slower disk. Preloaded:
//
//     cc -O2 -shared -fPIC Benchmarks/slow_disk.c -o slow_disk.so
//     KIBO_SYNC_MICROSECONDS=2000 LD_PRELOAD=./slow_disk.so PROGRAM
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int (*real_fsync)(int), (*real_fdatasync)(int);
static struct timespec delay;

__attribute__((constructor)) static void prepare(void) {
    const char *given = getenv("KIBO_SYNC_MICROSECONDS");
    long microseconds = given ? atol(given) : 0;
    delay.tv_sec = microseconds / 1000000;
    delay.tv_nsec = microseconds % 1000000 * 1000;
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static void wait_longer(void) {
    struct timespec left = delay;
    while (nanosleep(&left, &left) != 0 && errno == EINTR);
}

int fsync(int fd) {
    wait_longer();
    return real_fsync(fd);
}

int fdatasync(int fd) {
    wait_longer();
    return real_fdatasync(fd);
}
