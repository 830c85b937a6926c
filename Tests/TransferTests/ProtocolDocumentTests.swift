import Basics
import Crypto
import Foundation
import Testing

@testable import Transfer

/// The vectors of docs/PROTOCOL-FILES.md, computed. The document must contain each line exactly.
@Suite("docs/PROTOCOL-FILES.md")
struct ProtocolDocumentTests {
    static let transfer = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    static func vectors() throws -> [(String, String)] {
        try Sodium.start()
        let key = [UInt8](0..<32)
        let manifest = try Manifest([
            ManifestEntry(path: "", kind: .folder, size: 0, mode: 0o755, modified: 1_700_000_000_000_000_000),
            ManifestEntry(path: "a.txt", kind: .file, size: 3, mode: 0o644, modified: -1),
            ManifestEntry(path: "sub", kind: .folder, size: 0, mode: 0o700, modified: 0),
            ManifestEntry(path: "sub/é", kind: .file, size: 1_048_577, mode: 0o600, modified: 1),
        ])
        let chunk = Array("abc".utf8)
        let sum = chunk.withUnsafeBytes { Checksum(of: $0) }
        let header = RecordHeader(plaintext: 19, kind: .data, flags: 1, file: 1, chunk: 0)
        let digest = manifest.digest
        var vectors: [(String, [UInt8])] = [
            ("call", BulkMessage.call(transfer: transfer).encoded()),
            (
                "open",
                BulkMessage.open(
                    OpenRequest(transfer: transfer, ciphers: [.aes256GCM, .chacha20Poly1305], manifestDigest: nil)
                ).encoded()
            ),
            (
                "open with digest",
                BulkMessage.open(OpenRequest(transfer: transfer, ciphers: [.chacha20Poly1305], manifestDigest: digest))
                    .encoded()
            ),
            ("accept", BulkMessage.accept(.chacha20Poly1305, key: key, sendsManifest: true).encoded()),
            ("reject", BulkMessage.reject(.sourceChanged, detail: "").encoded()),
            ("want 0..<3 and 5..<70000", BulkMessage.want([0..<3, 5..<70_000], isComplete: true).encoded()),
            ("credit 8 MiB", BulkMessage.credit(8 << 20).encoded()),
            ("done", BulkMessage.done.encoded()),
            ("failed", BulkMessage.failed(.noSpace, detail: "disk").encoded()),
            (
                "refused",
                BulkMessage.refused([
                    RefusedFile(file: 1, reason: .typeNotAllowed), RefusedFile(file: 70_000, reason: .tooLarge),
                ]).encoded()
            ),
            ("text of skipped", FileProblem(.notFound, detail: "open: No such file or directory").encoded()),
            ("header of skipped", RecordHeader(plaintext: 46, kind: .skipped, file: 1).bytes),
            ("manifest page", ManifestCodec.pages(of: manifest)[0]),
            ("manifest digest", digest.bytes),
            ("checksum of abc", sum.bytes),
            ("checksum of an empty chunk", Checksum.ofZeros(0).bytes),
            ("checksum of 1 MiB of zeros", Checksum.ofZeros(TransferLimits.chunkBytes).bytes),
            ("checksum of the file abc", Checksum.ofFile([sum]).bytes),
            ("header", header.bytes),
        ]
        vectors += try swarmVectors(manifest, chunk)
        for (name, kind, number) in [
            ("ChaCha20-Poly1305", BulkCipher.Kind.chacha20Poly1305, UInt64(0)), ("AES-256-GCM", .aes256GCM, 258),
        ] {
            guard kind.isAvailable else { continue }
            var copy = key
            let cipher = try BulkCipher(kind, key: SecretBytes(moving: &copy))
            var text = chunk + sum.bytes + [UInt8](repeating: 0, count: 16)
            let associated = transfer.bytes + header.bytes
            try text.withUnsafeMutableBytes { text in
                try associated.withUnsafeBytes {
                    try cipher.seal(inPlace: text, count: 19, counter: number, associated: $0)
                }
            }
            vectors.append(("data record \(number), \(name)", header.bytes + text))
        }
        return vectors.map { ($0.0, Hex.encode($0.1)) }
    }

    /// The vectors of groups' files.
    private static func swarmVectors(_ manifest: Manifest, _ chunk: [UInt8]) throws -> [(String, [UInt8])] {
        let leaf = chunk.withUnsafeBytes { TreeHash(chunk: $0) }
        let empty = TreeHash(chunk: UnsafeRawBufferPointer(start: nil, count: 0))
        let list = try #require(SharedFileList(manifest: manifest, leaves: leaf.bytes + empty.bytes + leaf.bytes))
        let request = PieceRequest(
            transfer: transfer, fileRoot: list.fileRoot, ciphers: [.aes256GCM, .chacha20Poly1305], wantsList: true)
        return [
            ("leaf of abc", leaf.bytes), ("leaf of an empty chunk", empty.bytes), ("root", list.fileRoot.bytes),
            ("pieces", BulkMessage.pieces(request).encoded()),
            ("ask", BulkMessage.ask([0..<3, 5..<9], count: 4).encoded()),
        ]
    }

    @Test("every computed vector stands in the document")
    func vectors() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/PROTOCOL-FILES.md")
        let lines = Set(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
        for (name, hex) in try Self.vectors() {
            #expect(lines.contains("    \(name): \(hex)"), "    \(name): \(hex)")
        }
    }

    @Test("the limits in the document are the program's")
    func limits() {
        #expect(TransferLimits.chunkBytes == 1_048_576)
        #expect(TransferLimits.entries == 100_000)
        #expect(TransferLimits.transferBytes == 4 << 40)
        #expect(TransferLimits.depth == 64)
        #expect(TransferLimits.pathBytes == 4_000)
        #expect(TransferLimits.manifestPathBytes == 16 << 20)
        #expect(TransferLimits.manifestPageBytes == 131_072)
        #expect(TransferLimits.rangesPerMessage == 2_048 && TransferLimits.wantedRanges == 16_384)
        #expect(TransferLimits.refusalsPerMessage == 2_048)
        #expect(TransferLimits.window == 8 << 20 && TransferLimits.creditStep == 2 << 20)
        #expect(TransferLimits.openCredit == 1 << 30)
        #expect(TransferLimits.recordsPerKey == 1 << 20 && TransferLimits.messagesPerKey == 65_536)
        #expect(TransferLimits.stallSeconds == 30 && TransferLimits.finishSeconds == 300)
    }
}
