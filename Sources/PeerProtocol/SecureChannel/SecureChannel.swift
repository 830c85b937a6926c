// The SecureChannel folder leads from the first byte of a TCP connection to plaintext of a peer that has proved who it
// is: preface, Noise handshake with identity payloads, records. It may use Basics, Crypto and the limits and body
// reader of Wire. It has no sockets, no timers and no clock: bytes and times come in, bytes to send and plaintext go
// out.

import Basics
import Crypto

/// An effect for the owner of a channel, who carries them out in this order.
public enum ChannelEffect: Hashable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The handshake is through: from now on ``SecureChannel/seal(_:)`` works, or for a bulk connection
    /// ``SecureChannel/detachTransport()``.
    case established(PeerIdentity, ChannelPurpose)
    /// Plaintext of the peer, never empty: a piece of its stream of frames, cut anywhere.
    case plaintext([UInt8])
}

/// One TCP connection: `Noise_XX_25519_ChaChaPoly_BLAKE2b`, or `XXpsk0` with a realm key, then sealed records.
///
/// Feed it what the connection gives, in pieces of any size. Before the peer is authenticated it never holds more than
/// ``PeerLimits/handshakeMessageBytes``. A channel has one owner and can't be copied: its keys are never in two places. What it has
/// to remember is in its ``ChannelStage``; the channel itself cuts the stream into what a stage takes.
public struct SecureChannel: ~Copyable, Sendable {
    private var stage: ChannelStage
    private let side: ChannelSide
    private let deadline: Instant
    /// The beginning of a preface, handshake message or record whose end has not come.
    private var pending: [UInt8] = []

    /// The side that dials. Call ``start()`` next.
    /// - Parameters:
    ///   - knock: shows that we have a key of the peer that we dial; nil where we have none.
    ///   - isExpected: checks who answers, before the channel says who we are; nil accepts every peer that answers.
    public init(
        dialling purpose: ChannelPurpose, identity: LocalIdentity, realmKey: RealmKey? = nil, knock: Knock? = nil,
        isExpected: PeerCheck? = nil, now: Instant
    ) {
        // A knock names the ephemeral key, so the key is made before.
        self.init(
            dialling: purpose, identity: identity, realmKey: realmKey, knock: knock, isExpected: isExpected, now: now,
            ephemeral: knock == nil ? nil : AgreementKey())
    }

    /// The side that was dialled. It waits for the peer.
    /// - Parameter doorkeeper: says which peers get an answer; nil: all of them.
    public init(
        accepting identity: LocalIdentity, realmKey: RealmKey? = nil, doorkeeper: Doorkeeper? = nil, now: Instant
    ) {
        self.init(
            accepting: identity, realmKey: realmKey, doorkeeper: doorkeeper, now: now, ephemeral: nil)
    }

    /// The same with a known ephemeral key, which only the vectors of docs/PROTOCOL.md have.
    package init(
        dialling purpose: ChannelPurpose, identity: LocalIdentity, realmKey: RealmKey?, knock: Knock? = nil,
        isExpected: PeerCheck? = nil, now: Instant, ephemeral: AgreementKey?
    ) {
        side = ChannelSide(identity: identity, realmKey: realmKey)
        deadline = now + PeerLimits.handshakeTime
        let preface = Preface(purpose: purpose, usesRealmKey: realmKey != nil)
        stage = .dialling(
            ChannelStage.Dialling(preface: preface, ephemeral: ephemeral, knock: knock, isExpected: isExpected))
    }

    /// The same with a known ephemeral key, which only the vectors of docs/PROTOCOL.md have.
    package init(
        accepting identity: LocalIdentity, realmKey: RealmKey?, doorkeeper: Doorkeeper? = nil, now: Instant,
        ephemeral: AgreementKey?
    ) {
        side = ChannelSide(identity: identity, realmKey: realmKey)
        deadline = now + PeerLimits.handshakeTime
        stage = .awaitingPreface(ChannelStage.AwaitingPreface(ephemeral: ephemeral, doorkeeper: doorkeeper))
    }

