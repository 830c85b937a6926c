import Basics

/// Asks for what the peer knows of others on its network. CBOR `{1: [device…]?, 2: after?}`. Needs no receipt.
public struct PeerExchangeRequestBody: WireBody {
    /// The devices whose cards are wanted, at most ``PeerLimits/peerExchangeDevices``; nil: all devices.
    public let devices: [DeviceID]?
    /// The last device of the page before; nil for the first page.
    public let after: DeviceID?

    public init(devices: [DeviceID]? = nil, after: DeviceID? = nil) {
        self.devices = devices.map { Array($0.prefix(PeerLimits.peerExchangeDevices)) }
        self.after = after
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        devices = try body.optionalList(1, "devices", maximum: PeerLimits.peerExchangeDevices, PeerExchangeRules.device)
        after = try body.value(2).map { value throws(WireError) in try BodyReader.device(value, "device") }
    }

    public func encoded() -> [UInt8] {
        var map: CBORMap = [:]
        map[1] = devices.map { .array($0.map { .bytes($0.bytes) }) }
        map[2] = after.map { .bytes($0.bytes) }
        return CBOR.map(map).encoded()
    }
}

/// A page of others on the network, in the order of their device keys. CBOR `{1: [entry…], 2: more}`. Needs no receipt, and
/// is at most ``PeerLimits/strangerBodyBytes`` long.
public struct PeerExchangeBody: WireBody {
    /// The peer's knowledge of one device. Only the address where it was heard is the peer's word: announcement and
    /// card carry their own proof. CBOR `{1: device, 2: announcement?, 3: address?, 4: port?, 5: card?}`.
    public struct Entry: Hashable, Sendable {
        public let device: DeviceID
        /// The last HELLO or BEACON that was heard of it, and from where.
        public let announcement: Announcement?
        /// An encoded ``Card``, not looked at yet.
        public let card: [UInt8]?

        public init(device: DeviceID, announcement: Announcement?, card: [UInt8]?) {
            self.device = device
            self.announcement = announcement
            self.card = card
        }

        /// Bytes that it takes in a body, at most.
        var length: Int { 40 + (announcement.map { $0.bytes.count + 40 } ?? 0) + (card.map { $0.count + 8 } ?? 0) }
    }

    public let entries: [Entry]
    /// Whether there is another page, after the last device of this one.
    public let hasMore: Bool

    public init(entries: [Entry], hasMore: Bool) {
        self.entries = entries
        self.hasMore = hasMore
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        let limit = PeerLimits.peerExchangeDevices
        entries =
            try body.optionalList(1, "entries", maximum: limit) { (value, _) throws(WireError) -> Entry in
                let map = try BodyReader(value, field: "entry")
                return Entry(
                    device: try map.device(1, "device"), announcement: try PeerExchangeRules.announcement(map),
                    card: try map.optionalBytes(5, "card", maximum: PeerLimits.cardBytes))
            } ?? []
        hasMore = try body.boolean(2, "more")
    }

    public func encoded() -> [UInt8] {
        let values = entries.map { entry -> CBOR in
            var map: CBORMap = [1: .bytes(entry.device.bytes)]
            if let announcement = entry.announcement {
                map[2] = .bytes(announcement.bytes)
                map[3] = .bytes(announcement.source.host.bytes)
                map[4] = .unsigned(UInt64(announcement.source.port))
            }
            map[5] = entry.card.map { .bytes($0) }
            return .map(map)
        }
        return CBOR.map([1: .array(values), 2: .boolean(hasMore)]).encoded()
    }
}

/// A datagram that was heard, and where it came from.
public struct Announcement: Hashable, Sendable {
    public let bytes: [UInt8]
    public let source: SocketAddress

    public init(bytes: [UInt8], source: SocketAddress) {
        self.bytes = bytes
        self.source = source
    }
}

private enum PeerExchangeRules {
    static func device(_ value: CBOR, _ field: String) throws(WireError) -> DeviceID {
        try BodyReader.device(value, "device")
    }

    static func announcement(_ map: BodyReader) throws(WireError) -> Announcement? {
        guard let bytes = try map.optionalBytes(2, "announcement", maximum: PeerLimits.datagramBytes) else {
            return nil
        }
        let host = IPAddress(bytes: try map.bytes(3, "address", maximum: 16))
        let port = UInt16(exactly: try map.unsigned(4, "port"))
        guard let host, let port, port > 0 else { throw .invalid(field: "address") }
        return Announcement(bytes: bytes, source: SocketAddress(host, port: port))
    }
}
