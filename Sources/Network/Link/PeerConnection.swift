import Basics
import Messaging
import PeerProtocol
import Reactor
import Transfer
import Vocabulary

/// Why a connection to a peer ended before or after its handshake.
package enum ConnectionFailure: Error, Equatable, CustomStringConvertible {
    /// No host answers at that address, or the network refuses the way there.
    case unreachable(String)
    /// The handshake that we began was not finished in time.
    case timeout
    /// The handshake failed or a record was forged.
    case channel(ChannelError)
    /// The connection ended without a goodbye.
    case interrupted(String)
    /// It came to an end that has a word of its own.
    case ended(DialProblem)
    /// This side ended it.
    case closed
    /// Another account or device answered than was expected.
    case wrongPeer

    /// The failure in the form that clients get.
    package var dial: FailedDial {
        switch self {
        case .unreachable(let what): FailedDial(.unreachable, detail: what)
        case .interrupted(let what): FailedDial(.interrupted, detail: what)
        case .timeout, .channel(.handshakeTimeout): FailedDial(.noAnswer)
        case .ended(let problem): FailedDial(problem)
        case .closed: FailedDial(.closed)
        case .wrongPeer, .channel(.unexpected): FailedDial(.otherPeer)
        case .channel(.notKibo): FailedDial(.notKibo)
        case .channel(.unsupportedVersion(let version)): FailedDial(.otherVersion, detail: "\(version)")
        case .channel(.realmMismatch): FailedDial(.otherRealm)
        case .channel(.ourselves): FailedDial(.ourselves)
        case .channel(.copy): FailedDial(.copy)
        case .channel(.identity(.clocksApart(_, _, let days))):
            FailedDial(.wrongClock, detail: "about \(IdentityError.offset(days)) ours")
        case .channel(.noKnock): FailedDial(.noKey)
        case .channel(let error): FailedDial(.handshake, detail: "\(error)")
        }
    }

    package var description: String { dial.text }
}

/// Decides what becomes of a connection once it is known who is at the other end.
@ReactorActor package protocol PeerConnectionOwner: AnyObject {
    func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose)
    func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure)
}

/// Reads what an established session connection carries.
@ReactorActor package protocol PeerConnectionReader: AnyObject {
    func receive(_ plaintext: [UInt8])
    func connectionEnded(_ failure: ConnectionFailure)
}

