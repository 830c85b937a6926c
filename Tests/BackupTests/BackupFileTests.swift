import Basics
import Testing

@testable import Backup
@testable import Crypto

/// Goal: a backup is read as it was written, and whatever is changed, cut or exchanged is found, where it is.
struct BackupFileTests {
    static let passphrase = Passphrase("correct horse")

    static var secret: BackupSecret {
        var seed = [UInt8](repeating: 7, count: 32)
        return BackupSecret(key: [UInt8](repeating: 9, count: 32), seed: SecretBytes(moving: &seed))
    }

    static func beginning(_ tables: [BackupTableCount]) -> BackupEntry {
        .beginning(
            BackupBeginning(
                certificate: [1, 2, 3], software: "kibo 0", schema: 3, tables: tables, hasPassphrase: true,
                lastEvent: 8,
                lastEventAt: 9))
    }

    static func row(_ cells: [CBOR]) -> [UInt8] { CBOR.array(cells).encoded() }

    /// Some rows that can't be packed much, so that the file has several pieces.
    static let entries: [BackupEntry] = {
        var random = SeededGenerator(seed: 1)
        let noise = (0..<300).map { number in
            row([.integer(number), .bytes((0..<700).map { _ in UInt8.random(in: 0...255, using: &random) })])
        }
        let counts = [
            BackupTableCount(name: "one", rows: 3), BackupTableCount(name: "none", rows: 0),
            BackupTableCount(name: "noise", rows: 300),
        ]
        return [
            beginning(counts), .picture(digest: [UInt8](repeating: 4, count: 32), bytes: [5]),
            .table(BackupTable(name: "one", columns: ["a", "b", "c", "d"])),
            .rows(
                row([.null, .integer(-5), .text("ä"), .bytes([])])
                    + row([.integer(.max), .integer(.min), .null, .null])),
            .rows(row([.null, .null, .null, .null])), .table(BackupTable(name: "none", columns: ["x"])),
            .table(BackupTable(name: "noise", columns: ["n", "b"])), .rows(noise[..<200].flatMap(\.self)),
            .rows(noise[200...].flatMap(\.self)), .end(counts),
        ]
    }()

    static func file(
        _ entries: [BackupEntry] = entries, keystore: Keystore? = nil, finishes: Bool = true
    ) throws -> [UInt8] {
        let head = BackupHead(
            madeAt: WallTime(milliseconds: 1_700_000_000_000), keystore: keystore,
            recoveryBox: [UInt8](repeating: 1, count: 80))
        var writer = try BackupWriter(head, secret)
        var file = writer.beginning
        for entry in entries { file += try writer.append(entry) }
        return finishes ? file + (try writer.finish()) : file
    }

    /// The entries of a file, read in pieces of a size, and the error that ended it.
    static func read(_ file: [UInt8], by size: Int = .max) throws -> (entries: [BackupEntry], failure: BackupError?) {
        var found: [BackupEntry] = []
        do {
            let length = try BackupHead.length(Array(file.prefix(BackupHead.prefixBytes)))
            guard file.count >= length else { return ([], .damaged(at: 0)) }
            let head = try BackupHead(decoding: Array(file[..<length]), within: .cheap)
            let header = Array(file[length...].prefix(24))
            var reader = try BackupReader(head, header: header, secret)
            var rest = file[(length + header.count)...]
            while !rest.isEmpty {
                try reader.feed(Array(rest.prefix(size))) { found.append($0) }
                rest = rest.dropFirst(size)
            }
            try reader.finish { found.append($0) }
            return (found, nil)
        } catch let error as BackupError {
            return (found, error)
        }
    }

    @Test(
        "A file is read as it was written: whole, in pieces, and byte by byte", arguments: [Int.max, 65_553, 1000, 1])
    func reads(size: Int) throws {
        let file = try Self.file()
        #expect(file.count > 3 * BackupLimits.pieceBytes)
        let (entries, failure) = try Self.read(file, by: size)
        #expect(entries == Self.entries)
        #expect(failure == nil)
    }

    @Test("The passphrase opens key and seed, and another one doesn't")
    func opens() throws {
        let cheap = PassphraseCost(passes: 1, kibibytes: 8)
        let keystore = try Self.secret.sealed(with: Self.passphrase, cost: cheap)
        let file = try Self.file(keystore: keystore)
        let length = try BackupHead.length(Array(file.prefix(BackupHead.prefixBytes)))
        let head = try BackupHead(decoding: Array(file[..<length]), within: .cheap)
        #expect(head.madeAt.milliseconds == 1_700_000_000_000)
        #expect(head.recoveryBox?.count == 80)
        let opened = try BackupSecret(try #require(head.keystore), with: Self.passphrase)
        let (key, seed) = (opened.fileKey.bytes, opened.seed.withUnsafeBytes { Array($0) })
        #expect(key == [UInt8](repeating: 9, count: 32))
        #expect(seed == [UInt8](repeating: 7, count: 32))
        var reader = try BackupReader(head, header: Array(file[length..<length + 24]), opened)
        var count = 0
        try reader.feed(Array(file[(length + 24)...])) { _ in count += 1 }
        try reader.finish { _ in count += 1 }
        let isComplete = reader.isComplete
        #expect(count == Self.entries.count && isComplete)
        #expect(throws: Keystore.Failure.wrongPassphrase) {
            _ = try BackupSecret(keystore, with: Passphrase("wrong"))
        }
    }

