// File calls that Glibc's overlay lacks: openat2 has no wrapper, renameat2, syncfs and fallocate hide behind _GNU_SOURCE.
// (A header that defines _GNU_SOURCE itself would redefine types of the overlay, so the bodies are in Files.c.)
#ifndef KIBO_CLINUX_FILES_H
#define KIBO_CLINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens `path` below `directory`: no component may be a symbolic link or lead out (openat2(2), Linux 5.6).
// O_CLOEXEC and O_NOFOLLOW are added.
int kibo_open_beneath(int directory, const char *path, int flags, unsigned mode);

// The value of O_DIRECT, which differs between architectures.
int kibo_direct_flag(void);

// renameat2(2) with RENAME_NOREPLACE.
int kibo_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to);

// The magic number of the file system that `fd` lies on (statfs(2)); 0 if it can't be told.
int64_t kibo_file_system_type(int fd);

// When a file or folder was created, in nanoseconds since 1970 (statx(2)); 0 if it can't be told. An empty name means
// the descriptor itself.
int64_t kibo_born(int directory, const char *name);

// syncfs(2).
int kibo_syncfs(int fd);

// fallocate(2): the first reserves and extends, the second punches a hole and keeps the size.
int kibo_fallocate(int fd, int64_t offset, int64_t length);
int kibo_punch_hole(int fd, int64_t offset, int64_t length);

// The start of the next data at or after `offset`, or -1 with errno (ENXIO: only a hole follows).
int64_t kibo_seek_data(int fd, int64_t offset);
// The start of the next hole at or after `offset` (the end of the file counts as one), or -1 with errno.
int64_t kibo_seek_hole(int fd, int64_t offset);

// The text of an errno.
void kibo_error_text(int code, char *buffer, size_t size);

/// Takes a read lease on a file (F_SETLEASE), or gives it back. It is granted only while no process has the file open for writing.
/// Returns 0, or -1 with errno: EAGAIN if one has, EINVAL where the file system knows no leases.
int kibo_lease(int fd, bool takes);

#endif