    /// When ``tick(now:)`` is to be called; nil once the handshake is through.
    public var nextDeadline: Instant? {
        switch stage {
        case .open: nil
        case .detached: nil
        case .over: nil
        default: deadline
        }
    }

    /// Whether ``seal(_:)`` works.
    public var isEstablished: Bool {
        switch stage {
        case .open: true
        default: false
        }
    }

    /// Why a call comes at the wrong time.
    private var mistake: ChannelError {
        switch stage {
        case .over: .over
        default: .outOfTurn
        }
    }

    /// 64 bytes that both sides have and no other channel has; empty before the end of the handshake and after the channel's.
    public var handshakeHash: [UInt8] {
        switch stage {
        case .open(let open): open.records.handshakeHash
        case .detached(let detached): detached.transport.handshakeHash
        default: []
        }
    }

    /// Unread bytes of a bulk connection that came after the handshake. Read them before ``detachTransport()``.
    public var leftover: [UInt8] {
        switch stage {
        case .detached(let detached): detached.leftover
        default: []
        }
    }

    /// Preface and first handshake message, to be sent by the side that dials.
    /// - Throws: `.outOfTurn` unless called first and once.
    public mutating func start() throws(ChannelError) -> [UInt8] {
        var out: [UInt8] = []
        switch detachStage() {
        case .dialling(let dialling): stage = .awaitingSecond(try dialling.start(side, sending: &out))
        case let other:
            stage = other
            throw .outOfTurn
        }
        return out
    }

    /// Takes what the connection gave.
    /// - Parameter wallTime: our wall clock, to check whether the peer's static key has expired.
    /// - Throws: ``ChannelError``: close the connection.
    public mutating func receive(
        _ bytes: ArraySlice<UInt8>, now: Instant, wallTime: WallTime
    ) throws(ChannelError) -> [ChannelEffect] {
        switch stage {
        case .dialling: throw .outOfTurn
        case .over: throw .over
        default: break
        }
        do {
            try checkDeadline(now)
            var output = ChannelOutput()
            try receive(bytes, wallTime: wallTime, &output)
            return output.finish()
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
        switch detachStage() {
        case .open(var open):
            let sealed: [UInt8]
            do { sealed = try open.records.seal(plaintext) } catch { throw .record(error) }
            stage = .open(open)
            return sealed
        case let other:
            stage = other
            throw mistake
        }
    }

    /// Gives up the keys of a bulk connection: the transfer reads and writes the rest, and the channel itself is over.
    /// - Throws: `.outOfTurn` unless a bulk connection is established; `.over`.
    public mutating func detachTransport() throws(ChannelError) -> NoiseTransport {
        switch detachStage() {
        case .detached(let detached): return detached.transport
        case let other:
            stage = other
            throw mistake
        }
    }

    /// Leaves the channel over until another stage is set, so that an error on the way ends it.
    private mutating func detachStage() -> ChannelStage {
        var taken = ChannelStage.over
        swap(&taken, &stage)
        return taken
    }

    private mutating func end() {
        stage = .over
        pending = []
    }

    private func checkDeadline(_ now: Instant) throws(ChannelError) {
        if let nextDeadline, now >= nextDeadline { throw .handshakeTimeout }
    }

    /// Cuts the stream into units (preface, handshake messages, records). Whole ones are read where they lie; only the
    /// last, incomplete one is copied, and each of its bytes once.
    private mutating func receive(
        _ bytes: ArraySlice<UInt8>, wallTime: WallTime, _ output: inout ChannelOutput
    ) throws(ChannelError) {
        var input = bytes
        while !input.isEmpty {
            if pending.isEmpty {
                let length = try stage.unitLength(input, side)
                guard input.count >= length else {
                    pending = Array(input)
                    return
                }
                stage = try detachStage().receive(input.prefix(length), side, wallTime, &output)
                input = input.dropFirst(length)
                continue
            }
            let piece = input.prefix(try stage.unitLength(pending[...], side) - pending.count)
            pending.append(contentsOf: piece)
            input = input.dropFirst(piece.count)
            if pending.count == (try stage.unitLength(pending[...], side)) {
                let unit = pending
                pending = []
                stage = try detachStage().receive(unit[...], side, wallTime, &output)
            }
        }
    }
}
