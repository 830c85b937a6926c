import Basics
import Crypto

@testable import Transfer

/// A transfer after decryption: control messages, record headers and manifest pages, chosen by the first byte.
enum FuzzTarget {
    private static let id = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let entries = [
        ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 0),
        ManifestEntry(path: "a", kind: .folder, size: 0, mode: 0o755, modified: 0),
        ManifestEntry(path: "a/b.txt", kind: .file, size: 3_000_000, mode: 0o644, modified: 5),
        ManifestEntry(path: "c", kind: .file, size: 0, mode: 0o644, modified: 5),
    ]
    private static let manifest = try? Manifest(entries)

    static let seeds: [[UInt8]] = {
        let messages: [BulkMessage] = [
            .call(transfer: id), .open(OpenRequest(transfer: id, ciphers: [.chacha20Poly1305], manifestDigest: nil)),
            .accept(.aes256GCM, key: [UInt8](repeating: 1, count: 32), sendsManifest: true),
            .want([0..<3], isComplete: true),
            .credit(1 << 20), .done, .refused([RefusedFile(file: 2, reason: .typeNotAllowed)]),
        ]
        let headers = [
            RecordHeader(plaintext: (1 << 20) + 16, kind: .data, file: 2, chunk: 0),
            RecordHeader(plaintext: 4, kind: .hole, file: 2),
            RecordHeader(plaintext: 16, kind: .fileEnd, file: 2), RecordHeader(plaintext: 20, kind: .skipped, file: 3),
            RecordHeader(plaintext: 0, kind: .end),
        ]
        return messages.map { [0] + $0.encoded() } + [[1] + headers.flatMap(\.bytes)]
            + (manifest.map { ManifestCodec.pages(of: $0).map { [2] + $0 } } ?? [])
            + [[3] + messages.flatMap { [UInt8($0.encoded().count)] + $0.encoded() }]
            + [[4] + FileProblem(.notFound, detail: "open: No such file or directory").encoded()]
    }()

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = bytes.dropFirst()
        switch first % 5 {
        case 0:
            if let message = try? BulkMessage(decoding: rest) {
                require((try? BulkMessage(decoding: message.encoded()[...])) == message, "bulk message")
            }
        case 1: receive(rest)
        case 2:
            var assembler = ManifestAssembler()
            if let whole = try? assembler.append(page: rest) {
                require((try? Manifest(whole.entries))?.entries == whole.entries, "a manifest's entries make it again")
                var again = ManifestAssembler()
                var result: Manifest?
                for page in ManifestCodec.pages(of: whole) { result = (try? again.append(page: page[...])) ?? nil }
                require(result == whole, "a manifest survives its pages")
            }
        case 3: send(rest)
        default:
            if let problem = FileProblem(decoding: rest) {
                require(problem.encoded().count <= 2_048, "a problem fits its record")
                require(FileProblem(decoding: problem.encoded()[...]) == problem, "a problem survives the wire")
            }
        }
    }

    /// Headers of a lying sender: no more may be accepted than was requested.
    private static func receive(_ bytes: ArraySlice<UInt8>) {
        guard let manifest else { return }
        let layout = ChunkLayout(manifest)
        var machine = ReceiverMachine(
            offer: ReceiverMachine.Offer(isFolder: true, size: manifest.size, files: manifest.files), hasManifest: true)
        guard (try? machine.begin(ChunkMap(layout))) != nil else { return }
        var rest = bytes
        while rest.count >= RecordHeader.size {
            guard let header = RecordHeader(Array(rest.prefix(RecordHeader.size))) else { return }
            rest = rest.dropFirst(RecordHeader.size)
            do {
                try machine.check(header)
                switch header.kind {
                case .data:
                    let isKept = !machine.map.leftOut.contains(header.file)
                    require(machine.received(header, checksum: Checksum.ofZeros(1)) == isKept, "each chunk once")
                    if header.chunk == 1 { _ = machine.refuse(file: header.file) }
                case .skipped: _ = machine.receivedSkipped(header)
                case .hole: try machine.receivedHole(header, count: header.chunk % 5)
                case .fileEnd: try machine.receivedFileEnd(header, checksum: nil)
                case .end: try machine.receivedEnd()
                case .manifest, .failed, .leaves, .have: return
                }
            } catch { return }
            _ = machine.drainCredit()
        }
        require(!machine.isEnded || machine.map.isComplete, "the end is the end of everything")
    }

    /// Messages of a lying receiver: no more may be sent than was granted.
    private static func send(_ bytes: ArraySlice<UInt8>) {
        guard let manifest else { return }
        var machine = SenderMachine(layout: ChunkLayout(manifest))
        var rest = bytes
        while let count = rest.first {
            rest = rest.dropFirst()
            guard let message = try? BulkMessage(decoding: rest.prefix(Int(count))),
                (try? machine.receive(message)) != nil
            else { return }
            rest = rest.dropFirst(Int(count))
            for step in 0..<20 {
                _ = machine.next()
                if step % 3 == 1 { _ = machine.makeHole(upTo: UInt64(count)) }
                if step % 5 == 4 { _ = machine.skip(FileProblem(.notFound)) }
                require(machine.credit <= TransferLimits.openCredit, "credit stays within its bound")
                require(machine.bytesSent <= machine.bytesWanted, "no more is sent than was asked for")
                require(machine.filesDone >= 0, "files are counted once")
            }
        }
    }
}
