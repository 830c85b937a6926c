import CLinux
import Glibc

/// Reports when an interface or an address of this host comes, goes or changes, through a routing socket on the
/// reactor. It lives until `close()`, even if no reference to it is left.
///
/// It doesn't say what has changed: one replugged cable makes a dozen messages, and a burst may lose some. The caller
/// waits a moment and then looks at ``NetworkInterfaces/list()``.
@ReactorActor public final class InterfaceWatcher: EventSource {
    private let fd: CInt
    private var body: (@ReactorActor () -> Void)?

    /// Watches from now on.
    /// - Parameter body: called once for all that came in a turn.
    /// - Throws: `.system` where the kernel has no such socket, or this process may not open one.
    public init(_ body: @escaping @ReactorActor () -> Void) throws(SocketError) {
        fd = kibo_link_changes()
        guard fd >= 0 else { throw .system("socket", errno) }
        self.body = body
        do {
            try EventLoop.shared.watch(fd, self, .input)
        } catch {
            Glibc.close(fd)
            throw error
        }
    }

    /// Stops watching.
    public func close() {
        guard body != nil else { return }
        body = nil
        EventLoop.shared.forget(fd)
        Glibc.close(fd)
    }

    func ready(_ events: Readiness) {
        guard body != nil, kibo_drain_link_changes(fd) > 0 else { return }
        body?()
    }
}
