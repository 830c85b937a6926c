import Basics
import Vocabulary

/// What a call between two and a call of a group have in common: its names, the window that has the seat here and what that
/// sends, the signals that have come for it, and what has to be told.
struct CallCore: Sendable {
    /// Names the call on this host.
    let id: UUIDv7
    /// The call's name among those who take part.
    let wireID: UUIDv7
    let own: CallParty
    let media: CallMedia
    /// The place of its record in the conversation.
    let time: HybridTime
    let startedAt: WallTime

    private(set) var seat: CallSeat?
    private(set) var generation: UInt64 = 0
    private(set) var sends: CallSends = []
    /// Why this side's part is over, or its ringing.
    var reason: CallEnding?
    /// The call that took its place when two crossed.
    var replacedBy: UUIDv7?
    var inbox: CallInbox
    var places = CallPlaces()
    var news: CallNews

    /// - Parameters:
    ///   - most: bytes of one device's signals that may wait for the window.
    ///   - floor: the numbers of this side's states are greater than this.
    init(
        _ id: UUIDv7, wireID: UUIDv7, own: CallParty, media: CallMedia, time: HybridTime, startedAt: WallTime,
        bytesOfDevice most: Int, floor: UInt64 = 0
    ) {
        (self.id, self.wireID, self.own, self.media) = (id, wireID, own, media)
        (self.time, self.startedAt) = (time, startedAt)
        inbox = CallInbox(bytesOfDevice: most)
        news = CallNews(floor: floor)
    }

    /// Gives the seat to a window: another one, or the same after a reload. Each time a generation begins, because the
    /// connections between the windows start again.
    mutating func assign(_ seat: CallSeat) {
        self.seat = seat
        generation += 1
        sends = []
        // The first window gets what came before it.
        if generation > 1 { inbox.clear() }
        news.note(urgent: true)
    }

    mutating func update(_ sends: CallSends) {
        guard sends != self.sends else { return }
        self.sends = sends
        news.note()
    }

    /// Takes a signal of a device that takes part.
    mutating func hear(
        _ body: CallSignalBody, from peer: inout CallPeer, _ addresses: CallAddresses, now: Instant
    ) -> CallRefused? {
        do { try peer.hear(body, generation: generation, now: now) } catch { return error.why }
        news.keep()
        let candidates = addresses.accepted(body.candidates, of: peer.party.account, &places)
        if body.kind == .candidates, candidates.isEmpty { return .addresses }
        guard inbox.accept(body, from: peer.party.device, candidates) else { return .tooMuch }
        news.show()
        return nil
    }

    /// Sends a signal of the window to a device that takes part.
    mutating func send(
        _ kind: CallSignalKind, sdp: String?, candidates: [CallCandidate], to peer: inout CallPeer, now: Instant
    ) throws(CallObjection) {
        let signal = try peer.send(
            { [wireID, generation] number, to in
                CallSignalBody(
                    call: wireID, generation: generation, number: number, kind: kind, sdp: sdp, candidates: candidates,
                    to: to)
            }, now: now)
        news.keep()
        if let signal { news.tell(peer.party.device, .callSignal(signal)) }
    }
}

// MARK: Memory

/// A call is kept on disk as a map. Only this device reads it, so a later version may write it otherwise. The keys 1 to 3 and
/// 7 to 19 are those of every call, and so are 27 and 28.
extension CallCore {
    func memory(phase: CallPhase, peers: [CallPeer], times: CallTimes, at moment: CallMoment) -> CBORMap {
        var map: CBORMap = [
            1: .bytes(id.bytes), 2: .bytes(own.account.bytes), 3: .bytes(own.device.bytes),
            8: .unsigned(time.rawValue), 9: .integer(startedAt.milliseconds), 13: .unsigned(news.number),
            14: .unsigned(generation), 15: .unsigned(sends.rawValue), 16: inbox.memory,
            17: .array(peers.map(\.memory)), 18: times.memory(at: moment),
        ]
        map[7] = media.value
        map[10] = phase.value
        map[11] = reason.map { .text($0.rawValue) }
        map[12] = seat.map { .array([.bytes($0.id.bytes), .bytes($0.fingerprint)]) }
        map[19] = replacedBy.map { .bytes($0.bytes) }
        map[27] = wireID == id ? nil : .bytes(wireID.bytes)
        map[28] = places.memory
        return map
    }

    init(remembering body: BodyReader, bytesOfDevice most: Int) throws(WireError) {
        id = try body.id(1, "call")
        wireID = try body.optionalID(27, "wire id") ?? id
        own = CallParty(account: try body.callAccount(2), device: try body.device(3, "device"))
        media = try body.word(7, "media")
        time = HybridTime(rawValue: try body.unsigned(8, "time"))
        startedAt = try body.time(9, "started")
        reason = try body.optionalText(11, "reason", maximumBytes: PeerLimits.reasonBytes)
            .flatMap { CallEnding(rawValue: $0) }
        seat = try body.callSeat(12)
        news = CallNews(number: try body.unsigned(13, "number"))
        generation = try body.unsigned(14, "generation")
        sends = CallSends(rawValue: try body.unsigned(15, "sends"))
        inbox = try CallInbox(remembering: body.value(16) ?? .null, bytesOfDevice: most)
        replacedBy = try body.optionalID(19, "replaced by")
        places = try CallPlaces(remembering: body.value(28))
    }
}

extension BodyReader {
    func callPeers(numbersAnew: Bool, now: Instant) throws(WireError) -> [CallPeer] {
        try optionalList(17, "peers", maximum: 64) { (item, _) throws(WireError) in
            try CallPeer(remembering: item, numbersAnew: numbersAnew, now: now)
        } ?? []
    }

    func callTimes(startedAt: WallTime, at moment: CallMoment) throws(WireError) -> CallTimes {
        try CallTimes(remembering: value(18) ?? .null, startedAt: startedAt, at: moment)
    }

    func callAccount(_ key: UInt64) throws(WireError) -> AccountID {
        guard let id = AccountID(bytes: try bytes(key, "account", maximum: 32)) else {
            throw .invalid(field: "account")
        }
        return id
    }

    fileprivate func callSeat(_ key: UInt64) throws(WireError) -> CallSeat? {
        guard let value = value(key) else { return nil }
        let pair = try Self.tuple(value, 2, "seat")
        guard case .bytes(let fingerprint) = pair[1] else { throw .wrongType(field: "seat") }
        return CallSeat(id: try Self.id(pair[0], "seat"), fingerprint: fingerprint)
    }
}
