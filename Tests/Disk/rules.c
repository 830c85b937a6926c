// The rules: which operations fail, including SQLite's transactions.
#include "disk.h"

static const char *const operations[] = {
    "open", "write", "truncate", "reserve", "sync", "rename", "remove", "make", "transaction"};
static struct rule {
    enum operation operation;
    int code;
    long skip, count, seen;
    char name[256];
} rules[maximumRules];
static int ruleCount;
static struct stat rulesKnown;
// The current transaction: whether it holds the lock, has written, and has to fail.
static int hasLock, hasWritten, transactionFails;
// The lock was refused on this thread: SQLite's pause before it asks again is skipped.
static __thread int skipsPause;

static void readRules(void) {
    struct stat now;
    if (!rulesPath[0]) return;
    if (stat(rulesPath, &now) != 0) { ruleCount = 0; return; }
    if (now.st_ino == rulesKnown.st_ino && now.st_mtim.tv_sec == rulesKnown.st_mtim.tv_sec
        && now.st_mtim.tv_nsec == rulesKnown.st_mtim.tv_nsec) return;
    rulesKnown = now;
    ruleCount = 0;
    transactionFails = 0;
    char text[16384];
    int file = realOpen(rulesPath, O_RDONLY | O_CLOEXEC, 0);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) syscall(SYS_close, file);
    if (size < 0) return;
    text[size] = 0;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) && ruleCount < maximumRules) {
        char operation[32];
        struct rule *rule = &rules[ruleCount];
        if (sscanf(line, "%31s %d %ld %ld %255s", operation, &rule->code, &rule->skip, &rule->count, rule->name) != 5)
            continue;
        for (int index = 0; index < opCount; index++) {
            if (strcmp(operation, operations[index]) != 0) continue;
            rule->operation = (enum operation)index;
            rule->seen = 0;
            ruleCount++;
        }
    }
}

int isBare;
static int isFAT, isShort;

void readKind(void) {
    const char *kind = getenv("KIBO_DISK_KIND");
    if (!kind) return;
    isBare = strstr(kind, "bare") != 0;
    isFAT = strstr(kind, "fat") != 0;
    isShort = strstr(kind, "short") != 0;
}

int refusalOfName(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (isShort && length > 143) return ENAMETOOLONG;
    if (isFAT && length > 0 && (strpbrk(name, "\"*:<>?|\\") || strchr(". ", name[length - 1]))) return EINVAL;
    return 0;
}

static int endsIn(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return strcmp(end, "*") == 0 || (wanted <= length && strcmp(name + length - wanted, end) == 0);
}

static void noteHit(enum operation operation, const char *name) {
    char path[PATH_MAX + 8], line[512];
    snprintf(path, sizeof path, "%s.hits", rulesPath);
    int file = realOpen(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    int length = snprintf(line, sizeof line, "%s %s\n", operations[operation], name);
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
}

int failure(enum operation operation, const char *name) {
    readRules();
    for (int index = 0; index < ruleCount; index++) {
        struct rule *rule = &rules[index];
        if (rule->operation != operation || !endsIn(name, rule->name)) continue;
        long number = rule->seen++;
        if (number < rule->skip || (rule->count >= 0 && number >= rule->skip + rule->count)) continue;
        noteHit(operation, name);
        return rule->code;
    }
    return 0;
}

static int isLog(const char *name) { return endsIn(name, "-wal"); }

int failureOfFile(enum operation operation, const char *name) {
    readRules();
    if (ruleCount == 0) return 0;
    if (hasLock && isLog(name) && (operation == opWrite || operation == opSync)) {
        if (!hasWritten && operation == opWrite) {
            hasWritten = 1;
            transactionFails = 0;
            for (int index = 0; index < ruleCount && !transactionFails; index++)
                if (rules[index].operation == opTransaction && rules[index].code != EBUSY)
                    transactionFails = failure(opTransaction, name);
        }
        if (transactionFails) return transactionFails;
    }
    return failure(operation, name);
}

// The place of SQLite's writer lock in the -shm file: sqlite.org/walformat.html.
enum { writerLock = 120 };

static int lockOrPass(int (*real)(int, int, ...), int file, int command, void *argument) {
    struct stat status;
    if (command != F_SETLK || !isWatched(file, &status) || !endsIn(files[file].name, "-shm")) return real(file, command, argument);
    const struct flock *wanted = argument;
    int isWriters = wanted->l_start <= writerLock && wanted->l_start + wanted->l_len > writerLock;
    if (!isWriters) return real(file, command, argument);
    pthread_mutex_lock(&lock);
    readRules();
    if (wanted->l_type == F_WRLCK) {
        int code = 0;
        for (int index = 0; index < ruleCount && !code; index++)
            if (rules[index].operation == opTransaction && rules[index].code == EBUSY) {
                code = failure(opTransaction, files[file].name);
                break;
            }
        skipsPause = code != 0;
        if (code) return stop(EAGAIN);
    }
    int result = real(file, command, argument);
    if (result == 0 && wanted->l_type != F_RDLCK) {
        hasLock = wanted->l_type == F_WRLCK;
        hasWritten = 0;
        transactionFails = 0;
    }
    return (int)leave(result);
}

#define FCNTL(name) \
    int name(int file, int command, ...) { \
        REAL(int, #name, int, int, ...); \
        va_list list; \
        va_start(list, command); \
        void *argument = va_arg(list, void *); \
        va_end(list); \
        return lockOrPass(real, file, command, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int usleep(useconds_t time) {
    REAL(int, "usleep", useconds_t);
    if (!skipsPause) return real(time);
    skipsPause = 0;
    return 0;
}
