// Signals as bytes in a pipe.
//
// Not a signalfd: that one needs the signal blocked in every thread, and a library cannot reach the threads that were there
// before it. A handler works whichever thread the kernel picks.
#ifndef KIBO_CLINUX_SIGNALS_H
#define KIBO_CLINUX_SIGNALS_H

/// A close-on-exec, non-blocking pipe that receives one byte, the signal's number, for each caught signal. The same one each
/// time. Its reading end, or -1 and errno.
int kibo_signal_pipe(void);

/// Catches a signal from now on. -1 and errno on failure.
int kibo_signal_catch(int signal);

/// Gives a signal back to what it did before it was caught. -1 and errno on failure.
int kibo_signal_release(int signal);

#endif
