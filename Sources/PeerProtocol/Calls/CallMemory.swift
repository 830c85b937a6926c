import Basics
import Vocabulary

/// The signals that have come for the window of this side, in order.
struct CallInbox: Sendable {
    private(set) var items: [CallSignalItem] = []
    /// The index of the last signal that ever came.
    private(set) var last: UInt64 = 0
    /// How many bytes of one device's signals may wait.
    private let most: Int

    init(bytesOfDevice most: Int = PeerLimits.callSignalsKept) { self.most = most }

    /// Adds a signal of a device.
    /// - Parameter candidates: those candidates of the signal that the window may use.
    /// - Returns: false if too much of the device waits already.
    mutating func take(_ body: CallSignalBody, from device: DeviceID, _ candidates: [CallCandidate]) -> Bool {
        let kept = items.filter { $0.device == device }.reduce(0) { $0 + ($1.sdp?.utf8.count ?? 0) + 256 }
        let sdp = body.sdp.flatMap { try? SessionDescription(checking: $0).text }
        guard kept + (sdp?.utf8.count ?? 0) <= most else { return false }
        last += 1
        items.append(
            CallSignalItem(
                index: last, device: device, generation: body.generation, kind: body.kind,
                sdp: sdp, candidates: candidates))
        return true
    }

    /// Returns the signals after this index, and the index of the last. The window has the ones up to it: they are forgotten.
    mutating func read(after index: UInt64) -> (items: [CallSignalItem], next: UInt64) {
        items.removeAll { $0.index <= index }
        return (items, last)
    }

    /// Drops the signals of a device from before this generation: they stand on an earlier certificate.
    mutating func drop(_ device: DeviceID, before generation: UInt64) {
        items.removeAll { $0.device == device && $0.generation < generation }
    }

    mutating func clear() { items = [] }

    var memory: CBOR { .map([1: .unsigned(last), 2: .array(items.map(\.memory))]) }

    init(remembering value: CBOR, bytesOfDevice most: Int = PeerLimits.callSignalsKept) throws(WireError) {
        self.most = most
        let body = try BodyReader(value, field: "inbox")
        last = try body.unsigned(1, "last")
        items =
            try body.optionalList(2, "signals", maximum: 1024) { (item, _) throws(WireError) in
                try CallSignalItem(remembering: item)
            } ?? []
    }
}

/// A call as it is kept on disk. Only this device reads it, so a later version may write it otherwise.
struct CallMemory {
    var call: UUIDv7
    /// The call's name among those who take part.
    var wireID: UUIDv7
    var own: CallParty
    var caller: CallParty
    var account: AccountID
    var media: CallMedia
    var time: HybridTime
    var startedAt: WallTime
    var phase: CallPhase
    var reason: CallEnding?
    var seat: CallSeat?
    var sends: CallSends
    var number: UInt64
    var generation: UInt64
    var inbox: CallInbox
    var places: CallPlaces
    var peers: [CallPeer]
    var replacedBy: UUIDv7?
    var owesRecord: Bool
    /// The times that its ``CallClock`` remembers.
    var times: CBOR

    func encoded() -> [UInt8] {
        var map: CBORMap = [
            1: .bytes(call.bytes), 2: .bytes(own.account.bytes), 3: .bytes(own.device.bytes), 4: .bytes(account.bytes),
            5: .bytes(caller.account.bytes), 6: .bytes(caller.device.bytes), 8: .unsigned(time.rawValue),
            9: .integer(startedAt.milliseconds), 13: .unsigned(number), 14: .unsigned(generation),
            15: .unsigned(sends.rawValue), 16: inbox.memory, 17: .array(peers.map(\.memory)), 18: times,
            20: .boolean(owesRecord),
        ]
        map[7] = media.value
        map[28] = places.memory
        map[10] = phase.value
        map[11] = reason.map { .text($0.rawValue) }
        map[12] = seat.map { .array([.bytes($0.id.bytes), .bytes($0.fingerprint)]) }
        map[19] = replacedBy.map { .bytes($0.bytes) }
        map[27] = wireID == call ? nil : .bytes(wireID.bytes)
        return CBOR.map(map).encoded()
    }
}

extension CallMemory {
    init(decoding bytes: [UInt8], now: Instant) throws(WireError) {
        let body = try BodyReader(bytes)
        let call = try body.id(1, "call")
        let reason = try body.optionalText(11, "reason", maximumBytes: PeerLimits.reasonBytes)
        self.init(
            call: call, wireID: try body.optionalID(27, "wire id") ?? call,
            own: CallParty(account: try body.callAccount(2), device: try body.device(3, "device")),
            caller: CallParty(account: try body.callAccount(5), device: try body.device(6, "caller")),
            account: try body.callAccount(4),
            media: try body.word(7, "media"), time: HybridTime(rawValue: try body.unsigned(8, "time")),
            startedAt: try body.time(9, "started"), phase: try body.word(10, "phase"),
            reason: reason.flatMap { CallEnding(rawValue: $0) }, seat: try body.callSeat(12),
            sends: CallSends(rawValue: try body.unsigned(15, "sends")), number: try body.unsigned(13, "number"),
            generation: try body.unsigned(14, "generation"),
            inbox: try CallInbox(remembering: body.value(16) ?? .null),
            places: try CallPlaces(remembering: body.value(28)),
            peers: try body.optionalList(17, "peers", maximum: 64) { (item, _) throws(WireError) in
                try CallPeer(remembering: item, now: now)
            } ?? [], replacedBy: try body.optionalID(19, "replaced by"), owesRecord: try body.boolean(20, "owes"),
            times: body.value(18) ?? .null)
    }
}

extension CallSignalItem {
    fileprivate var memory: CBOR {
        var map: CBORMap = [1: .unsigned(index), 2: .bytes(device.bytes)]
        // The body of a signal holds all the rest; its call and its number are not read back.
        let body = CallSignalBody(
            call: UUIDv7(high: 1, low: 1), generation: generation, number: 1, kind: kind, sdp: sdp,
            candidates: candidates)
        map[3] = (try? body.encoded()).map { .bytes($0) }
        return .map(map)
    }

    fileprivate init(remembering value: CBOR) throws(WireError) {
        let body = try BodyReader(value, field: "signal")
        let signal = try CallSignalBody(
            decoding: try body.bytes(3, "signal", maximum: PeerLimits.callSignalBytes))
        self.init(
            index: try body.unsigned(1, "index"), device: try body.device(2, "device"), generation: signal.generation,
            kind: signal.kind, sdp: signal.sdp, candidates: signal.candidates)
    }
}
