import Basics
import Vocabulary

/// What a device sends in a call, and whether it asks others to ring.
public struct CallSends: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let microphone = CallSends(rawValue: 1)
    public static let camera = CallSends(rawValue: 2)
    public static let screen = CallSends(rawValue: 4)
    /// The device asks the members of the group to ring.
    public static let ring = CallSends(rawValue: 8)
    /// All the media, without the request to ring.
    public static let media: CallSends = [.microphone, .camera, .screen]
}

/// How far a device has heard the signals of the one that it speaks to.
public struct CallHeard: Hashable, Sendable {
    /// The generation of the other device; 0 before anything was heard from it.
    public let generation: UInt64
    /// The number of the last signal of that generation; 0 before the first.
    public let number: UInt64

    public init(generation: UInt64 = 0, number: UInt64 = 0) {
        self.generation = generation
        self.number = number
    }
}

/// All that a device says of itself in a call: the newest state counts. It needs no receipt.
///
/// CBOR `{1: call, 2: number, 3: state, 4: media, 5: hybrid time, 6: root?, 7: reason?, 8: sends, 9: generation,
/// 10: fingerprint?, 11: heard, 12: with?}`.
public struct CallStateBody: WireBody {
    public let call: UUIDv7
    /// The number of the state, which grows with each one of the device in this call.
    public let number: UInt64
    public let phase: CallPhase
    public let media: CallMedia
    /// The place of the record of a call between two; in a group, the time at which the device joined.
    public let time: HybridTime
    /// The group of the call; nil between two.
    public let root: EntryHash?
    /// Why the device's part has ended; nil in every other state.
    public let reason: CallEnding?
    public let sends: CallSends
    /// The number of the device's seats in this call so far; 0 before the first.
    public let generation: UInt64
    /// The SHA-256 of the certificate of that generation.
    public let fingerprint: [UInt8]?
    public let heard: CallHeard
    /// In a group, the other devices that have told the sender that they take part, ascending; empty between two.
    public let with: [DeviceID]

    public init(
        call: UUIDv7, number: UInt64, phase: CallPhase, media: CallMedia, time: HybridTime, root: EntryHash? = nil,
        reason: CallEnding? = nil, sends: CallSends = [], generation: UInt64 = 0, fingerprint: [UInt8]? = nil,
        heard: CallHeard = CallHeard(), with: [DeviceID] = []
    ) {
        self.call = call
        self.number = number
        self.phase = phase
        self.media = media
        self.time = time
        self.root = root
        self.reason = reason
        self.sends = sends
        self.generation = generation
        self.fingerprint = fingerprint
        self.heard = heard
        self.with = with
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        try FieldRules.bytes(bytes.count, "call state", maximum: PeerLimits.callStateBytes)
        let body = try BodyReader(bytes)
        let heard = try Self.heard(body.value(11))
        let phase: CallPhase = try body.word(3, "state")
        let reason = try body.optionalText(7, "reason", maximumBytes: PeerLimits.reasonBytes)
        self.init(
            call: try body.id(1, "call"), number: try body.unsigned(2, "number"), phase: phase,
            media: try body.word(4, "media"), time: HybridTime(rawValue: try body.unsigned(5, "hybrid time")),
            root: try body.optionalHash(6, "root"),
            // A reason that only a later version knows counts as a failure.
            reason: reason.map { CallEnding(rawValue: $0) ?? .failed },
            sends: CallSends(rawValue: try body.unsigned(8, "sends")), generation: try body.unsigned(9, "generation"),
            fingerprint: try body.optionalBytes(10, "fingerprint", maximum: PeerLimits.callFingerprintBytes),
            heard: heard,
            with: try body.optionalList(12, "with", maximum: PeerLimits.callPeople - 1) {
                (item, field) throws(WireError) in
                try BodyReader.device(item, field)
            } ?? [])
        try check()
    }

    public func encoded() throws(WireError) -> [UInt8] {
        try check()
        var map: CBORMap = [
            1: .bytes(call.bytes), 2: .unsigned(number), 5: .unsigned(time.rawValue), 8: .unsigned(sends.rawValue),
            9: .unsigned(generation), 11: .array([.unsigned(heard.generation), .unsigned(heard.number)]),
        ]
        map[3] = phase.value
        map[4] = media.value
        map[6] = root.map { .bytes($0.bytes) }
        map[7] = reason.map { .text($0.rawValue) }
        map[10] = fingerprint.map { .bytes($0) }
        if !with.isEmpty { map[12] = .array(with.map { .bytes($0.bytes) }) }
        return CBOR.map(map).encoded()
    }

    private static func heard(_ value: CBOR?) throws(WireError) -> CallHeard {
        guard let value else { throw .missing(field: "heard") }
        let pair = try BodyReader.tuple(value, 2, "heard")
        return CallHeard(
            generation: try BodyReader.unsigned(pair[0], "heard"), number: try BodyReader.unsigned(pair[1], "heard"))
    }

    private func check() throws(WireError) {
        guard number > 0 else { throw .invalid(field: "number") }
        guard (reason != nil) == (phase == .ended) else { throw .invalid(field: "reason") }
        if let fingerprint, fingerprint.count != PeerLimits.callFingerprintBytes {
            throw .invalid(field: "fingerprint")
        }
        guard (fingerprint != nil) == (generation > 0) else { throw .invalid(field: "generation") }
        guard with.count < PeerLimits.callPeople, zip(with, with.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .invalid(field: "with")
        }
        guard with.isEmpty || (root != nil && phase.takesPart) else { throw .invalid(field: "with") }
        // A device that takes part has a certificate; without it the others could not tell whose media these are.
        if [.calling, .joined, .away].contains(phase), fingerprint == nil { throw .missing(field: "fingerprint") }
    }
}

