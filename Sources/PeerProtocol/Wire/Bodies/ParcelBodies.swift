import Basics
import Crypto
import Vocabulary

/// A sealed parcel on its way to a friend who is away: from its maker to a courier, and from the courier to the one it is
/// for. CBOR `{1: version, 2: from, 3: to, 4: days, 5: sealed, 6?: [files]}`; the parcel's id is that of the frame. Needs a
/// receipt.
public struct ParcelBody: WireBody {
    /// The account that has made the parcel.
    public let from: AccountID
    /// The account that can open it.
    public let to: AccountID
    /// How long a courier keeps it, counted from its coming.
    public let days: Int
    /// What ``ParcelSeal`` has made.
    public let sealed: [UInt8]
    /// Sealed files that the courier may fetch from the maker, all different; at most ``PeerLimits/parcelFiles``.
    public let files: [ParcelFile]

    public init(from: AccountID, to: AccountID, days: Int, sealed: [UInt8], files: [ParcelFile] = []) {
        self.from = from
        self.to = to
        self.days = days
        self.sealed = sealed
        self.files = files
    }

    /// - Throws: ``WireError``; `.unsupported` for a later version.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        guard try body.unsigned(1, "version") == 1 else { throw .unsupported(field: "version") }
        from = try Self.account(body, 2, "from")
        to = try Self.account(body, 3, "to")
        guard let days = Int(exactly: try body.unsigned(4, "days")), PeerLimits.parcelDays ~= days else {
            throw .invalid(field: "days")
        }
        self.days = days
        sealed = try body.bytes(5, "sealed", maximum: PeerLimits.sealedParcelBytes)
        files =
            try body.optionalList(6, "files", maximum: PeerLimits.parcelFiles) {
                (item, field) throws(WireError) in try ParcelFile(item, field)
            } ?? []
        guard from != to else { throw .invalid(field: "to") }
        guard Set(files.map(\.id)).count == files.count else { throw .invalid(field: "files") }
    }

    /// - Throws: `.invalid` for a parcel to its own maker, for days out of bounds or a file that comes twice, `.tooLong`.
    public func encoded() throws(WireError) -> [UInt8] {
        guard from != to else { throw .invalid(field: "to") }
        guard PeerLimits.parcelDays ~= days else { throw .invalid(field: "days") }
        try FieldRules.bytes(sealed.count, "sealed", maximum: PeerLimits.sealedParcelBytes)
        try FieldRules.bytes(files.count, "files", maximum: PeerLimits.parcelFiles)
        guard Set(files.map(\.id)).count == files.count else { throw .invalid(field: "files") }
        var map: CBORMap = [
            1: .unsigned(1), 2: .bytes(from.bytes), 3: .bytes(to.bytes), 4: .unsigned(UInt64(days)), 5: .bytes(sealed),
        ]
        if !files.isEmpty { map[6] = .array(files.map(\.value)) }
        return CBOR.map(map).encoded()
    }

    private static func account(_ body: BodyReader, _ key: UInt64, _ field: String) throws(WireError) -> AccountID {
        guard let account = try body.optionalAccount(key, field) else { throw .missing(field: field) }
        return account
    }
}

/// What became of parcels. CBOR `{1: [[parcel, what]]}`. Needs a receipt.
public struct ParcelNewsBody: WireBody {
    /// What happened to a parcel.
    public enum What: UInt64, Hashable, Sendable, CaseIterable {
        /// The courier has handed it to the one it was for, as the courier says.
        case handedOver = 1
        /// Its days at the courier are over.
        case expired = 2
        /// The courier doesn't keep it any more, or it couldn't be opened.
        case dropped = 3
        /// Its maker doesn't need it any more: what is in it has arrived in another way.
        case notNeeded = 4
        /// Its recipient has the sealed file with this id, or its recipient or maker doesn't want it to be kept.
        case fileTaken = 5
        /// The courier doesn't keep the sealed file with this id.
        case fileLeftOut = 6
    }

    /// One parcel and what happened to it.
    public struct Item: Hashable, Sendable {
        /// The parcel; where the news is of a file, the sealed file.
        public let parcel: UUIDv7
        public let what: What

