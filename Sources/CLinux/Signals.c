#define _GNU_SOURCE 1
#include "Signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static int ends[2] = {-1, -1};
static struct sigaction previous[NSIG];
static bool caught[NSIG];

int kibo_signal_pipe(void) {
    if (ends[0] < 0 && pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return -1;
    return ends[0];
}

static void handler(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    // A full pipe drops the signal; thousands of signals wait in it then.
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    errno = saved;
}

int kibo_signal_catch(int signal) {
    if (signal <= 0 || signal >= NSIG) {
        errno = EINVAL;
        return -1;
    }
    if (caught[signal]) return 0;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(signal, &action, &previous[signal]) != 0) return -1;
    caught[signal] = true;
    return 0;
}

int kibo_signal_release(int signal) {
    if (signal <= 0 || signal >= NSIG || !caught[signal]) {
        errno = EINVAL;
        return -1;
    }
    caught[signal] = false;
    return sigaction(signal, &previous[signal], NULL);
}
