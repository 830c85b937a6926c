import Backup
import Basics
import Crypto

/// The head of a backup, and what a reader with the right key makes of hostile entries: the input is packed and sealed here.
enum FuzzTarget {
    private static let seed = SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    private static let head = BackupHead(
        madeAt: WallTime(milliseconds: 1), keystore: nil, recoveryBox: [UInt8](repeating: 1, count: 80))

    static let seeds: [[UInt8]] = {
        let tables = [BackupTableCount(name: "setting", rows: 1)]
        let entries: [BackupEntry] = [
            .beginning(
                BackupBeginning(
                    certificate: [1], software: "kibo", schema: 1, tables: tables, hasPassphrase: true, lastEvent: 1,
                    lastEventAt: 1)),
            .picture(digest: [UInt8](repeating: 1, count: 32), bytes: [1]),
            .table(BackupTable(name: "setting", columns: ["name", "value"])),
            .rows(CBOR.array([.text("a"), .null]).encoded()), .end(tables),
        ]
        return [[0] + head.encoded, [1] + entries.flatMap(BackupWriter.coded)]
    }()

    static func run(_ bytes: [UInt8]) {
        guard let kind = bytes.first else { return }
        let input = Array(bytes.dropFirst())
        if kind == 0 { head(input) } else { entries(input) }
    }

    private static func head(_ input: [UInt8]) {
        guard let length = try? BackupHead.length(input) else { return }
        require(length <= BackupHead.prefixBytes + BackupLimits.headBytes, "a bound")
        guard let head = try? BackupHead(decoding: input) else { return }
        require(head.encoded == input, "the bytes as they were")
        require(head.keystore != nil || head.recoveryBox != nil, "a way to open it")
    }

    private static func entries(_ input: [UInt8]) {
        let secret = BackupSecret(seed: seed)
        guard var writer = try? BackupWriter(head, secret), let sealed = try? writer.appendRaw(input),
            let last = try? writer.finish(), let whole = read(writer.beginning + sealed + last, secret, by: .max)
        else { return }
        require(whole.isComplete, "it has an end")
        require(whole.entries.flatMap(BackupWriter.coded) == input, "one content, one encoding")
        let again = read(writer.beginning + sealed + last, secret, by: 7)
        require(again?.entries == whole.entries, "in pieces it is the same")
    }

    private static func read(
        _ file: [UInt8], _ secret: borrowing BackupSecret, by size: Int
    ) -> (entries: [BackupEntry], isComplete: Bool)? {
        let start = head.encoded.count + CryptoLimits.streamHeaderBytes
        guard var reader = try? BackupReader(head, header: Array(file[head.encoded.count..<start]), secret) else {
            return nil
        }
        var found: [BackupEntry] = []
        var rest = file[start...]
        do {
            while !rest.isEmpty {
                try reader.feed(Array(rest.prefix(size))) { found.append($0) }
                rest = rest.dropFirst(size)
            }
            try reader.finish { found.append($0) }
        } catch { return nil }
        return (found, reader.isComplete)
    }
}
