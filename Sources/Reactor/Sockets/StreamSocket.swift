import Basics
import CLinux
import Glibc

/// A connected stream: TCP or Unix.
///
/// An open stream keeps itself and its handler alive until it is closed or detached. Output is collected over a turn and
/// written with one system call at its end. Data that the peer sent before it hung up is always delivered first, unless
/// reading is paused when writing fails.
@ReactorActor public final class StreamSocket: StreamOfTurn {
    enum Phase { case connecting, open, closed, detached }

    let fd: CInt
    private let isUnix: Bool
    private(set) var phase: Phase
    private var handler: (any StreamHandler)?
    private let loop = EventLoop.shared
    private var isWatched = false
    private var timer: TimerToken?
    private var knownRemote: SocketAddress?
    private var knownLocal: SocketAddress?

    // Reading.
    private var isPaused = false
    /// The kernel may have data for us: an edge sets this, reading everything clears it.
    private var mayRead = false
    /// The end or an error waits behind the data, so a short read does not mean that nothing is left.
    private var endIsNear = false
    private var sawEnd = false
    private var isHungUp = false
    private var comesAgain = false
    /// Descriptors that came with bytes, in their order; nil: they are not taken.
    private var descriptors: [CInt]?

    // Writing.
    private var output = OutputQueue()
    private var isMarkedForWriting = false
    private var waitsForOutput: Bool
    private var isOverHighWater = false
    private var wantsFinish = false
    private var hasFinished = false
    /// The handler gets nothing any more but the farewell; what arrives is thrown away.
    private var isLingering = false
    /// Why writing failed. The stream ends with this error as soon as the rest is read.
    private var failure: SocketError?

    init(fd: CInt, phase: Phase, remote: SocketAddress?, handler: any StreamHandler) {
        precondition(fd >= 0)
        self.fd = fd
        isUnix = SystemCalls.option(fd, SOL_SOCKET, SO_DOMAIN) == AF_UNIX
        self.phase = phase
        self.handler = handler
        knownRemote = remote
        waitsForOutput = phase == .connecting
        do {
            try loop.watch(fd, self, interest)
            isWatched = true
        } catch {
            terminate(error)
        }
    }

    /// Takes over a connected stream descriptor (from a listener or a socketpair) and closes it in the end. If epoll
    /// refuses it, the handler learns that through `streamDidClose`.
    public convenience init(adopting fd: CInt, handler: any StreamHandler) {
        SystemCalls.setBlocking(fd, false)
        _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
        SystemCalls.disableNagle(fd)
        SystemCalls.capRetransmissionPause(fd)
        self.init(fd: fd, phase: .open, remote: nil, handler: handler)
    }

    /// Starts the timer that ends an attempt to connect, or the flushing of a stream that is to close.
    func setTimer(_ duration: Duration, _ body: @escaping @ReactorActor () -> Void) {
        timer?.cancel()
        timer = loop.timers.insert(deadline: loop.now + duration, body)
    }

    // MARK: What the owner asks

    /// Takes descriptors that come over a Unix socket from now on (SCM_RIGHTS); otherwise the kernel closes them.
    public func acceptDescriptors() { descriptors = descriptors ?? [] }

    /// The next descriptor that came, which the caller owns then; it is here no later than the first of its bytes.
    public func nextDescriptor() -> CInt? { descriptors?.isEmpty == false ? descriptors?.removeFirst() : nil }

    /// Bytes that are queued and not yet in the kernel.
    public var bufferedBytes: Int { output.count }

    /// Whether the stream has not ended yet.
    public var isOpen: Bool { phase == .connecting || phase == .open }

    /// Queues bytes. They are written at the end of the turn, once the connection is established, or when there is room
    /// again. Has no effect after `finish()`, `closeAfterFlush(deadline:)` or the end of the stream.
    public func send(_ bytes: [UInt8]) { queue { $0.append(bytes) } }

    /// Queues bytes of a Unix stream and a descriptor that goes with the first of them, and holds it until then. If the
    /// system refuses to have more descriptors under way (the peer takes none), the stream ends with that error.
    public func send(_ bytes: [UInt8], with descriptor: Descriptor) { queue { $0.append(bytes, with: descriptor) } }

    private func queue(_ append: (inout OutputQueue) -> Void) {
        guard isOpen, !wantsFinish, failure == nil else { return }
        append(&output)
        if output.count > ReactorLimits.highWaterBytes { isOverHighWater = true }
        markForWriting()
    }

