import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

/// Goal: a stranger who answers no question is parted from as the protocol says, and a friend's records make no more missed
/// calls than the friend's rings.
@Suite("Strangers who don't answer, and records of calls that never rang", .serialized)
struct SilentStrangerTests {
    @Test("A stranger who never answers peer exchange is asked once and parted from as idle")
    func silentStranger() throws {
        let anna = try DaemonProcess.launch(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp(), logLevel: .info))
        for round in 1...2 {
            let link = try TestPeer("Mallory \(round)").openSession(with: anna)
            #expect(try link.closeReason() == .idle)
            #expect(link.counts[.peerExchangeRequest, default: 0] <= 1)
        }
        // The first one had to be asked, since there was nobody else.
        #expect(anna.isRunning)
    }

    @Test(
        "A thousand records of calls that never rang: a few are stored, the others are put off, and texts come through")
    func records() throws {
        let anna = try DaemonProcess.launch(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp(), logLevel: .info))
        let link = try TestPeer("Fred").befriend(anna)
        let begin = SystemClocks().now
        let wall = SystemClocks().wallTime
        var ids: Set<UUIDv7> = []
        for number in 0..<1000 {
            let body = MessageBody(
                kind: .call, text: "", time: HybridTime(milliseconds: wall.milliseconds), sentAt: wall,
                call: CallRecord(media: .audio, outcome: number % 2 == 0 ? .unanswered : .cancelled, startedAt: wall))
            let frame = Frame(kind: .message, id: freshID(), body: try body.encoded())
            ids.insert(frame.id)
            link.send(frame)
        }
        var (stored, putOff) = (0, 0)
        while stored + putOff < ids.count {
            let frame = try link.frame(.receipt)
            let receipt = try ReceiptBody(decoding: frame.body)
            let count = receipt.ids.count { ids.contains($0) }
            switch receipt.status {
            case .stored: stored += count
            case .refused(let refusal):
                #expect(refusal.reason == .busy)
                putOff += count
            case .read: break
            }
        }
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000)
        #expect(stored >= 6 && stored <= 7 + seconds / 10, "\(stored) in \(seconds) s")
        let totals = try Totals(json: anna.call("conversation.totals"))
        #expect(totals.missedCalls == stored)
        let text = Frame(kind: .message, id: freshID(), body: try textBody("hello"))
        link.send(text)
        #expect(try link.receipt(for: text.id).status == .stored)
    }
}
