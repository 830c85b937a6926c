import Basics
import CLinux
import Crypto
import Glibc
import Vocabulary

/// The first message of the side that dialled.
public enum BulkGreeting: Hashable, Sendable {
    /// It wants to receive this transfer: give the request to the ``SendJob`` for it.
    case open(OpenRequest)
    /// It wants to send this transfer: give the connection to the ``ReceiveJob`` for it.
    case call(transfer: UUIDv7)
    /// It wants what we have of a group's file: give the request to the ``SwarmUploader`` for it.
    case pieces(PieceRequest)
}

/// A connection for one transfer, after its handshake. It owns the descriptor and closes it.
///
/// It is a class because it goes from the reactor to the transfer's thread inside a closure.
public final class BulkConnection: @unchecked Sendable {  // Owner: one thread at a time, in the end the job's.
    let socket: CInt
    let input: ByteInput
    private var transport: NoiseTransport
    private var message: [UInt8] = []
    private var isClosed = false
    private let greetingSwitch = StopSwitch()
    private let lineSwitch = StopSwitch()

    /// - Parameters:
    ///   - fd: connected; made blocking here.
    ///   - leftover: bytes that were read beyond the end of the handshake.
    public init(fd: CInt, transport: consuming NoiseTransport, leftover: [UInt8]) {
        socket = fd
        self.transport = transport
        input = ByteInput(socket: fd, leftover: leftover, capacity: 2 * TransferLimits.readAheadBytes + 2)
        let flags = fcntl(fd, F_GETFL)
        if flags >= 0 { _ = fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) }
        var one: CInt = 1
        // On a Unix socket these calls fail, which does no harm.
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, socklen_t(MemoryLayout<CInt>.size))
        // With keep-alive, a side that only waits also notices that the other host has gone without closing.
        var (idle, interval, probes) = TransferLimits.keepAlive
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_KEEPIDLE, &idle, socklen_t(MemoryLayout<CInt>.size))
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_KEEPINTVL, &interval, socklen_t(MemoryLayout<CInt>.size))
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_KEEPCNT, &probes, socklen_t(MemoryLayout<CInt>.size))
        var unacknowledged = CInt(TransferLimits.stallSeconds * 1000)
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &unacknowledged, socklen_t(MemoryLayout<CInt>.size))
        setTimeout(seconds: TransferLimits.stallSeconds)
        lineSwitch.guardSocket(fd)
    }

    deinit { close() }

    /// Ends the wait for the greeting; any thread may call it. A job has a switch of its own.
    public func cancel() { greetingSwitch.stop() }

    /// Reports from another thread that the connection's network is gone. Everything under way on the connection fails
    /// at once, as an interruption.
    public func interrupt() { lineSwitch.stop() }

    /// The time since the other side's kernel last sent anything, even an acknowledgement. Nil if it can't be told.
    public var silence: Duration? {
        let milliseconds = lineSwitch.ask { kibo_tcp_silence($0) } ?? -1
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    /// Reads the first message of a connection that the other side dialled. Blocks for at most
    /// ``TransferLimits/greetingSeconds``, even if the message comes byte by byte.
    public func receiveGreeting() throws(TransferFailure) -> BulkGreeting {
        greetingSwitch.guardSocket(socket)
        defer { greetingSwitch.release() }
        let deadline = SystemClocks().now + .seconds(TransferLimits.greetingSeconds)
        var greeting = try receiveIfAvailable()
        while greeting == nil {
            let left = (deadline - SystemClocks().now).milliseconds
            guard left > 0 else { throw .interrupted("no greeting in time") }
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            _ = poll(&state, 1, CInt(clamping: left))
            greeting = try receiveIfAvailable()
        }
        switch greeting {
        case .open(let request): return .open(request)
        case .call(let transfer): return .call(transfer: transfer)
        case .pieces(let request): return .pieces(request)
        default: throw .invalid("a greeting of another kind")
        }
    }

    /// Sends the reason why there will be no transfer, and closes.
    public func reject(_ reason: Reason, detail: String) {
        try? send(.reject(reason, detail: detail))
        closeGently()
    }

    /// Tells a sender that called that everything is here, and closes.
    public func answerDone() {
        try? send(.done)
        closeGently()
    }

    /// Sets the seconds after which a blocking call counts as stalled.
    func setTimeout(seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ message: BulkMessage) throws(TransferFailure) {
        if transport.send.count > 0, transport.send.count % TransferLimits.messagesPerKey == 0 {
            transport.send.rekey()
        }
        let plain = message.encoded()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 + plain.count + TransferLimits.tagBytes)
        guard let length = UInt16(exactly: plain.count + TransferLimits.tagBytes) else {
            throw .invalid("message length")
        }
        bytes.appendBigEndian(length)
        do { try transport.send.seal(plain[...], appendingTo: &bytes) } catch { throw .interrupted("cipher: \(error)") }
        var failure: TransferFailure?
        bytes.withUnsafeBytes { raw in
            do throws(TransferFailure) { try sendAll(raw) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Waits for the next message.
    func receive() throws(TransferFailure) -> BulkMessage {
        let length = Int(UInt16(bigEndian: try input.require(2).loadUnaligned(as: UInt16.self)))
        let whole = try input.require(2 + length)
        return try open(whole)
    }

    /// Waits up to so many milliseconds for bytes beyond the buffered ones. Also true if the connection has broken.
    func waits(milliseconds: Int32) -> Bool {
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, milliseconds) != 0
    }

    /// The next message if all of it has arrived; nil otherwise.
    func receiveIfAvailable() throws(TransferFailure) -> BulkMessage? {
        if !hasMessage {
            guard try input.poll(), hasMessage else { return nil }
        }
        return try receive()
    }

    private var hasMessage: Bool {
        guard input.buffered >= 2, let prefix = try? input.require(2) else { return false }
        return input.buffered >= 2 + Int(UInt16(bigEndian: prefix.loadUnaligned(as: UInt16.self)))
    }

    private func open(_ whole: UnsafeMutableRawBufferPointer) throws(TransferFailure) -> BulkMessage {
        if transport.receive.count > 0, transport.receive.count % TransferLimits.messagesPerKey == 0 {
            transport.receive.rekey()
        }
        let sealed = Array(whole[2...])
        message.removeAll(keepingCapacity: true)
        do { try transport.receive.open(sealed[...], appendingTo: &message) } catch {
            throw .invalid("a message that can't be opened")
        }
        input.consume(whole.count)
        do { return try BulkMessage(decoding: message[...]) } catch { throw .invalid("a message that can't be read") }
    }

    /// Writes all bytes.
    func sendAll(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.send(socket, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
            if count > 0 {
                Traffic.send(count)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                continue
            }
            let code = errno
            if count < 0 && code == EINTR { continue }
            throw ByteInput.failure(count == 0 ? -1 : count, code)
        }
    }

    /// Ends our direction and reads what is still under way for a moment. Closing a socket with unread bytes would
    /// reset it, and the other side might never read our last message.
    func closeGently() {
        guard !isClosed else { return }
        shutdown(socket, CInt(SHUT_WR))
        setTimeout(seconds: 1)
        var sink = [UInt8](repeating: 0, count: TransferLimits.readAheadBytes)
        var left = Int(clamping: 2 * TransferLimits.window)
        let deadline = SystemClocks().now + .seconds(TransferLimits.farewellSeconds)
        while left > 0, SystemClocks().now < deadline {
            let count = recv(socket, &sink, sink.count, 0)
            guard count > 0 else { break }
            left -= count
        }
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        lineSwitch.release()
        // The caller may have capped TCP's retransmission pauses. The kernel gives up a closed socket whose pause has
        // reached the cap, and our last message would be lost.
        _ = kibo_limit_retransmission_pause(socket, TransferLimits.kernelsRetransmissionPause)
        _ = Glibc.close(socket)
    }
}
