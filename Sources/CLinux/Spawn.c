#define _GNU_SOURCE 1
#include "Spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(
    const char *program, char *const arguments[], char *const environment[], int input, int out, int error, int leads
) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
    if (leads && setpgid(0, 0) != 0) return;
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return;
    if (input < 0 || out < 0 || error < 0 || dup2(input, 0) < 0 || dup2(out, 1) < 0 || dup2(error, 2) < 0) return;
    // The descriptors are marked rather than closed: the report's pipe must live until exec, which closes it.
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return;
    execve(program, arguments, environment);
}

static int spawn(
    const char *program, char *const arguments[], char *const environment[], int input, int out, int error, int leads
) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -errno;
    // No signal handler of this process may run in the child before its signals are reset.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // The child makes system calls only, until it is another program: it needs no copy of this process's page tables.
    pid_t pid = vfork();
    if (pid == 0) {
        become(program, arguments, environment, input, out, error, leads);
        int failure = errno;
        (void)!write(report[1], &failure, sizeof failure);
        _exit(127);
    }
    int failure = pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (pid > 0) {
        // When exec has succeeded the pipe ends without a byte.
        ssize_t count;
        do count = read(report[0], &failure, sizeof failure);
        while (count < 0 && errno == EINTR);
        if (count == sizeof failure) waitpid(pid, NULL, 0);
    }
    close(report[0]);
    return failure != 0 ? -failure : pid;
}

int kibo_spawn_tied(const char *program, char *const arguments[], char *const environment[], const char *output) {
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int result = input < 0 || out < 0 ? -errno : spawn(program, arguments, environment, input, out, out, 0);
    if (input >= 0) close(input);
    if (out >= 0) close(out);
    return result;
}

int kibo_spawn_piped(const char *program, char *const arguments[], char *const environment[], int input, int output) {
    int error = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (error < 0) return -errno;
    int result = spawn(program, arguments, environment, input, output, error, 0);
    close(error);
    return result;
}

int kibo_spawn_command(const char *program, char *const arguments[], int input, int output) {
    return spawn(program, arguments, environ, input, output, output, 1);
}

int kibo_spawn_inheriting(const char *program, char *const arguments[], char *const environment[],
                          const int *descriptors, int count) {
    pid_t pid = fork();
    if (pid != 0) return pid < 0 ? -errno : pid;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(127);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) _exit(127);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0 || dup2(input, 0) < 0) _exit(127);
    // First out of the way of each other, then to their places.
    int moved[16];
    if (count > 16) _exit(127);
    for (int index = 0; index < count; index++) {
        moved[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, 64);
        if (moved[index] < 0) _exit(127);
    }
    for (int index = 0; index < count; index++)
        if (dup2(moved[index], 3 + index) < 0) _exit(127);
    if (close_range((unsigned)(3 + count), ~0U, 0) != 0) _exit(127);
    execve(program, arguments, environment);
    _exit(127);
}

int kibo_spawn_detached(const char *program, char *const arguments[]) {
    pid_t pid = fork();
    if (pid != 0) return pid < 0 ? -errno : pid;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (setsid() < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(127);
    if (close_range(3, ~0U, 0) != 0) _exit(127);
    execve(program, arguments, environ);
    _exit(127);
}

int kibo_give_up_privileges(int closes) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return closes ? prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) : 0;
}

int kibo_hide_memory(void) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int kibo_try_execve(const char *program) {
    // The error number of the child, by memory that both see: a pipe or an exit status would need calls of their own.
    pid_t pid = vfork();
    if (pid < 0) {
        // Where no child can be made this process tries itself.
        char *const nothing[] = {NULL};
        return execve(program, nothing, nothing);
    }
    if (pid == 0) {
        char *const arguments[] = {(char *)program, NULL};
        execve(program, arguments, environ);
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    errno = ENOEXEC;
    return -1;
}

int kibo_run_in_foreground(const char *program, char *const arguments[]) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t pid = fork();
    if (pid == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        execve(program, arguments, environ);
        _exit(127);
    }
    int status = 0, failure = pid < 0 ? errno : 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0) {
        if (errno == EINTR) continue;
        failure = errno;
        break;
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (failure != 0) return -failure;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
