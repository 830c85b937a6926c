// The files that are covered, and the log of their changes.
#include "disk.h"

struct known files[maximumFiles];
char rulesPath[PATH_MAX];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char roots[maximumRoots][PATH_MAX];
static int rootCount;
static int logFile = -1;
static pid_t owner;

int isSeeing(void) { return rootCount > 0; }
// A child between fork and exec is not covered: another thread of its parent may hold the lock.
int isOwn(void) { return getpid() == owner; }

int realOpen(const char *path, int flags, mode_t mode) {
    return (int)realSyscall(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

long realSyscall(long number, long a, long b, long c, long d, long e, long f) {
    REAL(long, "syscall", long, long, long, long, long, long, long);
    return real(number, a, b, c, d, e, f);
}

void note(char letter, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count,
                 const void *more, size_t moreCount) {
    if (logFile < 0) return;
    char head[160];
    int length = snprintf(head, sizeof head, "%c %lu %lu %lu %lu %lu %lu\n", letter, a, b, c, d, e, count + moreCount);
    struct iovec parts[3] = {{head, (size_t)length}, {(void *)bytes, count}, {(void *)more, moreCount}};
    ssize_t written = syscall(SYS_writev, logFile, parts, 3);
    if (written != (ssize_t)(length + count + moreCount)) {
        static const char complaint[] = "Tests/Disk: the log can't be written\n";
        syscall(SYS_write, 2, complaint, sizeof complaint - 1);
        abort();
    }
}

uint64_t logPosition(void) {
    struct stat now;
    return logFile >= 0 && fstat(logFile, &now) == 0 ? (uint64_t)now.st_size : 0;
}

__attribute__((constructor)) static void begin(void) {
    char self[PATH_MAX] = "";
    const char *program = getenv("KIBO_DISK_PROGRAM");
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !program || !strrchr(self, '/')) return;
    if (strcmp(strrchr(self, '/') + 1, program) != 0) return;
    owner = getpid();
    const char *wanted = getenv("KIBO_DISK_ROOTS");
    char all[PATH_MAX * 4];
    snprintf(all, sizeof all, "%s", wanted ? wanted : "");
    char *rest = all, *root;
    while ((root = strsep(&rest, ":")) && rootCount < maximumRoots)
        if (*root) snprintf(roots[rootCount++], PATH_MAX, "%s", root);
    readKind();
    const char *log = getenv("KIBO_DISK_LOG"), *control = getenv("KIBO_DISK_RULES");
    if (log) logFile = realOpen(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (control) snprintf(rulesPath, sizeof rulesPath, "%s", control);
    // Programs that it starts have other work, and perhaps a filter of system calls.
    unsetenv("LD_PRELOAD");
}

static int isBeneath(const char *path) {
    for (int index = 0; index < rootCount; index++) {
        size_t length = strlen(roots[index]);
        if (strncmp(path, roots[index], length) == 0 && (path[length] == 0 || path[length] == '/')) return 1;
    }
    return 0;
}

static int pathOf(int file, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

// Whether a descriptor is a covered file; it stays one under other names.
int isWatched(int file, struct stat *status) {
    if (file < 0 || file >= maximumFiles || !files[file].name || !isOwn()) return 0;
    return fstat(file, status) == 0 && status->st_dev == files[file].device && status->st_ino == files[file].inode;
}

void watch(int file) {
    if (file < 0 || file >= maximumFiles || rootCount == 0) return;
    char path[PATH_MAX];
    struct stat status;
    free(files[file].name);
    files[file].name = NULL;
    if (!pathOf(file, path) || !isBeneath(path) || fstat(file, &status) != 0) return;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
    const char *name = strrchr(path, '/');
    files[file].device = status.st_dev;
    files[file].inode = status.st_ino;
    files[file].name = strdup(name ? name + 1 : path);
}

// The directory and the name that a path means.
struct place locate(int directory, const char *path) {
    struct place place = {0};
    if (rootCount == 0 || !isOwn() || !path || !*path) return place;
    char copy[PATH_MAX], parent[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) return place;
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/') copy[--length] = 0;
    char *slash = strrchr(copy, '/');
    if (snprintf(place.name, sizeof place.name, "%s", slash ? slash + 1 : copy) >= (int)sizeof place.name) return place;
    if (slash) *(slash == copy ? slash + 1 : slash) = 0;
    int opened = (int)syscall(SYS_openat, directory, slash ? copy : ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (opened < 0) return place;
    struct stat status;
    if (pathOf(opened, parent) && isBeneath(parent) && fstat(opened, &status) == 0) {
        place.parent = status.st_ino;
        place.isWatched = 1;
    }
    syscall(SYS_close, opened);
    return place;
}

int exists(int directory, const char *path, struct stat *status) {
    return fstatat(directory, path, status, AT_SYMLINK_NOFOLLOW) == 0;
}

int stop(int code) {
    pthread_mutex_unlock(&lock);
    errno = code;
    return -1;
}

long leave(long result) {
    int code = errno;
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}
