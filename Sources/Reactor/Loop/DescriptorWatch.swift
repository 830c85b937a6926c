import Glibc

/// Watches a descriptor that another library owns, and says each turn that it can be read, or that the peer has gone. It lives
/// until `close()`, even if no reference to it is left.
@ReactorActor public final class DescriptorWatch {
    private let fd: CInt
    private var body: (@ReactorActor () -> Void)?

    /// - Parameter fd: stays the caller's, who closes it after `close()`.
    /// - Throws: what epoll says to it.
    public init(_ fd: CInt, _ body: @escaping @ReactorActor () -> Void) throws(SocketError) {
        self.fd = fd
        self.body = body
        try EventLoop.shared.watch(fd, self, .input)
    }

    /// Watches for the end alone: the peer has finished writing, or both directions are over.
    /// - Parameter fd: stays the caller's, who closes it after `close()`.
    /// - Throws: what epoll says to it.
    public init(endOf fd: CInt, _ body: @escaping @ReactorActor () -> Void) throws(SocketError) {
        self.fd = fd
        self.body = body
        try EventLoop.shared.watch(fd, self, .peerFinished)
    }

    /// Stops watching.
    public func close() {
        guard body != nil else { return }
        body = nil
        EventLoop.shared.forget(fd)
    }
}

extension DescriptorWatch: EventSource {
    // The watch is level-triggered: what is left unread is reported again.
    func ready(_ events: Readiness) { body?() }
}
