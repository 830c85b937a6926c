// Signals as bytes in a pipe.
//
// A signalfd would need the signal blocked in every thread, and a library cannot reach threads that were there before
// it. A handler works whichever thread the kernel picks.
#ifndef KIBO_CLINUX_SIGNALS_H
#define KIBO_CLINUX_SIGNALS_H

/// Makes a close-on-exec, non-blocking pipe that receives one byte, the signal's number, for each caught signal; later
/// calls give the same pipe. Returns its reading end, or -1 and errno.
int kibo_signal_pipe(void);

/// Catches a signal from now on. -1 and errno on failure.
int kibo_signal_catch(int signal);

/// Restores what the signal did before it was caught. -1 and errno on failure.
int kibo_signal_release(int signal);

#endif
