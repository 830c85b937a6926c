// File calls that Glibc's overlay lacks: openat2 has no wrapper, renameat2 and syncfs hide behind _GNU_SOURCE, and the
// flags are macros with casts.
#ifndef KIBO_CLINUX_FILES_H
#define KIBO_CLINUX_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// Opens `path` below `directory`: no component may be a symbolic link or lead out (openat2(2), Linux 5.6).
static inline int kibo_open_beneath(int directory, const char *path, int flags, unsigned mode) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
        .mode = (flags & O_CREAT) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd;
    // EAGAIN: a rename elsewhere in the tree raced with the walk.
    do fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return fd;
}

static inline int kibo_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

static inline int kibo_syncfs(int fd) { return syncfs(fd); }

static inline int kibo_fallocate(int fd, int64_t offset, int64_t length) { return fallocate(fd, 0, offset, length); }

static inline int kibo_punch_hole(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

// The start of the next data at or after `offset`, or -1 with errno (ENXIO: only a hole follows).
static inline int64_t kibo_seek_data(int fd, int64_t offset) { return lseek(fd, offset, SEEK_DATA); }

// The start of the next hole at or after `offset` (the end of the file counts as one), or -1 with errno.
static inline int64_t kibo_seek_hole(int fd, int64_t offset) { return lseek(fd, offset, SEEK_HOLE); }

#endif