/// One TCP connection to a peer: a ``StreamSocket`` and the ``SecureChannel`` on it.
///
/// It joins a machine of PeerProtocol with a socket. Nothing here decides what a frame means.
@ReactorActor package final class PeerConnection: StreamHandler {
    package let remoteAddress: SocketAddress?
    package let isDialled: Bool
    package let beganAt: Instant
    package private(set) var peer: PeerIdentity?
    private var socket: StreamSocket?
    private var channel: SecureChannel
    private weak var owner: (any PeerConnectionOwner)?
    package weak var reader: (any PeerConnectionReader)?
    private var deadline: TimerToken?
    private var hasEnded = false
    private let clocks: any Clocks

    /// Dials a peer. The owner hears of success or failure later, never from within this call.
    /// - Parameter way: the interface through which to dial, or why not at all.
    package init(
        dialling address: SocketAddress, purpose: ChannelPurpose, identity: LocalIdentity, realmKey: RealmKey?,
        knock: Knock?, isExpected: PeerCheck?, way: InterfaceChoice.Way, owner: any PeerConnectionOwner,
        clocks: any Clocks
    ) {
        remoteAddress = address
        isDialled = true
        beganAt = clocks.now
        self.owner = owner
        self.clocks = clocks
        channel = SecureChannel(
            dialling: purpose, identity: identity, realmKey: realmKey, knock: knock, isExpected: isExpected,
            now: clocks.now)
        var device: String?
        switch way {
        case .free: break
        case .through(let name): device = name
        case .barred(let why):
            Reactor.shared.post { self.end(.unreachable(why)) }
            return
        }
        do {
            socket = try StreamSocket.connect(
                to: address, through: device, timeout: NetworkLimits.connectTime, handler: self)
        } catch {
            let failure = ConnectionFailure.unreachable("\(error)")
            Reactor.shared.post { self.end(failure) }
        }
        armDeadline()
    }

    /// Takes over an accepted connection.
    package init(
        accepted file: CInt, from address: SocketAddress?, identity: LocalIdentity, realmKey: RealmKey?,
        doorkeeper: Doorkeeper?, owner: any PeerConnectionOwner, clocks: any Clocks
    ) {
        remoteAddress = address
        isDialled = false
        beganAt = clocks.now
        self.owner = owner
        self.clocks = clocks
        channel = SecureChannel(
            accepting: identity, realmKey: realmKey, doorkeeper: doorkeeper, now: clocks.now)
        socket = StreamSocket(adopting: file, handler: self)
        armDeadline()
    }

    /// Bytes that wait to be written.
    package var bufferedBytes: Int { socket?.bufferedBytes ?? 0 }
    package var localAddress: SocketAddress? { socket?.localAddress }

    /// Encrypts and queues bytes.
    package func send(_ plaintext: [UInt8]) {
        guard !hasEnded else { return }
        do {
            let sealed = try channel.seal(plaintext)
            Traffic.send(sealed.count)
            socket?.send(sealed)
        } catch {
            end(.channel(error))
        }
    }

    package func pauseReading() { socket?.pauseReading() }
    package func resumeReading() { socket?.resumeReading() }

    /// Writes what is queued, then closes. The reader hears nothing more.
    package func closeAfterFlush() {
        guard !hasEnded else { return }
        hasEnded = true
        deadline?.cancel()
        socket?.closeAfterFlush(deadline: .seconds(2))
        socket = nil
    }

    /// Closes at once and tells the owner or reader `failure`.
    package func end(_ failure: ConnectionFailure) {
        guard !hasEnded else { return }
        hasEnded = true
        deadline?.cancel()
        socket?.close()
        socket = nil
        if peer == nil {
            owner?.connection(self, endedBeforeEstablished: failure)
        } else {
            reader?.connectionEnded(failure)
        }
    }

    /// Hands over the descriptor with the keys, for a thread of its own. Nil if the connection is gone.
    package func detachBulk() -> BulkConnection? {
        guard !hasEnded, let socket else { return nil }
        hasEnded = true
        deadline?.cancel()
        let local = localAddress
        self.socket = nil
        let leftover = channel.leftover
        guard let transport = try? channel.detachTransport(), let file = socket.detach() else {
            socket.close()
            return nil
        }
        let bulk = BulkConnection(fd: file, transport: transport, leftover: leftover)
        BulkConnections.shared.add(bulk, from: local?.host)
        return bulk
    }

    // MARK: StreamHandler

    package func streamDidConnect() {
        do { socket?.send(try channel.start()) } catch { end(.channel(error)) }
    }

    package func streamDidReceive(_ bytes: ArraySlice<UInt8>) {
        guard !hasEnded else { return }
        Traffic.receive(bytes.count)
        do {
            for effect in try channel.receive(bytes, now: clocks.now, wallTime: clocks.wallTime) {
                guard !hasEnded else { return }
                switch effect {
                case .send(let bytes): socket?.send(bytes)
                case .established(let peer, let purpose):
                    self.peer = peer
                    deadline?.cancel()
                    owner?.connection(self, established: peer, purpose: purpose)
                case .plaintext(let bytes):
                    InteractivePriority.shared.claim()
                    reader?.receive(bytes)
                }
            }
        } catch {
            end(.channel(error))
        }
    }

    package func streamDidEnd() {
        let isEarly = peer == nil && isDialled
        end(isEarly ? .ended(.hungUp) : .interrupted("the peer closed the connection without a goodbye"))
    }

    package func streamDidClose(_ error: SocketError?) {
        let reason = error.map { "\($0)" } ?? "closed"
        end(peer == nil && isDialled ? .unreachable(reason) : .interrupted(reason))
    }

    private func armDeadline() {
        guard let at = channel.nextDeadline else { return }
        deadline = Reactor.shared.schedule(at: at) { [weak self] in
            guard let self else { return }
            end(isDialled ? .timeout : .channel(.handshakeTimeout))
        }
    }
}
