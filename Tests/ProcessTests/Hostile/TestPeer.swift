import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Transfer
import Vocabulary

/// A person with a device of the test's own. It speaks the protocol as any client would, or in ways that none should.
struct TestPeer {
    let name: String
    let accountKey: SigningKey
    let deviceKey = SigningKey()
    let staticKey = AgreementKey()
    let certificate: DeviceCertificate
    let card: Card
    /// The port at which it can be dialled; 0 for none.
    var listenPort: UInt16 = 0

    /// - Parameters:
    ///   - account: the key of the account whose device this is; a new account's by default.
    ///   - email: the e-mail address on its card; nil for none.
    ///   - phone: the number on its card in E.164; nil for none.
    init(
        _ name: String = "Mallory", account: SigningKey = SigningKey(), listenPort: UInt16 = 0, email: String? = nil,
        phone: String? = nil
    ) throws {
        accountKey = account
        self.name = name
        self.listenPort = listenPort
        certificate = try DeviceCertificate.issue(
            by: accountKey, for: DeviceID(deviceKey.publicKey), name: "test", created: SystemClocks().wallTime)
        card = try Card.issue(
            by: deviceKey, certificate: certificate,
            profile: Card.Profile(displayName: name, email: email, phone: phone),
            version: 1)
    }

    var id: String { certificate.account.description }

    func identity() throws -> LocalIdentity {
        try LocalIdentity.make(
            deviceKey: deviceKey, certificate: certificate, staticKey: staticKey, now: SystemClocks().wallTime,
            listenPort: listenPort, softwareVersion: "test")
    }

    /// Dials and does the handshake.
    func connect(
        to daemon: DaemonProcess, purpose: ChannelPurpose = .session, from source: IPAddress? = nil
    ) throws -> PeerLink {
        let address = try #require(SocketAddress(try daemon.listenAddress))
        let link = PeerLink(
            try RawSocket(to: address, from: source),
            SecureChannel(dialling: purpose, identity: try identity(), now: SystemClocks().now))
        try link.start()
        return link
    }

    /// Dials and shows the card.
    func openSession(with daemon: DaemonProcess, from source: IPAddress? = nil) throws -> PeerLink {
        let link = try connect(to: daemon, from: source)
        link.send(Frame(kind: .card, body: card.encoded))
        return link
    }

    /// Opens a session and becomes a friend: it asks, has the daemon accept, and waits for the answer.
    /// - Parameter first: the body of a message that follows the answer at once.
    func befriend(
        _ daemon: DaemonProcess, first: [UInt8]? = nil, from source: IPAddress? = nil
    ) throws -> PeerLink {
        let link = try openSession(with: daemon, from: source)
        let request = Frame(kind: .contactRequest, id: freshID(), body: try ContactRequestBody().encoded())
        link.send(request)
        #expect(try link.receipt(for: request.id).status == .stored)
        // The answer to the peer may come before the one to the client, and the rest must not depend on this.
        let call = try daemon.client.send("contact.accept", ["id": .string(id)])
        try daemon.client.flush()
        _ = try link.frame(.contactAnswer)
        let first = first.map { Frame(kind: .message, id: freshID(), body: $0) }
        if let first { link.send(first) }
        _ = try daemon.client.reply(to: call, timeout: Patience.usual)
        if let first {
            let refusal = try link.refusal(of: first.id)
            #expect(refusal == nil, "\(String(describing: refusal))")
        }
        return link
    }
}

/// One connection of a ``TestPeer`` after its handshake. It answers pings and acknowledges what it reads, unless told
/// otherwise; the test does everything else. One thread uses it.
final class PeerLink {
    /// Thrown if the connection ended too early.
    struct Ended: Error {
        let wantedFor: String
    }

    /// Thrown if the wanted frame did not come in time.
    struct Silence: Error {
        let wantedFor: String
    }

    let socket: RawSocket
    private var channel: SecureChannel
    private var decoder = FrameDecoder()
    private var waiting: [Frame] = []
    private(set) var isEstablished = false
    private(set) var purpose: ChannelPurpose?
    /// The daemon, as it has shown itself in the handshake.
    private(set) var peer: PeerIdentity?
    /// All bytes that were written, so that a test can send them again.
    private(set) var written: [UInt8] = []
    /// The number of frames of each kind that have come.
    private(set) var counts: [FrameKind: Int] = [:]
    /// The newest frame of each kind, whether a test has waited for it or dropped it.
    private(set) var newest: [FrameKind: Frame] = [:]
    private var hasEnded = false
    /// Whether frames that want a receipt get one.
    var acknowledges = true

    init(_ socket: RawSocket, _ channel: consuming SecureChannel) {
        self.socket = socket
        self.channel = channel
    }

