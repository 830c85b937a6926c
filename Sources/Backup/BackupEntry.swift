import Basics

/// One entry of the sealed part.
public enum BackupEntry: Hashable, Sendable {
    /// The first one.
    case beginning(BackupBeginning)
    /// A picture of a person, by its digest.
    case picture(digest: [UInt8], bytes: [UInt8])
    /// The rows that follow belong to this table, and have these columns.
    case table(BackupTable)
    /// CBOR arrays of cells, one after another: null, an integer, text or bytes for each column.
    case rows([UInt8])
    /// The last one: how many rows each table had.
    case end([BackupTableCount])

    /// The number of the kind in the file.
    var kind: UInt8 {
        switch self {
        case .beginning: 1
        case .table: 3
        case .rows: 4
        case .picture: 5
        case .end: 9
        }
    }
}

/// A table by its name, and the names of its columns.
public struct BackupTable: Hashable, Sendable {
    public let name: String
    public let columns: [String]

    public init(name: String, columns: [String]) {
        self.name = name
        self.columns = columns
    }
}

/// How many rows a table has.
public struct BackupTableCount: Hashable, Sendable {
    public let name: String
    public let rows: Int

    public init(name: String, rows: Int) {
        self.name = name
        self.rows = rows
    }
}

/// What a backup says of itself under its seal.
public struct BackupBeginning: Hashable, Sendable {
    /// The certificate of the device that has made it, which names the account.
    public var certificate: [UInt8]
    /// The program that has made it, such as "kibo 1.2".
    public var software: String
    /// The version of the database's schema.
    public var schema: Int
    /// All tables that follow, in their order.
    public var tables: [BackupTableCount]
    /// Whether the account had a passphrase.
    public var hasPassphrase: Bool
    /// The number of the last event that clients may have seen, and its time in milliseconds; zeros if there was none.
    public var lastEvent: Int64
    public var lastEventAt: Int64

    public init(
        certificate: [UInt8], software: String, schema: Int, tables: [BackupTableCount], hasPassphrase: Bool,
        lastEvent: Int64, lastEventAt: Int64
    ) {
        self.certificate = certificate
        self.software = software
        self.schema = schema
        self.tables = tables
        self.hasPassphrase = hasPassphrase
        self.lastEvent = lastEvent
        self.lastEventAt = lastEventAt
    }

    /// The rows of all tables together. A reader that is told of more than fit into a number stops there.
    public var rows: Int { tables.reduce(0) { $0.addingReportingOverflow($1.rows).partialValue } }
}

extension BackupEntry {
    /// The content as it stands in the file, behind kind and length.
    var content: [UInt8] {
        switch self {
        case .beginning(let value):
            CBOR.map([
                1: .bytes(value.certificate), 2: .text(value.software), 3: .integer(Int64(value.schema)),
                4: Self.coded(value.tables), 5: .boolean(value.hasPassphrase), 6: .integer(value.lastEvent),
                7: .integer(value.lastEventAt),
            ]).encoded()
        case .picture(let digest, let bytes): CBOR.map([1: .bytes(digest), 2: .bytes(bytes)]).encoded()
        case .table(let table):
            CBOR.map([1: .text(table.name), 2: .array(table.columns.map(CBOR.text))]).encoded()
        case .rows(let bytes): bytes
        case .end(let tables): CBOR.map([1: Self.coded(tables)]).encoded()
        }
    }

    private static func coded(_ tables: [BackupTableCount]) -> CBOR {
        .array(tables.map { .array([.text($0.name), .integer(Int64($0.rows))]) })
    }

    /// Nil for a content that doesn't follow the definition.
    init?(kind: UInt8, content: [UInt8]) {
        if kind == 4 {
            self = .rows(content)
            return
        }
        guard let map = (try? CBORDecoder.decode(content))?.mapValue else { return nil }
        switch kind {
        case 1:
            guard let certificate = map[1]?.bytesValue, let software = map[2]?.textValue,
                software.utf8.count <= BackupLimits.nameBytes, let schema = map[3]?.unsignedValue,
                let schema = Int(exactly: schema), let tables = Self.tables(map[4]),
                let hasPassphrase = map[5]?.booleanValue, let event = map[6]?.integerValue, event >= 0,
                let eventAt = map[7]?.integerValue
            else { return nil }
            self = .beginning(
                BackupBeginning(
                    certificate: certificate, software: software, schema: schema, tables: tables,
                    hasPassphrase: hasPassphrase, lastEvent: event, lastEventAt: eventAt))
        case 3:
            guard let name = Self.name(map[1]), let columns = map[2]?.arrayValue,
                1...BackupLimits.columns ~= columns.count
            else { return nil }
            let names = columns.compactMap(Self.name)
            guard Set(names).count == columns.count else { return nil }
            self = .table(BackupTable(name: name, columns: names))
        case 5:
            guard let digest = map[1]?.bytesValue, digest.count == 32, let bytes = map[2]?.bytesValue,
                1...BackupLimits.pictureBytes ~= bytes.count
            else { return nil }
            self = .picture(digest: digest, bytes: bytes)
        case 9:
            guard let tables = Self.tables(map[1]) else { return nil }
            self = .end(tables)
        default: return nil
        }
    }

    private static func name(_ value: CBOR?) -> String? {
        guard let name = value?.textValue, 1...BackupLimits.nameBytes ~= name.utf8.count else { return nil }
        return name
    }

    private static func tables(_ value: CBOR?) -> [BackupTableCount]? {
        guard let items = value?.arrayValue, items.count <= BackupLimits.tables else { return nil }
        var tables: [BackupTableCount] = []
        for item in items {
            guard let pair = item.arrayValue, pair.count == 2, let name = name(pair[0]),
                let rows = pair[1].unsignedValue, let rows = Int(exactly: rows)
            else { return nil }
            tables.append(BackupTableCount(name: name, rows: rows))
        }
        return Set(tables.map(\.name)).count == tables.count ? tables : nil
    }

    /// The most bytes that an entry of a kind may have; nil for an unknown kind.
    static func limit(ofKind kind: UInt8) -> Int? {
        switch kind {
        case 1, 3, 9: 1 << 16
        case 4: BackupLimits.entryBytes
        case 5: BackupLimits.pictureBytes + 64
        default: nil
        }
    }
}
