import Basics
import FoundationEssentials
import PeerProtocol
import Testing
import Vocabulary

@Suite("docs/PROTOCOL.md")
struct DocumentTests {
    private static func document() throws -> String {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appending(path: "docs/PROTOCOL.md")), as: UTF8.self)
    }

    /// The blocks fenced as `hex NAME`.
    private static func blocks(_ document: String) -> [String: [UInt8]] {
        var blocks: [String: [UInt8]] = [:]
        var open: (name: String, digits: String)?
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if let (name, digits) = open {
                if line == "```" {
                    guard let bytes = Hex.decode(digits) else {
                        Issue.record("\(name) is not hexadecimal")
                        return [:]
                    }
                    blocks[name] = bytes
                    open = nil
                } else {
                    open = (name, digits + line.filter { !$0.isWhitespace })
                }
            } else if line.hasPrefix("```hex ") {
                let name = String(line.dropFirst(7))
                #expect(blocks[name] == nil, "\(name) is there twice")
                open = (name, "")
            }
        }
        #expect(open == nil)
        return blocks
    }

    @Test("Every vector of the document equals the code's, and none is missing")
    func vectors() throws {
        let written = Self.blocks(try Self.document())
        let computed = try DocumentVectors().byName
        #expect(Set(written.keys) == Set(computed.keys))
        for (name, bytes) in computed.sorted(by: { $0.key < $1.key }) {
            #expect(written[name] == bytes, "\(name) is \(Hex.encode(bytes))")
        }
    }

    /// The numbers in tables whose rows begin with a name and a number, by name.
    private static func numbers(_ document: String) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for line in document.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard cells.count >= 2 else { continue }
            let digits = cells[1].prefix { $0.isNumber || $0 == "," }.filter { $0 != "," }
            guard let number = Int(digits) else { continue }
            var name = String(cells[0])
            while name.last == " " { name.removeLast() }
            numbers[name] = number
        }
        return numbers
    }

    @Test("Every limit in the document is the one that the code checks")
    func limits() throws {
        let written = Self.numbers(try Self.document())
        let expected: [String: Int] = [
            "Second and third handshake message": PeerLimits.handshakeMessageBytes,
            "Capabilities": PeerLimits.capabilities,
            "One capability": PeerLimits.capabilityBytes,
            "Software version": PeerLimits.softwareVersionCharacters,
            "Plaintext of a record": PeerLimits.recordPlaintextBytes,
            "Records per key": Int(PeerLimits.recordsPerKey),
            "Body of a frame": PeerLimits.frameBodyBytes,
            "Body of a stranger's frame": PeerLimits.strangerBodyBytes,
            "Text of a message": SharedLimits.textBytes,
            "Sign of a reaction": PeerLimits.emojiBytes,
            "Attachments of a message": SharedLimits.attachments,
            "Name of an attachment": SharedLimits.attachmentNameBytes,
            "Media type": PeerLimits.mediaTypeBytes,
            "Files of a transfer": Int(PeerLimits.transferEntries),
            "Preview": PeerLimits.previewBytes,
            "Note of a request": SharedLimits.noteCharacters,
            "Display name": SharedLimits.foreignNameCharacters,
            "Status text": SharedLimits.statusTextCharacters,
            "E-mail": SharedLimits.emailBytes,
            "Card": PeerLimits.cardBytes,
            "Avatar": PeerLimits.avatarBytes,
            "Side of an avatar": PeerLimits.avatarSide,
            "Avatar request": Int(PeerLimits.avatarTime.components.seconds),
            "Avatars at most every": Int(PeerLimits.avatarPause.first.components.seconds),
            "Ids in a receipt": PeerLimits.receiptIDs,
            "Messages in a seen": PeerLimits.receiptIDs,
            "Reason": PeerLimits.reasonBytes,
            "Detail": PeerLimits.detailCharacters,
            "Frames without a receipt": PeerLimits.windowFrames,
            "Bytes without a receipt": PeerLimits.windowBytes,
            "Handshake": Int(PeerLimits.handshakeTime.components.seconds),
            "Ping after": Int(PeerLimits.pingInterval.components.seconds),
            "Dead after": Int(PeerLimits.silenceLimit.components.seconds),
            "Strangers part after": Int(PeerLimits.strangerIdleTime.components.seconds),
            "One frame": Int(PeerLimits.frameTime.components.seconds),
            "Receipt": Int(PeerLimits.receiptTime.components.seconds),
            "Typing lasts": Int(PeerLimits.typingTime.components.seconds),
            "Typing at most every": Int(PeerLimits.typingPause.components.seconds),
            "New keys after": Int(PeerLimits.renewalAge.components.seconds),
            "If not, again after": Int(PeerLimits.renewalRetry.components.seconds),
            "First wait after a passing refusal": Int(PeerLimits.firstRedelivery.components.seconds),
            "Longest wait after a passing refusal": Int(PeerLimits.longestRedelivery.components.seconds),
        ]
        for (name, number) in expected { #expect(written[name] == number, "\(name)") }
    }
}