    @Test("A file that was cut says where, and gives what stands before")
    func cut() throws {
        let file = try Self.file()
        var random = SeededGenerator(seed: 2)
        var lengths = Set((0..<60).map { _ in Int.random(in: 0..<file.count, using: &random) })
        lengths.formUnion((0...130).filter { $0 < file.count })
        let first = try #require(try? BackupHead.length(Array(file.prefix(12)))) + 24
        lengths.formUnion([first, first + 65_553, first + 65_554, first + 2 * 65_553, file.count - 1])
        for length in lengths {
            let (entries, failure) = try Self.read(Array(file[..<length]))
            switch failure {
            case .damaged(let place): #expect(place <= length, "cut at \(length)")
            case .notABackup: #expect(length < 12)
            default: Issue.record("cut at \(length): \(String(describing: failure))")
            }
            #expect(Self.entries.starts(with: entries))
            if length > first + 2 * 65_553 { #expect(entries.count >= 6, "what stands before the cut is read") }
        }
    }

    @Test("A changed byte is found in the piece where it is; none is overlooked")
    func changed() throws {
        let file = try Self.file()
        let length = try BackupHead.length(Array(file.prefix(12)))
        var random = SeededGenerator(seed: 3)
        let places = Array(0..<length + 60) + (0..<100).map { _ in Int.random(in: 0..<file.count, using: &random) }
        for place in places {
            var changed = file
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let (entries, failure) = try Self.read(changed)
            #expect(failure != nil, "byte \(place)")
            #expect(Self.entries.starts(with: entries))
            if case .damaged(let at)? = failure, place >= length + 24 {
                #expect(at <= place && place < at + 65_553, "byte \(place), said \(at)")
            }
        }
    }

    @Test("Exchanged, repeated and missing pieces are found, and so are bytes behind the end and another file's head")
    func spliced() throws {
        let file = try Self.file()
        let start = try BackupHead.length(Array(file.prefix(12))) + 24
        let (first, second) = (file[start..<start + 65_553], file[start + 65_553..<start + 2 * 65_553])
        let rest = file[(start + 2 * 65_553)...]
        func failure(_ parts: ArraySlice<UInt8>...) throws -> BackupError? {
            try Self.read(Array(parts.joined())).failure
        }
        #expect(try failure(file[..<start], second, first, rest) == .damaged(at: start))
        #expect(try failure(file[..<start], first, first, second, rest) == .damaged(at: start + 65_553))
        #expect(try failure(file[..<start], first, rest) == .damaged(at: start + 65_553))
        #expect(try failure(file[...], [0]) != nil)
        let other = try Self.file()
        #expect(other[..<(start - 24)] == file[..<(start - 24)])
        #expect(try failure(other[..<start], file[start...]) == .damaged(at: start))
        let later = BackupHead(
            madeAt: WallTime(milliseconds: 1_700_000_000_001), keystore: nil,
            recoveryBox: [UInt8](repeating: 1, count: 80))
        #expect(try failure(later.encoded[...], file[(start - 24)...]) == .damaged(at: start))
    }

    @Test("A later version is told from damage, and another file from both")
    func versions() throws {
        var file = try Self.file()
        file[9] = 2
        #expect(try Self.read(file).failure == .newer(version: 2))
        file[9] = 0
        #expect(try Self.read(file).failure == .damaged(at: 0))
        #expect(try Self.read(Array("KIBOBACC".utf8) + file[8...]).failure == .notABackup)
        #expect(try Self.read([]).failure == .notABackup)
    }

    /// What a reader says of entries that were sealed with the right key.
    private func problem(_ entries: [BackupEntry]) throws -> BackupError? {
        try Self.read(try Self.file(entries)).failure
    }

    @Test("Entries in another order, of another form or in another number are refused, even if they are sealed")
    func order() throws {
        let all = Self.entries
        func isMalformed(_ entries: [BackupEntry]) throws -> Bool {
            if case .malformed? = try problem(entries) { true } else { false }
        }
        #expect(try problem(all) == nil)
        for place in all.indices where place != 1 {
            var less = all
            less.remove(at: place)
            #expect(try isMalformed(less), "without \(place)")
            #expect(try isMalformed(Array(all[..<place]) + [all[place]] + Array(all[place...])), "\(place) twice")
        }
        #expect(try isMalformed(all + [all[1]]))
        #expect(try isMalformed([all[1]] + all))
        #expect(try isMalformed(Array(all[..<3]) + [.picture(digest: [UInt8](repeating: 0, count: 32), bytes: [1])]))
        for row in [
            [CBOR.array([])], [.null, .null, .null], [.null, .null, .null, .null, .null],
            [.null, .null, .null, .array([.null])], [.null, .null, .null, .boolean(true)],
            [.null, .null, .null, .map([:])], [.null, .null, .null, .unsigned(1 << 63)],
        ] {
            var other = all
            other[4] = .rows(Self.row(row))
            #expect(try isMalformed(other), "\(row)")
        }
        var other = all
        other[4] = .rows([0x84, 0xF6, 0xF6, 0xF6, 0x61, 0xFF])
        #expect(try isMalformed(other), "a text that is not UTF-8")
        other[4] = .rows([0x84, 0xF6, 0xF6, 0xF6, 0x18, 0x01])
        #expect(try isMalformed(other), "a number in a longer form")
    }
}
