import ControlProtocol
import PeerProtocol
import TestSupport
import Testing

@Suite("A friend with several devices here", .serialized)
struct DevicesProcessTests {
    @Test("What is written goes to the newest device; when that one goes without an answer, to the one before")
    func newest() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let bert = try TestPeer("Bert")
        var links = [try bert.befriend(anna)]
        for _ in 1..<4 {
            let device = try TestPeer("Bert", account: bert.accountKey)
            let link = try device.openSession(with: anna)
            _ = try link.frame(.card)
            links.append(link)
        }
        for text in ["one", "two", "three"] {
            _ = try MessageProcessTests.send(text, from: anna, to: bert.id)
            let frame = try #require(links.last).frame(.message)
            #expect(try MessageBody(decoding: frame.body).text == text)
        }
        try #require(links.last).acknowledges = false
        let lost = try MessageProcessTests.send("four", from: anna, to: bert.id)
        _ = try #require(links.last).frame(.message)
        links.removeLast()
        let frame = try #require(links.last).frame(.message)
        #expect(try MessageBody(decoding: frame.body).text == "four")
        try MessageProcessTests.waitForState(.delivered, of: lost.id, at: anna)
    }
}
