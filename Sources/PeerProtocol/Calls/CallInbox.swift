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
    mutating func accept(_ body: CallSignalBody, from device: DeviceID, _ candidates: [CallCandidate]) -> Bool {
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
