import Basics
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

/// Goal: what a sender says of its file starts nothing here that the user or the settings haven't taken.
@Suite("What a sender says of its file")
struct FileStatusTests {
    private static let transfer = UUIDv7(high: 0x0190_0000_0000_7002, low: 1 << 63 | 78)
    private static let at = WallTime(milliseconds: 1_720_000_000_000)

    private func hear(_ statuses: [FileStatusBody.Status], in scene: Scene) throws {
        for (number, status) in statuses.enumerated() {
            let refusal = status == .failed ? Refusal(.sourceChanged) : nil
            let body = FileStatusBody(transfer: Self.transfer, status: status, refusal: refusal)
            let frame = DurableFrame(id: UUIDv7(high: 8, low: UInt64(number)), content: .fileStatus(body))
            #expect(try scene.hear(frame) == [.stored])
        }
    }

    private func offered(in scene: Scene) throws {
        let offer = AttachmentBody(
            transfer: Self.transfer, name: "a.txt", size: 5, kind: .document, mediaType: "text/plain", fileCount: 1)
        let body = MessageBody(
            kind: .file, text: "", time: HybridTime(milliseconds: Self.at.milliseconds), sentAt: Self.at,
            attachments: [offer])
        #expect(try scene.hear(DurableFrame(id: UUIDv7(high: 1, low: 5), content: .message(body))) == [.stored])
    }

    private func row(_ scene: Scene) throws -> TransferRow {
        try #require(try scene.read { try $0.transfer(Self.transfer) })
    }

    @Test("An offer that failed before anybody took it stays failed, and its sender is told so")
    func untaken() throws {
        for first in [[FileStatusBody.Status.failed], [.paused, .failed], [.failed, .resumed]] {
            let scene = try Scene()
            try offered(in: scene)
            let offer = try row(scene)
            #expect(offer.state == .offered, "\(String(describing: offer.reason)) \(offer.detail ?? "")")
            let before = try scene.waiting().count
            try hear(first + [.accepted], in: scene)
            let row = try row(scene)
            #expect(row.state == .failed && row.path == nil, "\(first): \(row.state)")
            let waiting = try scene.waiting().dropFirst(before)
            #expect(waiting == [.fileStatus], "\(first): \(waiting)")
        }
    }

    @Test("A transfer that was taken and failed is tried again when its sender says so")
    func taken() throws {
        let scene = try Scene()
        try offered(in: scene)
        try scene.write { transaction in
            var row = try #require(try transaction.transfer(Self.transfer))
            row.queue()
            row.path = "/tmp"
            try transaction.update(row)
        }
        try hear([.failed, .accepted], in: scene)
        #expect(try row(scene).state == .queued)
    }
}