    /// Descriptors that are queued and not yet in the kernel.
    public var bufferedDescriptors: Int { output.descriptors }

    /// Stops reading. The kernel's buffer fills, and the peer has to wait.
    public func pauseReading() { isPaused = true }

    /// Reads again, from the next turn.
    public func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        if mayRead { comeAgain() }
    }

    /// Half-closes once everything queued is written: the peer reads the end, and can still send.
    public func finish() {
        guard isOpen, !wantsFinish else { return }
        wantsFinish = true
        markForWriting()
    }

    /// Closes at once and drops what is queued. The handler gets `streamDidClose(nil)` at the end of the turn.
    public func close() { terminate(nil) }

    /// Writes what is queued, half-closes, waits for the peer to end too, and closes. The handler gets only the
    /// farewell, with `.timedOut` if something was still unwritten at `deadline`.
    ///
    /// The wait is needed because closing a TCP socket resets the connection while data of the peer's is under way, and
    /// the reset may overtake our last bytes.
    public func closeAfterFlush(deadline: Duration) {
        guard isOpen, !isLingering else { return }
        isLingering = true
        wantsFinish = true
        setTimer(deadline) { [self] in terminate(output.isEmpty ? nil : .timedOut) }
        markForWriting()
        if mayRead { comeAgain() }
    }

    /// Takes the descriptor out of the reactor and makes it blocking. The caller owns it then, and the handler gets no
    /// more calls. Every byte that the reactor read was delivered; the rest is still in the kernel.
    /// - Returns: nil, with nothing changed, if the stream is not open or cannot write all that is queued at once.
    public func detach() -> CInt? {
        guard phase == .open, !wantsFinish, failure == nil else { return nil }
        flush()
        guard phase == .open, output.isEmpty, failure == nil else { return nil }
        loop.forget(fd)
        isWatched = false
        phase = .detached
        handler = nil
        timer?.cancel()
        SystemCalls.setBlocking(fd, true)
        return fd
    }

    /// The address of our end; nil for Unix, and before the connection is established.
    public var localAddress: SocketAddress? {
        if knownLocal == nil, phase == .open { knownLocal = AddressCoding.ask(fd, getsockname) }
        return knownLocal
    }

    /// The peer's address; nil for Unix.
    public var remoteAddress: SocketAddress? {
        if knownRemote == nil, phase == .open { knownRemote = AddressCoding.ask(fd, getpeername) }
        return knownRemote
    }

    /// The process at the other end of a Unix socket, as the kernel noted it when it connected; nil for TCP and after
    /// the end.
    public var peerCredentials: PeerCredentials? {
        guard phase == .open, isUnix else { return nil }
        var pid = pid_t()
        var uid = uid_t()
        var gid = gid_t()
        guard kibo_peer_credentials(fd, &pid, &uid, &gid) == 0 else { return nil }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }

    // MARK: The end

    /// Closes the descriptor now, and tells the handler at the end of the turn.
    func terminate(_ error: SocketError?) {
        guard isOpen else { return }
        if isWatched { loop.forget(fd) }
        isWatched = false
        SystemCalls.liftRetransmissionCap(fd)
        Glibc.close(fd)
        phase = .closed
        failure = error
        output.removeAll()
        while let descriptor = nextDescriptor() { Glibc.close(descriptor) }
        timer?.cancel()
        loop.sayFarewell(self)
    }

    func sayFarewell() {
        let last = handler
        handler = nil
        last?.streamDidClose(failure)
    }
}

/// Process, user and group of a Unix socket's peer.
public struct PeerCredentials: Hashable, Sendable {
    /// The process that connected or listened; it may be gone by now.
    public let pid: pid_t
    /// Its effective user then.
    public let uid: uid_t
    /// Its effective group then.
    public let gid: gid_t
}

// MARK: - Events

extension StreamSocket: EventSource {
    private var interest: Readiness {
        // Output is watched only while something waits for it: a Unix socket reports room at every read of the peer's.
        waitsForOutput ? [.input, .peerFinished, .edgeTriggered, .output] : [.input, .peerFinished, .edgeTriggered]
    }

