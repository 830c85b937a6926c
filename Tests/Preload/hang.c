// For tests of files on a file server that doesn't answer. Put into a process by LD_PRELOAD, it lets no open(2) of the file
// that KIBO_TEST_HANGS names return until the file of that name with ".answers" is there.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int waiting_open(const char *path, int flags, mode_t mode) {
    const char *hangs = getenv("KIBO_TEST_HANGS");
    if (hangs && !strcmp(path, hangs)) {
        char answers[4096];
        snprintf(answers, sizeof answers, "%s.answers", hangs);
        while (access(answers, F_OK) != 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                     \
    int name(const char *path, int flags, ...) {       \
        va_list more;                                  \
        va_start(more, flags);                         \
        mode_t mode = va_arg(more, mode_t);            \
        va_end(more);                                  \
        return waiting_open(path, flags, mode);        \
    }

OPEN(open)
OPEN(open64)
