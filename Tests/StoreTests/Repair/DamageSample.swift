import Basics
import Glibc
import Vocabulary

@testable import Store

/// A database with a bit of everything, and ways to damage its file.
struct DamageSample {
    static let people: [UInt8] = [2, 3, 4]
    static let messages = 2000
    static let settings = 300

    static func conversation(_ person: UInt8) -> UUIDv7 { Sample.id(1_000_000 + UInt64(person)) }
    static func person(of number: Int) -> UInt8 { people[number % people.count] }

    private static let filled = Task {
        let directory = try TemporaryDirectory()
        try await fill(directory)
        return bytes(directory.database)
    }

    /// Puts a filled database into a directory.
    static func put(in directory: TemporaryDirectory) async throws {
        write(try await filled.value, to: directory.database)
    }

    private static func fill(_ directory: TemporaryDirectory) async throws {
        let clocks = ManualClocks()
        let store = try Store.open(directory: directory.path, clocks: clocks)
        try await store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "host", displayName: "Me",
                    createdAt: transaction.wallTime))
            for number in people {
                var row = ContactRow(
                    account: Sample.account(number), displayName: "person \(number)", relation: .friend,
                    createdAt: transaction.wallTime)
                row.card = [UInt8](repeating: number, count: 300)
                try transaction.save(row)
                _ = try transaction.openConversation(with: Sample.account(number), newID: conversation(number))
            }
            for number in 0..<settings { try transaction.setSetting("test.\(number)", to: text(number)) }
        }
        for batch in 0..<(messages / 100) {
            try await store.commit { transaction in
                for number in (batch * 100)..<(batch * 100 + 100) {
                    let id = UInt64(number + 1)
                    let place = conversation(person(of: number))
                    if number % 2 == 0 {
                        let row = Sample.message(id, from: person(of: number), text: text(number), in: place)
                        _ = try transaction.insertIncoming(row)
                    } else {
                        let friend = Sample.account(person(of: number))
                        try transaction.insertOutgoing(
                            Sample.message(id, text: text(number), in: place), to: [friend])
                        try transaction.advance([Sample.id(id)], at: friend, to: .read)
                    }
                }
            }
        }
        try await store.commit { try $0.acknowledge(consumer: "client", upTo: try $0.latestEvent()) }
        store.close()
    }

    /// Some are longer than a page, and go on in pages of their own.
    static func text(_ number: Int) -> String {
        "number \(number) " + String(repeating: "word ", count: number % 50 == 7 ? 2000 : number % 20)
    }

    // MARK: Pages

    struct Page {
        let number: Int
        /// The table or index.
        let owner: String
        let kind: String
        let cells: Int
    }

    private static let pagesOf = SQL("SELECT pageno, name, pagetype, ncell FROM dbstat ORDER BY pageno")

    /// The pages of a closed database, but for those of the schema.
    static func pages(_ directory: TemporaryDirectory) throws -> [Page] {
        let connection = try Connection(path: directory.database, purpose: .reader)
        defer { connection.close() }
        return try connection.rows(pagesOf) { row in
            Page(number: Int(row.integer(0)), owner: row.text(1), kind: row.text(2), cells: Int(row.integer(3)))
        }.filter { $0.owner != "sqlite_schema" && $0.number > 1 }
    }

    /// Overwrites pages with noise, zeros or ones.
    static func hit(_ pages: [Int], in path: String, _ random: inout some RandomNumberGenerator) {
        let file = open(path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        for page in pages {
            let kind = Int.random(in: 0..<3, using: &random)
            let bytes = (0..<4096).map { _ in
                kind == 0 ? UInt8.random(in: 0...255, using: &random) : kind == 1 ? 0 : 0xFF
            }
            _ = pwrite(file, bytes, bytes.count, off_t(page - 1) * 4096)
        }
    }

    static func bytes(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return found }
            found += buffer[..<count]
        }
    }

    static func write(_ bytes: [UInt8], to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(file)
    }
}
