import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@testable import Transfer

/// A friend of Anna's that gives files by hand.
struct HostileSender {
    let peer: TestPeer
    let listener: RawListener
    let session: PeerLink

    init(_ name: String, at scene: Scene) throws {
        listener = try RawListener()
        peer = try TestPeer(name, listenPort: listener.port)
        session = try peer.befriend(scene.anna)
    }

    /// Offers a file, makes Anna accept it into the folder, and takes her connection until records begin.
    func begin(
        _ transfer: UUIDv7, name: String = "gift", size: UInt64, kind: AttachmentKind = .document, at scene: Scene,
        into folder: String
    ) throws -> (bulk: BulkConnection, writer: RecordWriter) {
        let now = SystemClocks().wallTime
        let offer = AttachmentBody(
            transfer: transfer, name: name, size: size, kind: kind, mediaType: "", fileCount: 1)
        let message = Frame(
            kind: .message, id: freshID(),
            body: try MessageBody(
                kind: .file, text: "", time: HybridTime(milliseconds: now.milliseconds), sentAt: now,
                attachments: [offer]
            ).encoded())
        session.send(message)
        #expect(try session.receipt(for: message.id).status == .stored)
        try scene.anna.call("transfer.accept", ["id": .string("\(transfer)"), "path": .string(folder)])
        let link = PeerLink(
            try #require(listener.accept(), "no connection came to fetch the file\n\(scene.anna.logTail)"),
            SecureChannel(accepting: try peer.identity(), now: SystemClocks().now))
        try link.finishHandshake()
        let bulk = try link.takeBulk()
        _ = try bulk.receiveGreeting()
        let key = [UInt8](repeating: 5, count: 32)
        try bulk.send(.accept(.chacha20Poly1305, key: key, sendsManifest: true))
        var copy = key
        let cipher = try BulkCipher(.chacha20Poly1305, key: SecretBytes(moving: &copy))
        return (bulk, RecordWriter(bulk, cipher: cipher, transfer: transfer))
    }

    /// As ``begin(_:name:size:kind:at:into:)`` for a single file, whose list is sent.
    func beginFile(
        _ transfer: UUIDv7, name: String = "gift", size: Int, mode: UInt64 = 0o644, at scene: Scene, into folder: String
    ) throws -> (bulk: BulkConnection, writer: RecordWriter) {
        let (bulk, writer) = try begin(transfer, name: name, size: UInt64(size), at: scene, into: folder)
        let entry: CBOR = .array([
            .unsigned(0), .text(""), .unsigned(0), .unsigned(UInt64(size)), .unsigned(mode), .unsigned(0),
        ])
        let page = CBOR.map([1: .unsigned(0), 2: .array([entry]), 3: .unsigned(1)]).encoded()
        try writer.write(RecordHeader(plaintext: page.count, kind: .manifest), page)
        try writer.flush()
        return (bulk, writer)
    }
}
