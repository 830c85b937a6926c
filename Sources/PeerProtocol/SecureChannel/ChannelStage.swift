import Basics
import Crypto

/// The values that a channel has from its beginning to its end.
struct ChannelSide: Sendable {
    let identity: LocalIdentity
    let realmKey: RealmKey?

    /// The identity that the peer has proved with the payload of its handshake message.
    func verify(_ payload: [UInt8], staticKey: Key32?, _ wallTime: WallTime) throws(ChannelError) -> PeerIdentity {
        guard let staticKey else { throw .over }
        let peer: PeerIdentity
        do {
            peer = try IdentityPayload.verify(payload, staticKey: staticKey, wallTime: wallTime)
        } catch {
            throw .identity(error)
        }
        guard peer.device != identity.device else {
            throw peer.staticKey == identity.staticKey.publicKey ? .ourselves : .copy
        }
        return peer
    }
}

/// The output of one call: effects in their order, and behind them the plaintext in one piece.
struct ChannelOutput {
    var effects: [ChannelEffect] = []
    var plaintext: [UInt8] = []

    consuming func finish() -> [ChannelEffect] {
        plaintext.isEmpty ? effects : effects + [.plaintext(plaintext)]
    }
}

/// How far a channel is. Each case carries what that stage has, and no other stage can reach it:
///
///     dialling ──────────────────────▶ awaitingSecond ─┐
///                                                      ├─▶ open (a session), or detached (bulk) ─▶ over
///     awaitingPreface ─▶ awaitingFirst ─▶ awaitingThird ┘
///
/// Any error leads to `over`.
enum ChannelStage: ~Copyable, Sendable {
    case dialling(Dialling)
    case awaitingPreface(AwaitingPreface)
    case awaitingFirst(AwaitingFirst)
    case awaitingSecond(AwaitingSecond)
    case awaitingThird(AwaitingThird)
    case open(Open)
    case detached(Detached)
    case over

    /// Bytes of the unit that begins here, or of as much of it as tells its length: always more than there are, if
    /// there are too few to tell.
    func unitLength(_ bytes: ArraySlice<UInt8>, _ side: ChannelSide) throws(ChannelError) -> Int {
        switch self {
        case .awaitingPreface: return PeerLimits.prefaceBytes
        case .detached: return bytes.count
        default: break
        }
        var reader = ByteReader(bytes)
        guard let length = try? Int(reader.readUInt16()) else { return 2 }
        switch self {
        case .awaitingFirst:
            // An ephemeral key and a payload, and with a realm key the payload's tag.
            let shortest = CryptoLimits.keyBytes + (side.realmKey == nil ? 0 : CryptoLimits.tagBytes)
            guard shortest...shortest + PeerLimits.firstPayloadBytes ~= length else { throw .handshakeLength(length) }
        case .open:
            guard PeerLimits.recordBytes ~= length else { throw .recordLength(length) }
        default:
            guard 1...PeerLimits.handshakeMessageBytes ~= length else { throw .handshakeLength(length) }
        }
        return 2 + length
    }

    /// Takes one unit, and becomes the next stage.
    consuming func receive(
        _ unit: ArraySlice<UInt8>, _ side: ChannelSide, _ wallTime: WallTime, _ output: inout ChannelOutput
    ) throws(ChannelError) -> ChannelStage {
        let message = unit.dropFirst(2)
        switch consume self {
        case .awaitingPreface(let stage):
            return .awaitingFirst(try stage.receive(unit, side))
        case .awaitingFirst(let stage):
            return .awaitingThird(try stage.receive(message, side, wallTime, &output))
        case .awaitingSecond(let stage):
            return try stage.receive(message, side, wallTime, &output)
        case .awaitingThird(let stage):
            return try stage.receive(message, side, wallTime, &output)
        case .open(var stage):
            do {
                try stage.records.open(message, appendingTo: &output.plaintext)
            } catch {
                throw .record(error)
            }
            return .open(stage)
        case .detached(var stage):
            stage.leftover += unit
            return .detached(stage)
        default: throw .outOfTurn
        }
    }
}

// MARK: - The stages

extension ChannelStage {
    /// We are about to dial, and nothing has been sent.
    struct Dialling: Sendable {
        let preface: Preface
        /// Nil: the handshake makes it.
        let ephemeral: AgreementKey?
        let knock: Knock?
        /// Nil: every peer that answers may hear who we are.
        let isExpected: PeerCheck?

        func start(_ side: ChannelSide, sending out: inout [UInt8]) throws(ChannelError) -> AwaitingSecond {
            var handshake = try ChannelHandshake(.initiator, preface, side, ephemeral)
            var payload: [UInt8] = []
            if let knock, let ephemeral {
                payload = knock.payload(
                    prologue: preface.prologue(realmKey: side.realmKey), ephemeral: ephemeral.publicKey.bytes)
            }
            out = preface.bytes + (try handshake.write(payload))
            return AwaitingSecond(handshake: handshake, purpose: preface.purpose, isExpected: isExpected)
        }
    }

    /// A peer has dialled us, and its preface has not come.
    struct AwaitingPreface: Sendable {
        let ephemeral: AgreementKey?
        /// Nil: every peer gets an answer.
        let doorkeeper: Doorkeeper?

