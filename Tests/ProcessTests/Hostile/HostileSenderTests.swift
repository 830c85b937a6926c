import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@testable import Transfer

/// Friends offer one thing and send another. Nothing they do may change files outside the chosen folder, or leave wrong
/// content under a final name.
@Suite("Hostile senders of files to a real daemon", .serialized)
struct HostileSenderTests {
    private typealias Script = @Sendable (RecordWriter) throws -> Void

    static func data(
        _ bytes: [UInt8], file: UInt32 = 0, chunk: UInt32 = 0, isLast: Bool = true, checksum: [UInt8]? = nil
    ) -> (RecordHeader, [UInt8]) {
        let sum = checksum ?? bytes.withUnsafeBytes { Checksum(of: $0) }.bytes
        let flags = isLast ? RecordHeader.lastChunk : 0
        return (
            RecordHeader(plaintext: bytes.count + 16, kind: .data, flags: flags, file: file, chunk: chunk), bytes + sum
        )
    }

    static func write(_ writer: RecordWriter, _ record: (RecordHeader, [UInt8])) throws {
        try writer.write(record.0, record.1)
    }

    private static func manifest(_ writer: RecordWriter, size: UInt64 = 3) throws {
        let manifest = try Manifest([ManifestEntry(path: "", kind: .file, size: size, mode: 0o644, modified: 0)])
        for page in ManifestCodec.pages(of: manifest) {
            try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
        }
    }

    /// A page that names files in the offered folder, in bytes that no honest codec makes.
    static func page(_ names: [String], folder: UInt64 = 0) -> [UInt8] {
        var items: [CBOR] = [
            .array([.unsigned(0), .text(""), .unsigned(1), .unsigned(0), .unsigned(0o755), .unsigned(0)])
        ]
        for name in names {
            items.append(
                .array([.unsigned(folder), .text(name), .unsigned(0), .unsigned(1), .unsigned(0o644), .unsigned(0)]))
        }
        return CBOR.map([1: .unsigned(0), 2: .array(items), 3: .unsigned(UInt64(items.count))]).encoded()
    }

    static func end(_ writer: RecordWriter) throws {
        try writer.write(RecordHeader(plaintext: 0, kind: .end), [])
    }

    /// False manifests and contents of a file of three bytes.
    private static let filesOfThree: [(String, Script)] = [
        ("another size", { try manifest($0, size: 4) }),
        (
            "more bytes than announced",
            {
                try manifest($0); try write($0, data([1, 2, 3, 4]))
            }
        ),
        (
            "fewer",
            {
                try manifest($0); try write($0, data([1, 2]))
            }
        ),
        (
            "another chunk",
            {
                try manifest($0); try write($0, data([1, 2, 3], chunk: 1))
            }
        ),
        (
            "another file",
            {
                try manifest($0); try write($0, data([1, 2, 3], file: 1))
            }
        ),
        (
            "file beyond numbers",
            {
                try manifest($0); try write($0, data([1, 2, 3], file: .max, chunk: .max))
            }
        ),
        (
            "not the last chunk",
            {
                try manifest($0); try write($0, data([1, 2, 3], isLast: false))
            }
        ),
        (
            "wrong checksum of a chunk",
            {
                try manifest($0); try write($0, data([1, 2, 3], checksum: [UInt8](repeating: 1, count: 16)))
            }
        ),
        (
            "wrong checksum of the file",
            {
                try manifest($0)
                try write($0, data([1, 2, 3]))
                try $0.write(RecordHeader(plaintext: 16, kind: .fileEnd), [UInt8](repeating: 1, count: 16))
                try end($0)
            }
        ),
        (
            "the same chunk without end",
            {
                try manifest($0)
                for _ in 0..<1_000_000 { try write($0, data([1, 2, 3])) }
            }
        ),
        (
            "manifest pages without end",
            { writer in
                for _ in 0..<1_000_000 { try manifest(writer) }
            }
        ),
        ("the end before the beginning", { try end($0) }),
        (
            "the end too early",
            {
                try manifest($0); try end($0)
            }
        ),
        ("data before the manifest", { try write($0, data([1, 2, 3])) }),
        (
            "a hole larger than the file",
            {
                try manifest($0)
                try $0.write(RecordHeader(plaintext: 4, kind: .hole, flags: 1), [0xFF, 0xFF, 0xFF, 0xFF])
            }
        ),
        (
            "skipped, though it is the only file",
            {
                try manifest($0)
                let text = FileProblem(.notFound).encoded()
                try $0.write(RecordHeader(plaintext: text.count, kind: .skipped), text)
                try end($0)
            }
        ),
        (
            "a manifest that is none",
            { try $0.write(RecordHeader(plaintext: 3, kind: .manifest), [0xFF, 0xFF, 0xFF]) }
        ),
    ]