    func ready(_ events: Readiness) {
        if events.isEmpty { comesAgain = false }
        if phase == .connecting {
            guard !events.isDisjoint(with: [.output, .failure, .hangUp]) else { return }
            finishConnecting()
        }
        guard phase == .open else { return }
        if !events.isDisjoint(with: [.input, .peerFinished, .hangUp, .failure]) { mayRead = true }
        if !events.isDisjoint(with: [.peerFinished, .hangUp, .failure]) { endIsNear = true }
        if !events.isDisjoint(with: [.hangUp, .failure]) { isHungUp = true }
        if waitsForOutput, !events.isDisjoint(with: [.output, .hangUp, .failure]) {
            flush()
            tellDrained()
        }
        read()
        if phase == .open, sawEnd, isHungUp { endAfterHangUp() }
    }

    private func finishConnecting() {
        let code = SystemCalls.pendingError(fd)
        guard code == 0 else { return terminate(.system("connect", code)) }
        phase = .open
        // A lingering stream's timer is the linger's and not the attempt's.
        if !isLingering { timer?.cancel() }
        waitsForOutput = false
        loop.change(fd, interest)
        if !isLingering { handler?.streamDidConnect() }
        if !output.isEmpty || wantsFinish { markForWriting() }
    }

    private func comeAgain() {
        if comesAgain { return }
        comesAgain = true
        loop.again(self)
    }

    private func read() {
        var budget = ReactorLimits.readBudgetPerTurn
        while phase == .open, mayRead, !sawEnd, !isPaused || isLingering {
            if budget <= 0 { return comeAgain() }
            let count = receive()
            if count > 0 {
                budget -= count
                // A short read of TCP means that nothing is left; one of a Unix stream also ends where a descriptor came.
                if count < ReactorLimits.readBufferBytes && !endIsNear && !isUnix { mayRead = false }
                if !isLingering { handler?.streamDidReceive(loop.readBuffer[0..<count]) }
            } else if count == 0 {
                reachEnd()
            } else if errno == EAGAIN {
                mayRead = false
                endIsNear = false
                if let failure { terminate(failure) }
            } else {
                terminate(failure ?? .system("read", errno))
            }
        }
        // The end was already known when writing failed.
        if phase == .open, sawEnd, let failure { terminate(failure) }
    }

    private func receive() -> Int {
        guard descriptors != nil else { return loop.withReadBuffer { SystemCalls.receive(fd, $0) } }
        var descriptor: CInt = -1
        let count = loop.withReadBuffer { kibo_receive_descriptor(fd, $0.baseAddress, $0.count, &descriptor) }
        if descriptor >= 0 { descriptors?.append(descriptor) }
        return count
    }

    private func reachEnd() {
        sawEnd = true
        mayRead = false
        if let failure { return terminate(failure) }
        if !isLingering { handler?.streamDidEnd() }
        if phase == .open, hasFinished { terminate(nil) }
    }

    /// Ends a stream whose peer will not read or send any more.
    private func endAfterHangUp() {
        let code = SystemCalls.pendingError(fd)
        if code != 0 { return terminate(.system("read", code)) }
        terminate(output.isEmpty ? nil : .system("write", EPIPE))
    }

    // MARK: Writing

    private func markForWriting() {
        guard phase == .open, !waitsForOutput, !isMarkedForWriting else { return }
        isMarkedForWriting = true
        loop.writeAtEndOfTurn(self)
    }

    func flushAtEndOfTurn() {
        isMarkedForWriting = false
        flush()
        tellDrained()
    }

    private func flush() {
        guard phase == .open, failure == nil else { return }
        while !output.isEmpty {
            let (count, offered) = output.withPieces { (SystemCalls.send(fd, $0, with: $2), $1) }
            if count < 0 && errno != EAGAIN { return failWriting(.system("write", errno)) }
            if count > 0 { output.drop(count) }
            if count < offered { return waitForOutput(true) }
        }
        waitForOutput(false)
        guard wantsFinish, !hasFinished else { return }
        shutdown(fd, CInt(SHUT_WR))
        hasFinished = true
        if sawEnd { terminate(nil) }
    }

    private func waitForOutput(_ waits: Bool) {
        if waits == waitsForOutput { return }
        waitsForOutput = waits
        loop.change(fd, interest)
    }

    private func failWriting(_ error: SocketError) {
        // A peer may have answered and hung up: its answer is read first. An owner that paused reading does not want
        // it, so the stream ends at once.
        if isPaused && !isLingering { return terminate(error) }
        failure = error
        output.removeAll()
        mayRead = true
        endIsNear = true
        comeAgain()
    }

    private func tellDrained() {
        guard phase == .open, isOverHighWater, output.count < ReactorLimits.lowWaterBytes else { return }
        isOverHighWater = false
        if !isLingering { handler?.streamDidDrain() }
    }
}