        func receive(_ unit: ArraySlice<UInt8>, _ side: ChannelSide) throws(ChannelError) -> AwaitingFirst {
            let preface = try Preface(decoding: unit)
            guard preface.usesRealmKey == (side.realmKey != nil) else { throw .realmMismatch }
            return AwaitingFirst(
                handshake: try ChannelHandshake(.responder, preface, side, ephemeral), preface: preface,
                doorkeeper: doorkeeper)
        }
    }

    /// The peer's first handshake message has not come.
    struct AwaitingFirst: ~Copyable, Sendable {
        var handshake: ChannelHandshake
        let preface: Preface
        let doorkeeper: Doorkeeper?

        /// A peer that isn't to be answered ends here.
        consuming func receive(
            _ message: ArraySlice<UInt8>, _ side: ChannelSide, _ wallTime: WallTime, _ output: inout ChannelOutput
        ) throws(ChannelError) -> AwaitingThird {
            let payload = try handshake.read(message)
            var knocker: AccountID?
            if let doorkeeper {
                let attempt = KnockAttempt(
                    prologue: preface.prologue(realmKey: side.realmKey),
                    ephemeral: Array(message.prefix(CryptoLimits.keyBytes)), payload: payload)
                guard let account = doorkeeper(attempt, wallTime) else { throw .noKnock }
                knocker = account
            }
            output.effects.append(.send(try handshake.write(side.identity.payload)))
            return AwaitingThird(handshake: handshake, purpose: preface.purpose, knocker: knocker)
        }
    }

    /// We have dialled, and the answer has not come.
    struct AwaitingSecond: ~Copyable, Sendable {
        var handshake: ChannelHandshake
        let purpose: ChannelPurpose
        let isExpected: PeerCheck?

        consuming func receive(
            _ message: ArraySlice<UInt8>, _ side: ChannelSide, _ wallTime: WallTime, _ output: inout ChannelOutput
        ) throws(ChannelError) -> ChannelStage {
            let payload = try handshake.read(message)
            let peer = try side.verify(payload, staticKey: handshake.remoteStatic, wallTime)
            if let isExpected, !isExpected(peer) { throw .unexpected }
            output.effects.append(.send(try handshake.write(side.identity.payload)))
            return try handshake.finish(with: peer, purpose, &output)
        }
    }

    /// We have answered, and the peer has not said who it is.
    struct AwaitingThird: ~Copyable, Sendable {
        var handshake: ChannelHandshake
        let purpose: ChannelPurpose
        /// The account whose knock was accepted; nil where none was asked for.
        let knocker: AccountID?

        consuming func receive(
            _ message: ArraySlice<UInt8>, _ side: ChannelSide, _ wallTime: WallTime, _ output: inout ChannelOutput
        ) throws(ChannelError) -> ChannelStage {
            let payload = try handshake.read(message)
            let peer = try side.verify(payload, staticKey: handshake.remoteStatic, wallTime)
            if let knocker, peer.account != knocker { throw .wrongKnock }
            return try handshake.finish(with: peer, purpose, &output)
        }
    }

    /// A session: records go both ways.
    struct Open: ~Copyable, Sendable {
        var records: RecordLayer
    }

    /// A bulk connection whose keys wait for the transfer.
    struct Detached: ~Copyable, Sendable {
        let transport: NoiseTransport
        /// The bytes that were read behind the handshake.
        var leftover: [UInt8] = []
    }
}

// MARK: - The handshake

/// The Noise handshake, with errors of the channel.
struct ChannelHandshake: ~Copyable, Sendable {
    private var noise: NoiseHandshake

    init(
        _ role: NoiseHandshake.Role, _ preface: Preface, _ side: ChannelSide, _ ephemeral: AgreementKey?
    ) throws(ChannelError) {
        let prologue = preface.prologue(realmKey: side.realmKey)
        do {
            if let realmKey = side.realmKey {
                noise = try NoiseHandshake(
                    role, staticKey: side.identity.staticKey, prologue: prologue,
                    presharedKey: realmKey.secret.duplicate(), ephemeral: ephemeral)
            } else {
                noise = try NoiseHandshake(
                    role, staticKey: side.identity.staticKey, prologue: prologue, ephemeral: ephemeral)
            }
        } catch {
            throw .handshake(error)
        }
    }

    var remoteStatic: Key32? { noise.remoteStatic }

    /// `length u16 ‖ Noise message`.
    mutating func write(_ payload: [UInt8]) throws(ChannelError) -> [UInt8] {
        let message: [UInt8]
        do { message = try noise.write(payload: payload) } catch { throw .handshake(error) }
        var out: [UInt8] = []
        out.appendBigEndian(UInt16(truncatingIfNeeded: message.count))
        return out + message
    }

    /// The payload of the peer's message.
    mutating func read(_ message: ArraySlice<UInt8>) throws(ChannelError) -> [UInt8] {
        do { return try noise.read(message) } catch { throw .handshake(error) }
    }

    /// The stage behind the last message.
    consuming func finish(
        with peer: PeerIdentity, _ purpose: ChannelPurpose, _ output: inout ChannelOutput
    ) throws(ChannelError) -> ChannelStage {
        let transport: NoiseTransport
        do { transport = try noise.split() } catch { throw .handshake(error) }
        output.effects.append(.established(peer, purpose))
        switch purpose {
        case .session: return .open(ChannelStage.Open(records: RecordLayer(transport)))
        case .bulk: return .detached(ChannelStage.Detached(transport: transport))
        }
    }
}
