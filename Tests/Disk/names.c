// Opening, making, naming and removing.
#include "disk.h"

typedef long (*opener)(int directory, const char *path, const void *how);

static long openWith(opener real, int directory, const char *path, int flags, const void *how) {
    int changes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    struct place place = {0};
    if (changes && isSeeing()) place = locate(directory, path);
    if (!place.isWatched) {
        long file = real(directory, path, how);
        int code = errno;
        if (isOwn()) watch((int)file);
        errno = code;
        return file;
    }
    pthread_mutex_lock(&lock);
    struct stat before, after;
    int wasThere = exists(directory, path, &before);
    int code = wasThere ? 0 : refusalOfName(path);
    if (!code) code = failure(opOpen, place.name);
    if (code) return stop(code);
    long file = real(directory, path, how);
    if (file >= 0) {
        watch((int)file);
        if (fstat((int)file, &after) == 0 && S_ISREG(after.st_mode)) {
            if (!wasThere) {
                note('C', place.parent, after.st_ino, after.st_mode & 07777, 0, 0, place.name, strlen(place.name), 0, 0);
            } else if ((flags & O_TRUNC) && before.st_size > 0) {
                note('T', after.st_ino, 0, 0, 0, 0, 0, 0, 0, 0);
            }
        }
    }
    return leave(file);
}

struct arguments { int flags; mode_t mode; };

static long byOpenat(int directory, const char *path, const void *how) {
    const struct arguments *arguments = how;
    return syscall(SYS_openat, directory, path, arguments->flags, arguments->mode);
}

static mode_t modeOf(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(list, int) : 0; }

#define OPEN(name, flagsHere) \
    int name(const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        struct arguments arguments = {flags | flagsHere, modeOf(flags, list)}; \
        va_end(list); \
        return (int)openWith(byOpenat, AT_FDCWD, path, flags, &arguments); \
    }
OPEN(open, 0)
OPEN(open64, O_LARGEFILE)

#define OPENAT(name, flagsHere) \
    int name(int directory, const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        struct arguments arguments = {flags | flagsHere, modeOf(flags, list)}; \
        va_end(list); \
        return (int)openWith(byOpenat, directory, path, flags, &arguments); \
    }
OPENAT(openat, 0)
OPENAT(openat64, O_LARGEFILE)

int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

static long openat2Real(int directory, const char *path, const void *how) {
    return realSyscall(SYS_openat2, directory, (long)path, (long)how, sizeof(struct open_how), 0, 0);
}

// openat2 has no function of its own in glibc: callers use syscall.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == SYS_openat2 && d == sizeof(struct open_how)) {
        const struct open_how *how = (const void *)c;
        return openWith(openat2Real, (int)a, (const char *)b, (int)how->flags, how);
    }
    return realSyscall(number, a, b, c, d, e, f);
}

static int makeDirectory(int directory, const char *path, mode_t mode) {
    struct place place = locate(directory, path);
    if (!place.isWatched) return (int)realSyscall(SYS_mkdirat, directory, (long)path, mode, 0, 0, 0);
    pthread_mutex_lock(&lock);
    int code = refusalOfName(path);
    if (!code) code = failure(opMake, place.name);
    if (code) return stop(code);
    int result = (int)realSyscall(SYS_mkdirat, directory, (long)path, mode, 0, 0, 0);
    struct stat status;
    if (result == 0 && exists(directory, path, &status))
        note('M', place.parent, status.st_ino, status.st_mode & 07777, 0, 0, place.name, strlen(place.name), 0, 0);
    return (int)leave(result);
}
int mkdir(const char *path, mode_t mode) { return makeDirectory(AT_FDCWD, path, mode); }
int mkdirat(int directory, const char *path, mode_t mode) { return makeDirectory(directory, path, mode); }

static int removeName(int directory, const char *path, int flags) {
    struct place place = locate(directory, path);
    if (!place.isWatched) return (int)realSyscall(SYS_unlinkat, directory, (long)path, flags, 0, 0, 0);
    pthread_mutex_lock(&lock);
    int code = failure(opRemove, place.name);
    if (code) return stop(code);
    int result = (int)realSyscall(SYS_unlinkat, directory, (long)path, flags, 0, 0, 0);
    if (result == 0) note('U', place.parent, 0, 0, 0, 0, place.name, strlen(place.name), 0, 0);
    return (int)leave(result);
}
int unlink(const char *path) { return removeName(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char *path, int flags) { return removeName(directory, path, flags); }
int rmdir(const char *path) { return removeName(AT_FDCWD, path, AT_REMOVEDIR); }

static int renameName(int from, const char *path, int to, const char *target, unsigned flags) {
    struct place old = locate(from, path), new = locate(to, target);
    if (!old.isWatched && !new.isWatched) return (int)realSyscall(SYS_renameat2, from, (long)path, to, (long)target, flags, 0);
    pthread_mutex_lock(&lock);
    int code = isBare && flags ? EINVAL : refusalOfName(target);
    if (!code) code = failure(opRename, new.name);
    if (code) return stop(code);
    int result = (int)realSyscall(SYS_renameat2, from, (long)path, to, (long)target, flags, 0);
    if (result == 0)
        note('R', old.parent, new.parent, 0, 0, strlen(old.name), old.name, strlen(old.name), new.name, strlen(new.name));
    return (int)leave(result);
}
int rename(const char *path, const char *target) { return renameName(AT_FDCWD, path, AT_FDCWD, target, 0); }
int renameat(int from, const char *path, int to, const char *target) { return renameName(from, path, to, target, 0); }
int renameat2(int from, const char *path, int to, const char *target, unsigned flags) {
    return renameName(from, path, to, target, flags);
}

int linkat(int from, const char *path, int to, const char *target, int flags) {
    struct place new = locate(to, target);
    if (!new.isWatched) return (int)realSyscall(SYS_linkat, from, (long)path, to, (long)target, flags, 0);
    pthread_mutex_lock(&lock);
    int code = isBare ? EPERM : failure(opMake, new.name);
    if (code) return stop(code);
    int result = (int)realSyscall(SYS_linkat, from, (long)path, to, (long)target, flags, 0);
    struct stat status;
    if (result == 0 && exists(to, target, &status))
        note('L', new.parent, status.st_ino, 0, 0, 0, new.name, strlen(new.name), 0, 0);
    return (int)leave(result);
}
int link(const char *path, const char *target) { return linkat(AT_FDCWD, path, AT_FDCWD, target, 0); }
