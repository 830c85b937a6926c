#define _GNU_SOURCE 1
#include "Supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void become(
    const char *program, char *const arguments[], char *const environment[], const char *directory, pid_t supervisor
) {
    // Without its supervisor nobody would end it.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != supervisor) return;
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0 || setsid() < 0) return;
    if (chdir(directory) != 0 && chdir("/") != 0) return;
    execve(program, arguments, environment);
}

// Kills all children of this process, as the kernel lists them.
static void kill_children(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) return;
    int pid;
    while (fscanf(file, "%d", &pid) == 1)
        if (pid > 1) kill(pid, SIGKILL);
    fclose(file);
}

// Kills all that descends from this process. A process whose parent has ended is ours (we are a subreaper), so that each round
// reaches further; two seconds are enough for thousands.
static void end_all(pid_t leader, int is_reaped) {
    // Once it is reaped its number may be another's, but the group's is not as long as somebody is in it.
    kill(-leader, SIGKILL);
    if (!is_reaped) kill(leader, SIGKILL);
    for (int round = 0; round < 1000; round++) {
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {}
        if (pid < 0 && errno == ECHILD) return;
        kill_children();
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
}

int kibo_supervise(
    const char *program, char *const arguments[], char *const environment[], const char *directory, int seconds
) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    // Until here the parent's end kills this process; from here on it is told, because there is somebody to take along.
    if (sigprocmask(SIG_BLOCK, &awaited, NULL) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0
        || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
        return KIBO_CANT_RUN;
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += seconds;
    pid_t supervisor = getpid(), pid = fork();
    if (pid < 0) return KIBO_CANT_RUN;
    if (pid == 0) {
        become(program, arguments, environment, directory, supervisor);
        _exit(errno == ENOENT ? KIBO_NOT_FOUND : KIBO_CANT_RUN);
    }
    int status = 0, result = -1, is_reaped = 0;
    while (result < 0) {
        struct timespec now, left;
        clock_gettime(CLOCK_MONOTONIC, &now);
        left.tv_sec = deadline.tv_sec - now.tv_sec;
        left.tv_nsec = deadline.tv_nsec - now.tv_nsec;
        if (left.tv_nsec < 0) {
            left.tv_nsec += 1000000000;
            left.tv_sec--;
        }
        if (left.tv_sec < 0) {
            result = KIBO_TOOK_TOO_LONG;
            break;
        }
        int number = sigtimedwait(&awaited, NULL, &left);
        if (number == SIGTERM) result = KIBO_WAS_LEFT;
        pid_t ended;
        // What the program has left behind may end, too.
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended != pid) continue;
            is_reaped = 1;
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    end_all(pid, is_reaped);
    return result;
}