    /// Names that would lead out of the folder, hide a file or clash.
    private static let folderPages: [(String, [UInt8])] =
        [
            "..", ".", "", "../outside", "../../outside", "/etc/outside", "a/b", "a\\b", "a\u{0}b", "a\nb",
            "\u{202E}gpj", " a",
        ]
        .map { ("name \($0.debugDescription)", page([$0])) } + [
            ("the same name twice", page(["a", "a"])), ("names that differ in case", page(["a", "A"])),
            ("a name of 256 bytes", page([String(repeating: "x", count: 256)])),
            ("a file for a folder", page(["a", "b"], folder: 1)), ("a folder to come", page(["a"], folder: 7)),
            ("another number of files than offered", page(["a", "b", "c"])),
        ]

    /// Makes one offer, has it accepted and serves it by a script. Returns how Anna's transfer ended.
    private static func serve(
        isFolder: Bool, size: UInt64, by sender: HostileSender, to scene: Scene, inbox: String, _ script: Script
    ) throws -> TransferState {
        let transfer = freshID()
        let (bulk, writer) = try sender.begin(
            transfer, size: size, kind: isFolder ? .folder : .document, at: scene, into: inbox)
        do {
            try script(writer)
            try writer.flush()
        } catch is TransferFailure {
            // The daemon has closed the connection in the middle of the script, as it should.
        }
        while let answer = try? bulk.receive() {
            if case .failed = answer { break }
            if case .done = answer { break }
        }
        // The daemon waits a moment for this end to close, so that its last message is read.
        bulk.close()
        return try FileProcessTests.waitForEnd("\(transfer)", at: scene.anna, within: .seconds(20)).state
    }

    @Test("After lies about files and folders the transfer fails, and no file is left or put anywhere")
    func lies() throws {
        let scene = try Scene()
        let sender = try HostileSender("Fred", at: scene)
        let place = try scene.anna.directory.makeDirectory("place")
        let inbox = try scene.anna.directory.makeDirectory("place/inbox")
        func expectNothing(_ what: String) {
            #expect(TemporaryDirectory.names(in: inbox).allSatisfy { $0.hasSuffix(".kibo-part") }, "\(what)")
            #expect(TemporaryDirectory.names(in: place) == ["inbox"], "\(what)")
        }
        for (what, script) in Self.filesOfThree {
            let ended = try Self.serve(isFolder: false, size: 3, by: sender, to: scene, inbox: inbox, script)
            #expect(ended == .failed, "\(what): \(ended)")
            expectNothing(what)
        }
        for (what, page) in Self.folderPages {
            let ended = try Self.serve(isFolder: true, size: 1, by: sender, to: scene, inbox: inbox) { writer in
                try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
                try Self.write(writer, Self.data([1], file: 1))
                try Self.end(writer)
            }
            #expect(ended == .failed, "\(what): \(ended)")
            expectNothing(what)
        }
        // Files are skipped after they were sent, are no files, or are all that there are.
        for (what, skipped, isSent) in [
            ("sent", UInt32(1), true), ("the folder", 0, false), ("nobody", 9, false), ("all", 1, false),
        ] {
            let page = Self.page(["a"])
            let ended = try Self.serve(isFolder: true, size: 1, by: sender, to: scene, inbox: inbox) { writer in
                try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
                if isSent {
                    try Self.write(writer, Self.data([1], file: 1))
                    try writer.write(RecordHeader(plaintext: 0, kind: .fileEnd, file: 1), [])
                }
                let text = FileProblem(.notFound, detail: "\u{1B}[31mgone\u{7}").encoded()
                try writer.write(RecordHeader(plaintext: text.count, kind: .skipped, file: skipped), text)
                try Self.end(writer)
            }
            #expect(ended == .failed, "\(what): \(ended)")
            expectNothing(what)
        }
        // An honest transfer passes in the same way, so that the refusals mean something.
        let done = try Self.serve(isFolder: false, size: 3, by: sender, to: scene, inbox: inbox) { writer in
            try Self.manifest(writer)
            try Self.write(writer, Self.data([1, 2, 3]))
            let whole = Checksum.ofFile([([1, 2, 3] as [UInt8]).withUnsafeBytes { Checksum(of: $0) }])
            try writer.write(RecordHeader(plaintext: 16, kind: .fileEnd), whole.bytes)
            try Self.end(writer)
        }
        #expect(done == .done, "\(done)")
        #expect(try TextFile.bytes(inbox + "/gift") == [1, 2, 3])
        try Patience.until("parts of failed transfers to be removed", report: scene.anna.logTail) {
            TemporaryDirectory.names(in: inbox) == ["gift"]
        }
        try scene.expectUnharmed(memory: 64 << 20)
    }
}
