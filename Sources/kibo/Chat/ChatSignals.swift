import CLinux
import Glibc

/// The signals that `kibo chat` deals with itself, as something to wait for. Blocked while one of these lives.
final class ChatSignals {
    private static let all = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGWINCH, SIGTSTP, SIGCONT,
    ]

    /// Readable once a signal has come.
    let descriptor: CInt
    private var previous = sigset_t()

    init() throws(Failure) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in Self.all { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &previous)
        descriptor = signalfd(-1, &signals, CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        guard descriptor >= 0 else {
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            throw Failure(.failed, "no signalfd: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        _ = drain()
        close(descriptor)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }

    /// The signals that have come.
    func drain() -> [CInt] {
        var signals: [CInt] = []
        // struct signalfd_siginfo: 128 bytes, the number first.
        var information = [UInt32](repeating: 0, count: 32)
        while read(descriptor, &information, 128) == 128 { signals.append(CInt(clamping: information[0])) }
        return signals
    }

    /// Stops the foreground job as the terminal's Ctrl-Z would, and returns when it goes on. Where no shell with job
    /// control could let it go on, the kernel leaves it running.
    func stop() {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, SIGTSTP)
        // Blocked, it would only be noted: it stops us at the unblocking, with its own meaning.
        kill(0, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &one, nil)
        pthread_sigmask(SIG_BLOCK, &one, nil)
    }
}
