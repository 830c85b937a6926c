#define _GNU_SOURCE
#include "Files.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int kibo_open_beneath(int directory, const char *path, int flags, unsigned mode) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
        .mode = (flags & O_CREAT) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd;
    // EAGAIN: a rename elsewhere in the tree interfered with the walk.
    do fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return fd;
}

int kibo_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int64_t kibo_file_system_type(int fd) {
    struct statfs system;
    return fstatfs(fd, &system) == 0 ? (int64_t)system.f_type : 0;
}

int64_t kibo_born(int directory, const char *name) {
    struct statx found;
    if (statx(directory, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BTIME, &found) != 0) return 0;
    if (!(found.stx_mask & STATX_BTIME)) return 0;
    int64_t nanoseconds;
    if (__builtin_mul_overflow((int64_t)found.stx_btime.tv_sec, 1000000000, &nanoseconds)) return 0;
    return __builtin_add_overflow(nanoseconds, (int64_t)found.stx_btime.tv_nsec, &nanoseconds) ? 0 : nanoseconds;
}

int kibo_syncfs(int fd) { return syncfs(fd); }

int kibo_fallocate(int fd, int64_t offset, int64_t length) { return fallocate(fd, 0, offset, length); }

int kibo_punch_hole(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int64_t kibo_seek_data(int fd, int64_t offset) { return lseek(fd, offset, SEEK_DATA); }

int64_t kibo_seek_hole(int fd, int64_t offset) { return lseek(fd, offset, SEEK_HOLE); }

void kibo_error_text(int code, char *buffer, size_t size) {
    if (size == 0) return;
    const char *text = strerror_r(code, buffer, size);
    if (text != buffer) snprintf(buffer, size, "%s", text);
}

int kibo_direct_flag(void) { return O_DIRECT; }

int kibo_lease(int fd, bool takes) {
    // SIGIO, which tells that somebody wants to write, would end the process.
    if (takes && fcntl(fd, F_SETSIG, SIGURG) != 0) return -1;
    return fcntl(fd, F_SETLEASE, takes ? F_RDLCK : F_UNLCK);
}
