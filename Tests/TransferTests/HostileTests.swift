import Basics
import Crypto
import Foundation
import Testing

@testable import Transfer

/// A sender that sends whatever a test wants.
private struct RawSender: Sendable {
    let connection: BulkConnection
    let transfer: UUIDv7

    /// Takes `open`, accepts, and returns a writer for records under the key that it sent.
    func accept(sendsManifest: Bool = true) throws -> RecordWriter {
        _ = try connection.receiveGreeting()
        let key = [UInt8](repeating: 5, count: 32)
        try connection.send(.accept(.chacha20Poly1305, key: key, sendsManifest: sendsManifest))
        var copy = key
        let cipher = try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &copy))
        return RecordWriter(connection, cipher: cipher, transfer: transfer)
    }
}

private func write(_ writer: RecordWriter, _ manifest: Manifest) throws {
    for page in ManifestCodec.pages(of: manifest) {
        try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
    }
}

private func data(_ bytes: [UInt8], file: UInt32 = 0, chunk: UInt32 = 0, last: Bool = true) -> (RecordHeader, [UInt8]) {
    let sum = bytes.withUnsafeBytes { Checksum(of: $0) }
    return (
        RecordHeader(plaintext: bytes.count + 16, kind: .data, flags: last ? 1 : 0, file: file, chunk: chunk),
        bytes + sum.bytes
    )
}

@Suite("Hostile peers at the loops")
struct HostileTests {
    /// Runs an honest receiver of `size` bytes against a scripted sender. Returns how it ended and the folder's
    /// content.
    private func receive(
        size: UInt64, isFolder: Bool = false, name: String = "a.bin",
        _ script: @escaping @Sendable (RecordWriter) throws -> Void
    ) throws -> (ReceiveResult, [String]) {
        let folder = try TemporaryFolder()
        let destination = try folder.folder("out")
        let plan = ReceivePlan(
            transfer: UUIDv7(high: 1, low: 2), name: name,
            offer: .init(isFolder: isFolder, size: size, files: 1), directory: destination, freeSpaceReserve: 0)
        let (left, right) = try connectionPair()
        let raw = RawSender(connection: left, transfer: plan.transfer)
        let sending = Background {
            do {
                let writer = try raw.accept()
                try script(writer)
                try writer.flush()
            } catch {}
            // The receiver must end by itself and report that, or just close.
            while let message = try? left.receive() {
                if case .failed = message { break }
            }
            left.close()
        }
        let receiving = Background { () -> ReceiveResult in
            do throws(TransferFailure) {
                return .success(try ReceiveJob(plan, journal: MemoryJournal()) { _ in }.run(right))
            } catch { return .failure(error) }
        }
        let result = try receiving.wait()
        _ = try sending.wait()
        return (result, try folder.list("out"))
    }

    private func isRefused(_ outcome: (ReceiveResult, [String])) -> Bool {
        guard case .failure(.invalid) = outcome.0 else { return false }
        return outcome.1.allSatisfy { $0.hasSuffix(".kibo-part") }
    }

    private static func single(_ size: UInt64) throws -> Manifest {
        try Manifest([ManifestEntry(path: "", kind: .file, size: size, mode: 0o644, modified: 0)])
    }

    @Test("an honest script passes, which makes the refusals below meaningful")
    func honest() throws {
        let outcome = try receive(size: 3) { writer in
            try write(writer, try Self.single(3))
            let (header, body) = data([1, 2, 3])
            try writer.write(header, body)
            let whole = Checksum.ofFile([([1, 2, 3] as [UInt8]).withUnsafeBytes { Checksum(of: $0) }])
            try writer.write(RecordHeader(plaintext: 16, kind: .fileEnd), whole.bytes)
            try writer.write(RecordHeader(plaintext: 0, kind: .end), [])
        }
        #expect((try? outcome.0.get()) != nil)
        #expect(outcome.1 == ["a.bin"])
    }

    @Test("a manifest that differs from the offer in size or kind is refused")
    func otherManifest() throws {
        #expect(isRefused(try receive(size: 3) { try write($0, try Self.single(4)) }))
        #expect(isRefused(try receive(size: 3, isFolder: true) { try write($0, try Self.single(3)) }))
        #expect(isRefused(try receive(size: 3, name: "..") { try write($0, try Self.single(3)) }))
        #expect(isRefused(try receive(size: 3, name: "a/b") { try write($0, try Self.single(3)) }))
    }

    @Test("names in a page that lead out of the folder leave nothing outside")
    func names() throws {
        for name in ["..", "../../x", "/etc/x", "a/b", "a\u{0}b"] {
            let outcome = try receive(size: 1, isFolder: true) { writer in
                let items: [CBOR] = [
                    .array([.unsigned(0), .text(""), .unsigned(1), .unsigned(0), .unsigned(0o755), .unsigned(0)]),
                    .array([.unsigned(0), .text(name), .unsigned(0), .unsigned(1), .unsigned(0o644), .unsigned(0)]),
                ]
                let page = CBOR.map([1: .unsigned(0), 2: .array(items), 3: .unsigned(2)]).encoded()
                try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
            }
            #expect(isRefused(outcome))
            #expect(outcome.1.isEmpty)
        }
    }

