import Basics
import Glibc
import Reactor

/// Connections that the parser doesn't have yet: they have sent nothing, or there is no room for them. Whoever can
/// reach the socket can open connections and stay silent, so these take no room inside.
@ReactorActor final class WaitingRoom {
    private let limits: HTTPLimits
    private var table = ConnectionTable<CInt>()
    private var watches: [CInt: DescriptorWatch] = [:]
    private var timer: (token: TimerToken, at: Instant)?
    /// Takes a connection inside, and then owns it; false if there is no room.
    private let enter: @ReactorActor (CInt) -> Bool
    /// Called for each one that finds no room inside.
    private let isFull: @ReactorActor () -> Void
    /// Called for each connection that is ended because it was silent, or made way.
    private let onEnd: @ReactorActor () -> Void
    /// Called for each connection before it is closed here.
    private let onClose: @ReactorActor (CInt) -> Void

    init(
        limits: HTTPLimits,
        enter: @escaping @ReactorActor (CInt) -> Bool, isFull: @escaping @ReactorActor () -> Void,
        onEnd: @escaping @ReactorActor () -> Void, onClose: @escaping @ReactorActor (CInt) -> Void
    ) {
        self.limits = limits
        self.enter = enter
        self.isFull = isFull
        self.onEnd = onEnd
        self.onClose = onClose
    }

    /// Lets a connection in as soon as it says something. Owns it.
    func accept(_ fd: CInt) {
        let hasSpoken = hasSpoken(fd)
        if hasSpoken, enter(fd) { return }
        if table.count >= limits.waiting, let oldest = table.oldest(.silent, .waiting) {
            onEnd()
            end(oldest)
        }
        guard !hasSpoken else { return wait(fd) }
        table.set(fd, .silent, until: Reactor.shared.now + .seconds(limits.silentSeconds))
        do throws(SocketError) {
            watches[fd] = try DescriptorWatch(fd) { [unowned self] in isReadable(fd) }
        } catch {
            return end(fd)
        }
        lookLater()
    }

    /// How many wait for room.
    var waiting: Int { table.count(of: .waiting) }

    /// Lets those in that wait, the first first, as long as there is room.
    func thereIsRoom() {
        while let fd = table.oldest(.waiting), enter(fd) { table.remove(fd) }
    }

    private func isReadable(_ fd: CInt) {
        watches.removeValue(forKey: fd)?.close()
        // The end of a connection is no request.
        guard hasSpoken(fd) else { return end(fd) }
        if enter(fd) { table.remove(fd) } else { wait(fd) }
    }

    private func wait(_ fd: CInt) {
        table.set(fd, .waiting, until: Reactor.shared.now + .seconds(limits.roomSeconds))
        isFull()
        lookLater()
    }

    private func hasSpoken(_ fd: CInt) -> Bool {
        var byte: UInt8 = 0
        return recv(fd, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) == 1
    }

    private func end(_ fd: CInt) {
        watches.removeValue(forKey: fd)?.close()
        table.remove(fd)
        onClose(fd)
        close(fd)
    }

    private func lookLater() {
        guard let next = table.next else { return }
        if let timer, timer.at <= next { return }
        timer?.token.cancel()
        let token = Reactor.shared.schedule(at: next) { [unowned self] in
            timer = nil
            for fd in table.due(Reactor.shared.now) {
                onEnd()
                end(fd)
            }
            lookLater()
        }
        timer = (token, next)
    }
}