/// One way to reach a window: an address of its host with a UDP port.
public struct CallCandidate: Hashable, Sendable {
    /// The priority by ICE; the candidate with the greatest one is tried first.
    public let priority: UInt32
    /// The address, without an interface.
    public let address: IPAddress
    /// The UDP port, which is never 0.
    public let port: UInt16

    public init(priority: UInt32, address: IPAddress, port: UInt16) {
        self.priority = priority
        self.address = address
        self.port = port
    }

    init(reading value: CBOR, field: String) throws(WireError) {
        let items = try BodyReader.tuple(value, 3, field)
        guard let priority = UInt32(exactly: try BodyReader.unsigned(items[0], field)) else {
            throw .invalid(field: field)
        }
        guard case .bytes(let bytes) = items[1] else { throw .wrongType(field: field) }
        guard let address = IPAddress(bytes: bytes) else { throw .invalid(field: field) }
        guard let port = UInt16(exactly: try BodyReader.unsigned(items[2], field)), port > 0 else {
            throw .invalid(field: field)
        }
        self.init(priority: priority, address: address, port: port)
    }

    var value: CBOR {
        .array([.unsigned(UInt64(priority)), .bytes(address.bytes), .unsigned(UInt64(port))])
    }
}

/// What the window of one side tells that of the other about their connection. Signals are numbered without gaps within
/// a generation, and need no receipt.
///
/// CBOR `{1: call, 2: generation, 3: number, 4: kind, 5: sdp?, 6: candidates?, 7: to?}`.
public struct CallSignalBody: WireBody {
    public let call: UUIDv7
    /// The sender's generation.
    public let generation: UInt64
    /// The number of the signal in its generation, from 1.
    public let number: UInt64
    public let kind: CallSignalKind
    /// The session description; with offers and answers only.
    public let sdp: String?
    /// The candidates, 1 to ``PeerLimits/callCandidates``; with kind *candidates* only.
    public let candidates: [CallCandidate]
    /// The receiver's generation that the signal is for; nil for the first one, before the sender knows it.
    public let to: UInt64?

    public init(
        call: UUIDv7, generation: UInt64, number: UInt64, kind: CallSignalKind, sdp: String? = nil,
        candidates: [CallCandidate] = [], to: UInt64? = nil
    ) {
        self.call = call
        self.generation = generation
        self.number = number
        self.kind = kind
        self.sdp = sdp
        self.candidates = candidates
        self.to = to
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        try FieldRules.bytes(bytes.count, "call signal", maximum: PeerLimits.callSignalBytes)
        let body = try BodyReader(bytes)
        self.init(
            call: try body.id(1, "call"), generation: try body.unsigned(2, "generation"),
            number: try body.unsigned(3, "number"), kind: try body.word(4, "kind"),
            sdp: try body.optionalText(5, "sdp", maximumBytes: PeerLimits.callDescriptionBytes),
            candidates: try body.optionalList(
                6, "candidates", maximum: PeerLimits.callCandidates, CallCandidate.init(reading:field:)) ?? [],
            to: try body.optionalUnsigned(7, "to"))
        try check()
    }

    public func encoded() throws(WireError) -> [UInt8] {
        try check()
        var map: CBORMap = [1: .bytes(call.bytes), 2: .unsigned(generation), 3: .unsigned(number)]
        map[4] = kind.value
        map[5] = sdp.map { .text($0) }
        if !candidates.isEmpty { map[6] = .array(candidates.map(\.value)) }
        map[7] = to.map { .unsigned($0) }
        return CBOR.map(map).encoded()
    }

    private func check() throws(WireError) {
        guard generation > 0 else { throw .invalid(field: "generation") }
        guard number > 0 else { throw .invalid(field: "number") }
        guard to != 0 else { throw .invalid(field: "to") }
        guard (sdp != nil) == (kind == .offer || kind == .answer) else { throw .invalid(field: "sdp") }
        if let sdp { try FieldRules.bytes(sdp.utf8.count, "sdp", maximum: PeerLimits.callDescriptionBytes) }
        guard candidates.isEmpty == (kind != .candidates) else { throw .invalid(field: "candidates") }
        try FieldRules.bytes(candidates.count, "candidates", maximum: PeerLimits.callCandidates)
    }
}

/// The content of an entry of a group's log which says that a call began there. CBOR `{1: call, 2: media}`.
public struct CallEntryBody: Hashable, Sendable {
    public let call: UUIDv7
    public let media: CallMedia

    public init(call: UUIDv7, media: CallMedia) {
        self.call = call
        self.media = media
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        self.init(call: try body.id(1, "call"), media: try body.word(2, "media"))
    }

    public func encoded() throws(WireError) -> [UInt8] {
        guard call != .zero else { throw .invalid(field: "call") }
        var map: CBORMap = [1: .bytes(call.bytes)]
        map[2] = media.value
        return CBOR.map(map).encoded()
    }
}

extension CallRecord {
    /// Reads key 8 of a message: `{1: media, 2: outcome, 3: started, 4: duration}`.
    init(reading value: CBOR, field: String) throws(WireError) {
        let body = try BodyReader(value, field: field)
        guard let duration = Int64(exactly: try body.unsigned(4, "duration")) else { throw .invalid(field: "duration") }
        self.init(
            media: try body.word(1, "media"), outcome: try body.word(2, "outcome"),
            startedAt: try body.time(3, "started"), duration: duration)
    }

    var value: CBOR {
        var map: CBORMap = [3: .integer(startedAt.milliseconds), 4: .integer(duration)]
        map[1] = media.value
        map[2] = outcome.value
        return .map(map)
    }
}
