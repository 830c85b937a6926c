// The SecureChannel room: from the first byte of a TCP connection to plaintext of a peer that has proved who it is.
// Preface, Noise handshake with identity payloads, records. May use Basics, Crypto and the limits and body reader of
// Wire. No sockets, no timers, no clock: bytes and times come in, bytes to send and plaintext go out.

import Basics
import Crypto

/// What the owner of a channel has to do, in this order.
public enum ChannelEffect: Hashable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The handshake is through: from now on ``SecureChannel/seal(_:)`` works, or for a bulk connection
    /// ``SecureChannel/takeTransport()``.
    case established(PeerIdentity, ChannelPurpose)
    /// Plaintext of the peer, never empty: a piece of its stream of frames, cut anywhere.
    case plaintext([UInt8])
}

/// One TCP connection: `Noise_XX_25519_ChaChaPoly_BLAKE2b`, or `XXpsk0` with a realm key, then sealed records.
///
/// Feed it what the connection gives, in pieces of any size. Before the peer is authenticated it never holds more than
/// ``PeerLimits/handshakeMessageBytes``. A channel has one owner and can't be copied: its keys are never in two places.
public struct SecureChannel: ~Copyable, Sendable {
    enum Stage {
        case notStarted, awaitingPreface, awaitingFirst, awaitingSecond, awaitingThird, open, detached, over
    }

    var stage: Stage
    let identity: LocalIdentity
    let realmKey: RealmKey?
    let ephemeral: AgreementKey?
    /// Of the side that dials.
    let knock: Knock?
    /// Of the side that accepts, if not everybody gets an answer.
    let doorkeeper: Doorkeeper?
    /// Of the side that dials, if it doesn't say to everybody who it is.
    let isExpected: PeerCheck?
    /// Whose knock was accepted.
    var knocker: AccountID?
    private let deadline: Instant
    /// Known to the side that dialled; the other learns it from the preface.
    var preface: Preface?
    var handshake: NoiseHandshake?
    var records: RecordLayer?
    var channelHash: [UInt8] = []
    /// The beginning of a preface, handshake message or record whose end has not come.
    var pending: [UInt8] = []

    /// The side that dialled. Call ``start()`` next.
    /// - Parameters:
    ///   - knock: if we have a key of the one we dial.
    ///   - isExpected: looked at before the answer says who we are; nil: whoever answers hears it.
    public init(
        dialling purpose: ChannelPurpose, identity: LocalIdentity, realmKey: RealmKey? = nil, knock: Knock? = nil,
        isExpected: PeerCheck? = nil, now: Instant
    ) {
        // A knock names the ephemeral key, so it is made before.
        self.init(
            .notStarted, identity, realmKey, now, knock == nil ? nil : AgreementKey(), knock, nil, isExpected)
        preface = Preface(purpose: purpose, usesRealmKey: realmKey != nil)
    }

    /// The side that was dialled. Waits for the peer.
    /// - Parameter doorkeeper: says who gets an answer; nil: everybody.
    public init(
        accepting identity: LocalIdentity, realmKey: RealmKey? = nil, doorkeeper: Doorkeeper? = nil, now: Instant
    ) {
        self.init(.awaitingPreface, identity, realmKey, now, nil, nil, doorkeeper, nil)
    }

    /// With a known ephemeral key, for the vectors of docs/PROTOCOL.md only.
    package init(
        dialling purpose: ChannelPurpose, identity: LocalIdentity, realmKey: RealmKey?, knock: Knock? = nil,
        now: Instant, ephemeral: AgreementKey?
    ) {
        self.init(.notStarted, identity, realmKey, now, ephemeral, knock, nil, nil)
        preface = Preface(purpose: purpose, usesRealmKey: realmKey != nil)
    }

    /// With a known ephemeral key, for the vectors of docs/PROTOCOL.md only.
    package init(accepting identity: LocalIdentity, realmKey: RealmKey?, now: Instant, ephemeral: AgreementKey?) {
        self.init(.awaitingPreface, identity, realmKey, now, ephemeral, nil, nil, nil)
    }

