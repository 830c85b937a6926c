// A disk that can fail and lose data: preloaded into a daemon (LD_PRELOAD), it sees every change of files beneath some
// directories. Sources/TestSupport/Disk compiles and controls it.
//
//   KIBO_DISK_PROGRAM  the name of the program to cover; the programs that start it, and that it starts, are left alone
//   KIBO_DISK_ROOTS    absolute paths without links, separated by ':'; only files beneath them are covered
//   KIBO_DISK_LOG      the file to which changes are appended, in order even for several processes; may be missing
//   KIBO_DISK_RULES    the rules for failures; read again whenever another file takes its place; may be missing
//   KIBO_DISK_KIND     what the disk can't do, words with blanks between them: `bare` renames replace, and there are no
//                      hard links; `fat` takes no name that FAT refuses; `short` takes names of 143 bytes at most
//
// The log has records: a letter, six numbers, a newline, then as many bytes as the last number says.
//   C parent inode mode 0 0 n    a file was made, its name follows       M  a directory was made
//   L parent inode 0 0 0 n       another name for a file                 U parent 0 0 0 0 n  a name was removed
//   R from to 0 0 k n            renamed: k bytes of the old name, then the new one
//   W inode offset 0 0 0 n       bytes were written                      T inode size 0 0 0 0  cut or grown
//   Z inode offset length 0 0 0  reads as zeros from now on, the size stays
//   S inode position 0 0 0 0     a synchronisation succeeded: what stands before that position of the log is safe
//   Y 0 position 0 0 0 0         the same for all files
//
// A rule is a line `OPERATION ERRNO SKIP COUNT NAME`: among operations on files whose name ends in NAME (* for all),
// SKIP succeed, then COUNT fail (-1: all). Operations: open (for writing), write, truncate, reserve, sync, rename,
// remove, make, and transaction, which counts SQLite's writing transactions; there, EBUSY refuses the writer's lock
// COUNT times instead. Each failure appends a line to RULES.hits.
//
// Writes through a shared mapping are not seen. SQLite has one, of the -shm file, which it rebuilds after a crash.
#ifndef KIBO_DISK_H
#define KIBO_DISK_H

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Finds the function that ours replaces.
#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

enum { maximumFiles = 65536, maximumRules = 64, maximumRoots = 16 };

// What is known of an open file. A descriptor that was closed unseen is detected by its inode.
struct known {
    dev_t device;
    ino_t inode;
    char *name;
};
extern struct known files[maximumFiles];
extern char rulesPath[PATH_MAX];
// Held from before an operation until it stands in the log, so that the log has the true order.
extern pthread_mutex_t lock;

// watch.c: the files that are covered
int isSeeing(void);
int isOwn(void);
int isWatched(int file, struct stat *status);
void watch(int file);
struct place {
    int isWatched;
    ino_t parent;
    char name[NAME_MAX + 1];
};
struct place locate(int directory, const char *path);
int exists(int directory, const char *path, struct stat *status);
int realOpen(const char *path, int flags, mode_t mode);
long realSyscall(long number, long a, long b, long c, long d, long e, long f);

// watch.c: the log, and the release of the lock
void note(char letter, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count,
          const void *more, size_t moreCount);
uint64_t logPosition(void);
int stop(int code);
long leave(long result);

// rules.c: what the disk can't do. The error for a name that is to be made, or 0; whether renames always replace.
void readKind(void);
int refusalOfName(const char *path);
extern int isBare;

// rules.c: the operations that have to fail
enum operation { opOpen, opWrite, opTruncate, opReserve, opSync, opRename, opRemove, opMake, opTransaction, opCount };
// The error with which an operation has to fail, or 0. The lock must be held.
int failure(enum operation operation, const char *name);
// The same for changes of an open file: a write to SQLite's log may belong to a transaction that has to fail.
int failureOfFile(enum operation operation, const char *name);

#endif
