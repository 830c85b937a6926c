import CLinux
import Glibc

/// Turns Ctrl-C, SIGTERM and SIGHUP into something that can be waited for together with the daemon, so that the terminal
/// is put in order before the program ends.
///
/// The signals are blocked only while one of these lives: elsewhere they end the program at once, as people expect.
final class Interrupts {
    /// Readable once a signal has come, or the reader is gone; −1 if the system has no more descriptors.
    let descriptor: CInt
    private let signals: CInt
    private var previous = sigset_t()

    /// - Parameter output: a descriptor for output. If nobody reads from it any more (`| head` has ended), that counts as a signal:
    ///   a program that has nothing to write would never notice.
    init(noticingReaderOf output: CInt? = nil) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, &previous)
        signals = signalfd(-1, &set, CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        descriptor = epoll_create1(CInt(O_CLOEXEC))
        guard signals >= 0, descriptor >= 0 else {
            pthread_sigmask(SIG_SETMASK, &previous, nil)
            return
        }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        epoll_ctl(descriptor, EPOLL_CTL_ADD, signals, &event)
        guard let output else { return }
        // Errors and hang-ups are reported in any case. A file has neither, and is refused here.
        event.events = 0
        epoll_ctl(descriptor, EPOLL_CTL_ADD, output, &event)
    }

    /// Waits for a signal, no longer than this.
    func comes(within limit: Duration) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, CInt(clamping: limit.milliseconds)) > 0
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        guard signals >= 0 else { return }
        // A signal that came is taken, or unblocking would deliver it after all.
        var information = [UInt8](repeating: 0, count: 128)
        while read(signals, &information, information.count) > 0 {}
        close(signals)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
}
