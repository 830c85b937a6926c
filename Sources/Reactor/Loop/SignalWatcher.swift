import CLinux
import Glibc

/// Turns signals into calls on the reactor thread. It lives until `close()`, even if no reference to it is left.
/// Several watchers of one signal all get it. While a signal is watched it has no other effect on the process.
@ReactorActor public final class SignalWatcher {
    private let signals: [CInt]
    private var body: (@ReactorActor (CInt) -> Void)?

    /// Watches `signals` (SIGTERM, SIGHUP, …).
    /// - Throws: `.system` for a signal that cannot be caught (EINVAL), or when there is no descriptor left.
    public init(_ signals: [CInt], _ body: @escaping @ReactorActor (CInt) -> Void) throws(SocketError) {
        self.signals = signals
        self.body = body
        try SignalHub.shared.add(self, signals)
    }

    /// Stops watching. A signal without a watcher does again what it did before.
    public func close() {
        guard body != nil else { return }
        body = nil
        SignalHub.shared.remove(self, signals)
    }

    /// Ignores SIGPIPE in the whole process. The reactor's sockets never raise it; pipes and other libraries' sockets may.
    public nonisolated static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    fileprivate func hear(_ signal: CInt) { body?(signal) }
}

/// The one reader of the process's signal pipe.
@ReactorActor private final class SignalHub: EventSource {
    static let shared = SignalHub()
    private var watchers: [CInt: [SignalWatcher]] = [:]
    private var pipe: CInt = -1

    private init() {}

    func add(_ watcher: SignalWatcher, _ signals: [CInt]) throws(SocketError) {
        if pipe < 0 {
            let fd = kibo_signal_pipe()
            guard fd >= 0 else { throw .system("pipe2", errno) }
            try EventLoop.shared.watch(fd, self, .input)
            pipe = fd
        }
        for (position, signal) in signals.enumerated() {
            guard kibo_signal_catch(signal) == 0 else {
                let code = errno
                remove(watcher, Array(signals[..<position]))
                if watchers[signal] == nil { kibo_signal_release(signal) }
                throw .system("sigaction", code)
            }
            watchers[signal, default: []].append(watcher)
        }
    }

    func remove(_ watcher: SignalWatcher, _ signals: [CInt]) {
        for signal in signals {
            watchers[signal]?.removeAll { $0 === watcher }
            if watchers[signal]?.isEmpty == true {
                watchers[signal] = nil
                kibo_signal_release(signal)
            }
        }
    }

    func ready(_ events: Readiness) {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(pipe, &numbers, numbers.count)
        guard count > 0 else { return }
        for number in numbers[..<count] {
            for watcher in watchers[CInt(number)] ?? [] { watcher.hear(CInt(number)) }
        }
    }
}