    /// Begins the handshake as the dialler.
    func start() throws {
        write(try channel.start())
        try finishHandshake()
    }

    /// Reads until the handshake is complete, on either side.
    func finishHandshake() throws {
        while !isEstablished { try receive(within: Patience.usual, wantedFor: "the handshake") }
    }

    private func write(_ bytes: [UInt8]) {
        written += bytes
        socket.write(bytes)
    }

    /// Sends frames. Returns false if the daemon is gone.
    @discardableResult
    func send(_ frames: Frame...) -> Bool { send(plaintext: frames.flatMap { $0.encoded() }) }

    @discardableResult
    func send(plaintext: [UInt8], within limit: Duration = .seconds(10)) -> Bool {
        guard let sealed = try? channel.seal(plaintext) else { return false }
        written += sealed
        return socket.write(sealed, within: limit)
    }

    /// Sends bytes that are not sealed.
    func send(raw bytes: [UInt8]) { socket.write(bytes) }

    /// Returns a plaintext as sealed records, without sending them.
    func seal(_ plaintext: [UInt8]) throws -> [UInt8] { try channel.seal(plaintext) }

    /// Returns the connection of a transfer, after a handshake for that purpose.
    func takeBulk() throws -> BulkConnection {
        let leftover = channel.leftover
        return BulkConnection(fd: socket.detach(), transport: try channel.detachTransport(), leftover: leftover)
    }

    private func receive(within limit: Duration, wantedFor what: String) throws {
        switch socket.read(within: limit) {
        case .silence: throw Silence(wantedFor: what)
        case .end:
            hasEnded = true
            throw Ended(wantedFor: what)
        case .bytes(let bytes):
            let clocks = SystemClocks()
            for effect in try channel.receive(bytes[...], now: clocks.now, wallTime: clocks.wallTime) {
                switch effect {
                case .send(let bytes): write(bytes)
                case .established(let peer, let purpose):
                    isEstablished = true
                    self.peer = peer
                    self.purpose = purpose
                case .plaintext(let bytes):
                    decoder.append(bytes)
                    while let frame = try decoder.next() { try take(frame) }
                }
            }
        }
    }

    private func take(_ frame: Frame) throws {
        counts[frame.kind, default: 0] += 1
        newest[frame.kind] = frame
        if frame.kind == .ping { send(Frame(kind: .pong)) }
        if frame.needsReceipt, acknowledges {
            send(Frame(kind: .receipt, body: try ReceiptBody(status: .stored, ids: [frame.id]).encoded()))
        }
        waiting.append(frame)
    }

    /// Returns the next frame that fits, and drops those before it.
    func frame(
        within limit: Duration = Patience.usual, _ what: String, where fits: (Frame) throws -> Bool
    ) throws -> Frame {
        let deadline = SystemClocks().now + limit
        while true {
            while !waiting.isEmpty {
                let frame = waiting.removeFirst()
                if try fits(frame) { return frame }
            }
            try receive(within: deadline - SystemClocks().now, wantedFor: what)
        }
    }

    func frame(_ kind: FrameKind, within limit: Duration = Patience.usual) throws -> Frame {
        try frame(within: limit, "\(kind)") { $0.kind == kind }
    }

    /// Returns the daemon's receipt for one of our frames.
    func receipt(for id: UUIDv7, within limit: Duration = Patience.usual) throws -> ReceiptBody {
        let found = try frame(within: limit, "a receipt") { frame in
            try frame.kind == .receipt && ReceiptBody(decoding: frame.body).ids.contains(id)
        }
        return try ReceiptBody(decoding: found.body)
    }

    /// Returns the reason for which one of our frames was refused; nil if it was not.
    func refusal(of id: UUIDv7) throws -> Reason? {
        guard case .refused(let refusal) = try receipt(for: id).status else { return nil }
        return refusal.reason
    }

    /// Sends a ping and waits for its answer: the daemon has read everything before it.
    func roundTrip() throws {
        send(Frame(kind: .ping))
        _ = try frame(.pong)
    }

    /// Reads until the daemon closes. Returns the reason that it gives, or nil.
    func closeReason(within limit: Duration = Patience.usual) throws -> CloseReason? {
        do {
            return try CloseBody(decoding: frame(.close, within: limit).body).reason
        } catch is Ended {
            return nil
        }
    }
}

/// A fresh identifier.
func freshID() -> UUIDv7 {
    var random = SystemRandomNumberGenerator()
    return UUIDv7(at: SystemClocks().wallTime, using: &random)
}

/// A text as a message's body.
func textBody(_ text: String) throws -> [UInt8] {
    let now = SystemClocks().wallTime
    return try MessageBody(
        kind: .text, text: text, time: HybridTime(milliseconds: now.milliseconds), sentAt: now
    ).encoded()
}
