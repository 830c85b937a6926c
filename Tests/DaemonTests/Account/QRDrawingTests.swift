import Basics
import Crypto
import Testing

@testable import Control
@testable import Daemon

/// A small reader of QR codes, which shares no code with the writer, reads the code back from its half blocks.
struct QRDrawingTests {
    private func account(_ byte: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func address(_ text: String) throws -> SocketAddress { try #require(SocketAddress(text)) }

    /// The rows of modules, true where they are dark, with the rim.
    private func modules(_ drawing: String) throws -> [[Bool]] {
        var rows: [[Bool]] = []
        for line in drawing.split(separator: "\n", omittingEmptySubsequences: false) {
            rows.append(line.map { "█▀".contains($0) })
            rows.append(line.map { "█▄".contains($0) })
            #expect(line.allSatisfy { "█▀▄ ".contains($0) })
        }
        // Two modules share a character, so there may be one row too many.
        if rows.count > rows[0].count { #expect(!rows.removeLast().contains(true)) }
        return rows
    }

    @Test("The drawing is a code that holds the link, with a light rim of four modules")
    func readBack() throws {
        let number = SafetyNumber(try account(1), try account(2))
        let links = [
            ContactLink(account: try account(1)),
            ContactLink(account: try account(2), name: "Anna", addresses: [try address("192.0.2.7:15426")]),
            ContactLink(account: try account(3), safetyNumber: number),
        ]
        for link in links {
            let rows = try modules(try QRDrawing.text(of: link))
            #expect(rows.count == rows[0].count && rows.count <= ControlLimits.codeColumns)
            let rim = rows[..<4] + rows[(rows.count - 4)...]
            #expect(!rim.joined().contains(true))
            #expect(!rows.contains { $0[..<4].contains(true) || $0[($0.count - 4)...].contains(true) })
            let inner = rows[4..<(rows.count - 4)].map { Array($0[4..<($0.count - 4)]) }
            #expect(try QRReader(inner).text() == link.text)
        }
    }

    @Test(
        "A link that is too large for a terminal loses its name, then its further addresses; the essential parts stay")
    func shortened() throws {
        let addresses = try (1...40).map { try address("192.0.2.\($0):15426") }
        let link = ContactLink(account: try account(1), name: String(repeating: "ä", count: 50), addresses: addresses)
        let rows = try modules(try QRDrawing.text(of: link))
        let inner = rows[4..<(rows.count - 4)].map { Array($0[4..<($0.count - 4)]) }
        let read = try ContactLink(try QRReader(inner).text())
        #expect(read.account == link.account && read.name == nil && !read.addresses.isEmpty)
        #expect(addresses.starts(with: read.addresses))
    }

    @Test("A link is read as it was written, whatever its name holds; one with a damaged safety number is refused")
    func links() throws {
        let number = SafetyNumber(try account(1), try account(2))
        for name in ["Anna", "Anna Blå & Co?=#%", "日本", "a+b"] {
            let link = ContactLink(
                account: try account(9), name: name, addresses: [try address("[2001:db8::1]:9")], safetyNumber: number)
            #expect(try ContactLink(link.text) == link)
            #expect(link.text.utf8.allSatisfy { 0x21...0x7E ~= $0 })
        }
        let start = "kibo:\(try account(9))"
        #expect(throws: ContactLink.Invalid.self) { try ContactLink(start + "?safety=123") }
        #expect(throws: ContactLink.Invalid.self) { try ContactLink(start + "?safety=" + number.digits + "0") }
        #expect(try ContactLink(start + "?future=1").safetyNumber == nil)
    }
}
