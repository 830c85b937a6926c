import Basics
import Vocabulary

/// A group's call as it is kept on disk. Only this device reads it, so a later version may write it otherwise.
struct GroupCallMemory {
    var call: UUIDv7
    /// The call's name among the members.
    var wireID: UUIDv7
    var own: CallParty
    var root: EntryHash
    var media: CallMedia
    var time: HybridTime
    var startedAt: WallTime
    var teller: AccountID
    var part: CallPhase
    var reason: CallEnding?
    var seat: CallSeat?
    var sends: CallSends
    var number: UInt64
    var generation: UInt64
    var inbox: CallInbox
    var places: CallPlaces
    var peers: [CallPeer]
    var joinedAt: HybridTime
    var isOwn: Bool
    var hadCompany: Bool
    var ringer: CallParty?
    var replacedBy: UUIDv7?
    /// The times that its ``GroupCallClock`` remembers.
    var times: CBOR

    func encoded() -> [UInt8] {
        // The keys are those of a call between two where they mean the same; such a call has no root.
        var map: CBORMap = [
            1: .bytes(call.bytes), 2: .bytes(own.account.bytes), 3: .bytes(own.device.bytes),
            8: .unsigned(time.rawValue),
            9: .integer(startedAt.milliseconds), 13: .unsigned(number), 14: .unsigned(generation),
            15: .unsigned(sends.rawValue), 16: inbox.memory, 17: .array(peers.map(\.memory)), 18: times,
            21: .bytes(root.bytes), 22: .bytes(teller.bytes), 23: .unsigned(joinedAt.rawValue), 24: .boolean(isOwn),
            25: .boolean(hadCompany),
        ]
        map[7] = media.value
        map[28] = places.memory
        map[10] = part.value
        map[11] = reason.map { .text($0.rawValue) }
        map[12] = seat.map { .array([.bytes($0.id.bytes), .bytes($0.fingerprint)]) }
        map[19] = replacedBy.map { .bytes($0.bytes) }
        map[27] = wireID == call ? nil : .bytes(wireID.bytes)
        map[26] = ringer.map { .array([.bytes($0.account.bytes), .bytes($0.device.bytes)]) }
        return CBOR.map(map).encoded()
    }
}

extension GroupCallMemory {
    init(decoding bytes: [UInt8], now: Instant) throws(WireError) {
        let body = try BodyReader(bytes)
        let call = try body.id(1, "call")
        guard let root = try body.optionalHash(21, "root") else { throw .missing(field: "root") }
        let reason = try body.optionalText(11, "reason", maximumBytes: PeerLimits.reasonBytes)
        self.init(
            call: call, wireID: try body.optionalID(27, "wire id") ?? call,
            own: CallParty(account: try body.callAccount(2), device: try body.device(3, "device")), root: root,
            media: try body.word(7, "media"), time: HybridTime(rawValue: try body.unsigned(8, "time")),
            startedAt: try body.time(9, "started"), teller: try body.callAccount(22),
            part: try body.word(10, "part"), reason: reason.flatMap { CallEnding(rawValue: $0) },
            seat: try body.callSeat(12), sends: CallSends(rawValue: try body.unsigned(15, "sends")),
            number: try body.unsigned(13, "number"), generation: try body.unsigned(14, "generation"),
            inbox: try CallInbox(
                remembering: body.value(16) ?? .null, bytesOfDevice: PeerLimits.groupCallSignalsKept),
            places: try CallPlaces(remembering: body.value(28)),
            peers: try body.optionalList(17, "peers", maximum: 64) { (item, _) throws(WireError) in
                try CallPeer(remembering: item, numbersAnew: true, now: now)
            } ?? [], joinedAt: HybridTime(rawValue: try body.unsigned(23, "joined")),
            isOwn: try body.boolean(24, "own"), hadCompany: try body.boolean(25, "company"),
            ringer: try Self.party(body.value(26)), replacedBy: try body.optionalID(19, "replaced by"),
            times: body.value(18) ?? .null)
    }

    private static func party(_ value: CBOR?) throws(WireError) -> CallParty? {
        guard let value else { return nil }
        let pair = try BodyReader.tuple(value, 2, "ringer")
        guard case .bytes(let bytes) = pair[0], let account = AccountID(bytes: bytes) else {
            throw .invalid(field: "ringer")
        }
        return CallParty(account: account, device: try BodyReader.device(pair[1], "ringer"))
    }
}

extension BodyReader {
    func callAccount(_ key: UInt64) throws(WireError) -> AccountID {
        guard let id = AccountID(bytes: try bytes(key, "account", maximum: 32)) else {
            throw .invalid(field: "account")
        }
        return id
    }

    func callSeat(_ key: UInt64) throws(WireError) -> CallSeat? {
        guard let value = value(key) else { return nil }
        let pair = try Self.tuple(value, 2, "seat")
        guard case .bytes(let fingerprint) = pair[1] else { throw .wrongType(field: "seat") }
        return CallSeat(id: try Self.id(pair[0], "seat"), fingerprint: fingerprint)
    }
}
