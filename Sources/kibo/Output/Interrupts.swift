import CLinux
import Glibc

/// Turns Ctrl-C, SIGTERM and SIGHUP into something that can be waited for together with the daemon, so that the terminal
/// is put in order before the program ends.
///
/// The signals are blocked only while one of these lives: elsewhere they end the program at once, as people expect.
final class Interrupts {
    /// Readable once a signal has come; −1 if the system has no more descriptors.
    let descriptor: CInt
    private var previous = sigset_t()

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &previous)
        descriptor = signalfd(-1, &signals, CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        if descriptor < 0 { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    }

    /// Waits for a signal, no longer than this.
    func comes(within limit: Duration) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, CInt(clamping: limit.milliseconds)) > 0
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A signal that came is taken, or unblocking would deliver it after all.
        var information = [UInt8](repeating: 0, count: 128)
        while read(descriptor, &information, information.count) > 0 {}
        close(descriptor)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