        public init(_ parcel: UUIDv7, _ what: What) {
            self.parcel = parcel
            self.what = what
        }
    }

    /// 1 to ``PeerLimits/parcelNews``. News of a later version are left out.
    public let items: [Item]

    public init(_ items: [Item]) { self.items = items }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        items = try body.list(1, "news", maximum: PeerLimits.parcelNews) { (item, field) throws(WireError) -> Item? in
            guard let pair = item.arrayValue, pair.count == 2, let what = pair[1].unsignedValue else {
                throw .wrongType(field: field)
            }
            let parcel = try BodyReader.id(pair[0], field)
            return What(rawValue: what).map { Item(parcel, $0) }
        }.compactMap(\.self)
    }

    /// - Throws: `.invalid` for no news or a parcel without an id, `.tooLong`.
    public func encoded() throws(WireError) -> [UInt8] {
        guard !items.isEmpty, items.allSatisfy({ $0.parcel != .zero }) else { throw .invalid(field: "news") }
        try FieldRules.bytes(items.count, "news", maximum: PeerLimits.parcelNews)
        return CBOR.map([
            1: .array(items.map { .array([.bytes($0.parcel.bytes), .unsigned($0.what.rawValue)]) })
        ]).encoded()
    }
}

/// What became of frames that came in a parcel, and of the files that came with it, which no receipt can tell their sender.
/// CBOR `{1: [ids stored], 2?: [[id, reason]], 3?: [transfers]}`. Needs a receipt.
public struct HadBody: WireBody {
    /// A frame that is refused for good.
    public struct Refused: Hashable, Sendable {
        public let id: UUIDv7
        public let reason: Reason

        public init(_ id: UUIDv7, _ reason: Reason) {
            self.id = id
            self.reason = reason
        }
    }

    /// At most ``PeerLimits/hadIDs``.
    public let stored: [UUIDv7]
    /// At most ``PeerLimits/hadRefusals``.
    public let refused: [Refused]
    /// Offers whose files are here whole; at most ``PeerLimits/hadFiles``.
    public let files: [UUIDv7]

    public init(stored: [UUIDv7] = [], refused: [Refused] = [], files: [UUIDv7] = []) {
        self.stored = stored
        self.refused = refused
        self.files = files
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        stored = try body.optionalList(1, "stored", maximum: PeerLimits.hadIDs, BodyReader.id) ?? []
        refused =
            try body.optionalList(2, "refused", maximum: PeerLimits.hadRefusals) {
                (item, field) throws(WireError) -> Refused in
                guard let pair = item.arrayValue, pair.count == 2, case .text(let token) = pair[1] else {
                    throw .wrongType(field: field)
                }
                let id = try BodyReader.id(pair[0], field)
                guard let refusal = Refusal(token: token, detail: nil) else { throw .invalid(field: field) }
                return Refused(id, refusal.reason)
            } ?? []
        files = try body.optionalList(3, "files", maximum: PeerLimits.hadFiles, BodyReader.id) ?? []
        guard !stored.isEmpty || !refused.isEmpty || !files.isEmpty else { throw .missing(field: "stored") }
    }

    /// - Throws: `.missing` where it says nothing, `.invalid` for a zero id, `.tooLong`.
    public func encoded() throws(WireError) -> [UInt8] {
        guard !stored.isEmpty || !refused.isEmpty || !files.isEmpty else { throw .missing(field: "stored") }
        guard !stored.contains(.zero), refused.allSatisfy({ $0.id != .zero }), !files.contains(.zero) else {
            throw .invalid(field: "stored")
        }
        try FieldRules.bytes(stored.count, "stored", maximum: PeerLimits.hadIDs)
        try FieldRules.bytes(refused.count, "refused", maximum: PeerLimits.hadRefusals)
        try FieldRules.bytes(files.count, "files", maximum: PeerLimits.hadFiles)
        var map: CBORMap = [1: .array(stored.map { .bytes($0.bytes) })]
        if !refused.isEmpty {
            map[2] = .array(refused.map { .array([.bytes($0.id.bytes), .text($0.reason.rawValue)]) })
        }
        if !files.isEmpty { map[3] = .array(files.map { .bytes($0.bytes) }) }
        return CBOR.map(map).encoded()
    }
}