    @Test("more bytes than announced are refused: in one chunk, in a second one, and without end")
    func moreBytes() throws {
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    let (header, body) = data([1, 2, 3, 4])
                    try writer.write(header, body)
                }))
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    let (header, body) = data([1, 2, 3])
                    for _ in 0..<1_000_000 { try writer.write(header, body) }
                }))
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    let page = ManifestCodec.pages(of: try Self.single(3))[0]
                    for _ in 0..<1_000_000 {
                        try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
                    }
                }))
    }

    @Test("chunks of other files, wrong checksums, an early end and wrong holes are refused")
    func lies() throws {
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    let (header, body) = data([1, 2, 3], file: 7)
                    try writer.write(header, body)
                }))
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    let (header, _) = data([1, 2, 3])
                    try writer.write(header, [1, 2, 3] + [UInt8](repeating: 0, count: 16))
                }))
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    try writer.write(RecordHeader(plaintext: 0, kind: .end), [])
                }))
        #expect(
            isRefused(
                try receive(size: 3) { writer in
                    try write(writer, try Self.single(3))
                    let (header, body) = data([1, 2, 3])
                    try writer.write(header, body)
                    try writer.write(RecordHeader(plaintext: 16, kind: .fileEnd), [UInt8](repeating: 0, count: 16))
                }))
        for count: UInt32 in [0, 2, .max] {
            #expect(
                isRefused(
                    try receive(size: 3) { writer in
                        try write(writer, try Self.single(3))
                        var body: [UInt8] = []
                        body.appendBigEndian(count)
                        try writer.write(RecordHeader(plaintext: 4, kind: .hole, flags: 1), body)
                    }))
        }
    }

    @Test("records that were replayed, reordered or altered on the way do not open")
    func altered() throws {
        let (left, right) = try connectionPair()
        var key = [UInt8](repeating: 5, count: 32)
        var same = key
        let cipher = try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &key))
        let reader = RecordReader(
            right, cipher: try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &same)), transfer: .zero)
        var record = RecordHeader(plaintext: 3, kind: .data, file: 1, chunk: 2).bytes + [1, 2, 3]
        record += [UInt8](repeating: 0, count: 16)
        let associated = UUIDv7.zero.bytes + record[..<16]
        try record.withUnsafeMutableBytes { bytes in
            try associated.withUnsafeBytes {
                try cipher.seal(
                    inPlace: UnsafeMutableRawBufferPointer(rebasing: bytes[16...]), count: 3, counter: 0, associated: $0
                )
            }
        }
        func send(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try left.sendAll($0) } }
        // The chunk number is authenticated although it is not encrypted.
        var other = record
        other[15] ^= 1
        try send(other)
        let forged = try reader.header()
        #expect(throws: TransferFailure.invalid("a record that can't be opened")) { try reader.body(forged) }
        var third = [UInt8](repeating: 5, count: 32)
        let again = RecordReader(
            right, cipher: try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &third)), transfer: .zero)
        right.input.consume(record.count)
        try send(record)
        try send(record)
        let first = try again.header()
        #expect(Array(try again.body(first)) == [1, 2, 3])
        let replayed = try again.header()
        #expect(throws: TransferFailure.invalid("a record that can't be opened")) { try again.body(replayed) }
    }

    @Test(
        "a receiver with impossible requests, too much credit, or a malformed message is refused",
        arguments: [
            BulkMessage.want([0..<99], isComplete: true), .credit(.max), .done, .call(transfer: .zero),
            .refused([RefusedFile(file: 0, reason: .typeNotAllowed)]),
            .refused([RefusedFile(file: 9, reason: .invalid)]),
        ])
    func hostileReceiver(_ message: BulkMessage) throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(100, seed: 1))
        let scenario = try Scenario(source, to: folder.path)
        let (left, right) = try connectionPair()
        let sending = scenario.startSender(left)
        try right.send(
            .open(OpenRequest(transfer: scenario.send.transfer, ciphers: [.chacha20Poly1305], manifestDigest: nil)))
        guard case .accept = try right.receive() else {
            Issue.record("not accepted")
            return
        }
        try right.send(message)
        let result = try sending.wait()
        guard case .failure(.invalid) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("a request for another transfer, without a common cipher, or of garbage is rejected")
    func badOpen() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("a.bin", content(100, seed: 1))
        let scenario = try Scenario(source, to: folder.path)
        for request in [
            OpenRequest(transfer: .zero, ciphers: [.chacha20Poly1305], manifestDigest: nil),
            OpenRequest(transfer: scenario.send.transfer, ciphers: [], manifestDigest: nil),
        ] {
            let (left, right) = try connectionPair()
            let sending = scenario.startSender(left)
            try right.send(.open(request))
            guard case .reject = try right.receive() else {
                Issue.record("not rejected")
                return
            }
            #expect((try? sending.wait().get()) == nil)
        }
        let (left, right) = try connectionPair()
        let sending = scenario.startSender(left)
        try [UInt8](repeating: 7, count: 4_000).withUnsafeBytes { try right.sendAll($0) }
        #expect(throws: TransferFailure.invalid("a message that can't be opened")) { try sending.wait().get() }
    }

    @Test("keys change after 65,536 messages on both sides")
    func rekey() throws {
        let (left, right) = try connectionPair()
        let count = Int(TransferLimits.messagesPerKey) + 10
        let sending = Background { () -> Bool in
            for number in 0..<count { guard (try? left.send(.credit(UInt64(number)))) != nil else { return false } }
            return true
        }
        for number in 0..<count {
            let message = try right.receive()
            guard message == .credit(UInt64(number)) else {
                Issue.record("message \(number)")
                return
            }
        }
        #expect(try sending.wait())
    }
}
