// Writing, truncating, reserving and synchronising.
#include "disk.h"

#define WRITE(call, type, position, parameters, passed, record) \
    ssize_t call parameters { \
        REAL(ssize_t, #call, type); \
        struct stat status; \
        if (!isWatched(file, &status)) return real passed; \
        pthread_mutex_lock(&lock); \
        int code = failureOfFile(opWrite, files[file].name); \
        if (code) return stop(code); \
        ssize_t done = real passed; \
        int kept = errno; \
        if (done > 0) { \
            uint64_t offset = (uint64_t)(position); \
            record; \
        } \
        errno = kept; \
        return leave(done); \
    }
#define COMMA ,
#define PLAIN note('W', status.st_ino, offset, 0, 0, 0, bytes, (size_t)done, 0, 0)

WRITE(write, int COMMA const void * COMMA size_t, lseek(file, 0, SEEK_CUR) - done, (int file, const void *bytes, size_t count),
      (file, bytes, count), PLAIN)
WRITE(pwrite, int COMMA const void * COMMA size_t COMMA off_t, at, (int file, const void *bytes, size_t count, off_t at),
      (file, bytes, count, at), PLAIN)
WRITE(pwrite64, int COMMA const void * COMMA size_t COMMA off64_t, at, (int file, const void *bytes, size_t count, off64_t at),
      (file, bytes, count, at), PLAIN)

static void noteParts(ino_t inode, uint64_t offset, const struct iovec *parts, int count, ssize_t done) {
    for (int index = 0; index < count && done > 0; index++) {
        size_t length = parts[index].iov_len < (size_t)done ? parts[index].iov_len : (size_t)done;
        if (length) note('W', inode, offset, 0, 0, 0, parts[index].iov_base, length, 0, 0);
        offset += length;
        done -= (ssize_t)length;
    }
}

#define PARTS noteParts(status.st_ino, offset, parts, count, done)
WRITE(writev, int COMMA const struct iovec * COMMA int, lseek(file, 0, SEEK_CUR) - done,
      (int file, const struct iovec *parts, int count), (file, parts, count), PARTS)
WRITE(pwritev, int COMMA const struct iovec * COMMA int COMMA off_t, at,
      (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), PARTS)
WRITE(pwritev64, int COMMA const struct iovec * COMMA int COMMA off64_t, at,
      (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at), PARTS)

#define TRUNCATE(call, type) \
    int call(int file, type size) { \
        REAL(int, #call, int, type); \
        struct stat status; \
        if (!isWatched(file, &status)) return real(file, size); \
        pthread_mutex_lock(&lock); \
        int code = failureOfFile(opTruncate, files[file].name); \
        if (code) return stop(code); \
        int result = real(file, size); \
        if (result == 0) note('T', status.st_ino, (uint64_t)size, 0, 0, 0, 0, 0, 0, 0); \
        return (int)leave(result); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define ALLOCATE(call, type) \
    int call(int file, int mode, type offset, type length) { \
        REAL(int, #call, int, int, type, type); \
        struct stat status, after; \
        if (!isWatched(file, &status)) return real(file, mode, offset, length); \
        pthread_mutex_lock(&lock); \
        int code = failureOfFile(opReserve, files[file].name); \
        if (code) return stop(code); \
        int result = real(file, mode, offset, length); \
        if (result == 0 && (mode & FALLOC_FL_PUNCH_HOLE)) \
            note('Z', status.st_ino, (uint64_t)offset, (uint64_t)length, 0, 0, 0, 0, 0, 0); \
        if (result == 0 && fstat(file, &after) == 0 && after.st_size != status.st_size) \
            note('T', status.st_ino, (uint64_t)after.st_size, 0, 0, 0, 0, 0, 0, 0); \
        return (int)leave(result); \
    }
ALLOCATE(fallocate, off_t)
ALLOCATE(fallocate64, off64_t)

static int synchronise(int (*real)(int), int file, char letter) {
    struct stat status;
    if (!isWatched(file, &status)) return real(file);
    pthread_mutex_lock(&lock);
    int code = failureOfFile(opSync, files[file].name);
    if (code) return stop(code);
    uint64_t position = logPosition();
    // Other threads continue meanwhile; what they do from here on is not covered.
    pthread_mutex_unlock(&lock);
    int result = real(file);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        note(letter, letter == 'Y' ? 0 : status.st_ino, position, 0, 0, 0, 0, 0, 0, 0);
        leave(result);
    }
    return result;
}

#define SYNCHRONISE(name, letter) \
    int name(int file) { \
        REAL(int, #name, int); \
        return synchronise(real, file, letter); \
    }
SYNCHRONISE(fsync, 'S')
SYNCHRONISE(fdatasync, 'S')
SYNCHRONISE(syncfs, 'Y')