    private init(
        _ stage: Stage, _ identity: LocalIdentity, _ realmKey: RealmKey?, _ now: Instant, _ ephemeral: AgreementKey?,
        _ knock: Knock?, _ doorkeeper: Doorkeeper?, _ isExpected: PeerCheck?
    ) {
        self.isExpected = isExpected
        self.knock = knock
        self.doorkeeper = doorkeeper
        self.ephemeral = ephemeral
        self.stage = stage
        self.identity = identity
        self.realmKey = realmKey
        deadline = now + PeerLimits.handshakeTime
    }

    /// When ``tick(now:)`` is to be called; nil once the handshake is through.
    public var nextDeadline: Instant? {
        switch stage {
        case .open, .detached, .over: nil
        default: deadline
        }
    }

    public var isEstablished: Bool { stage == .open }

    /// 64 bytes that both sides have and no other channel has; empty before the end of the handshake.
    public var handshakeHash: [UInt8] { channelHash }

    /// Preface and first handshake message, to be sent by the side that dialled.
    /// - Throws: `.outOfTurn` unless called first and once.
    public mutating func start() throws(ChannelError) -> [UInt8] {
        guard stage == .notStarted, let preface else { throw .outOfTurn }
        try makeHandshake(.initiator, preface)
        stage = .awaitingSecond
        let payload = knock.flatMap { knock in
            ephemeral.map {
                knock.payload(prologue: preface.prologue(realmKey: realmKey), ephemeral: $0.publicKey.bytes)
            }
        }
        return preface.bytes + (try write(payload: payload ?? []))
    }

    /// Takes what the connection gave.
    /// - Parameter wallTime: our wall clock, with which the peer's static key is checked for its end.
    /// - Throws: ``ChannelError``: close the connection.
    public mutating func receive(
        _ bytes: ArraySlice<UInt8>, now: Instant, wallTime: WallTime
    ) throws(ChannelError) -> [ChannelEffect] {
        guard stage != .over, stage != .notStarted else { throw stage == .over ? .over : .outOfTurn }
        do {
            try checkDeadline(now)
            var effects: [ChannelEffect] = []
            var plaintext: [UInt8] = []
            try consume(bytes, wallTime: wallTime, plaintext: &plaintext, effects: &effects)
            if !plaintext.isEmpty { effects.append(.plaintext(plaintext)) }
            return effects
        } catch {
            end()
            throw error
        }
    }

    /// To be called at ``nextDeadline``.
    /// - Throws: `.handshakeTimeout`.
    public mutating func tick(now: Instant) throws(ChannelError) {
        do {
            try checkDeadline(now)
        } catch {
            end()
            throw error
        }
    }

    /// The plaintext as records, to be sent in this order. Give it as much as there is: it fills each record.
    /// - Throws: `.outOfTurn` before the handshake is through; `.over`.
    public mutating func seal(_ plaintext: [UInt8]) throws(ChannelError) -> [UInt8] {
        guard stage == .open else { throw stage == .over ? .over : .outOfTurn }
        let sealed: [UInt8]?
        do {
            sealed = try records?.seal(plaintext)
        } catch {
            end()
            throw .record(error)
        }
        guard let sealed else { throw .over }
        return sealed
    }

    /// Gives up the keys of a bulk connection: what follows on it is the transfer's business. What was read behind the
    /// handshake is in ``leftover``; the channel itself is over.
    /// - Throws: `.outOfTurn` unless a bulk connection is established; `.over`.
    public mutating func takeTransport() throws(ChannelError) -> NoiseTransport {
        guard stage == .detached, let records = records.take() else { throw stage == .over ? .over : .outOfTurn }
        stage = .over
        return records.finish()
    }

    /// Of a bulk connection: bytes that came behind the handshake, not looked at.
    public var leftover: [UInt8] { channelHash.isEmpty || preface?.purpose == .session ? [] : pending }

    private mutating func end() {
        stage = .over
        handshake = nil
        records = nil
        pending = []
    }

    private func checkDeadline(_ now: Instant) throws(ChannelError) {
        if let nextDeadline, now >= nextDeadline { throw .handshakeTimeout }
    }
}
