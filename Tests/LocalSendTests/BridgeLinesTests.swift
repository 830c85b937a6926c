import Basics
import ControlProtocol
import LocalSend
import Testing

private let info = DeviceInfo(
    alias: "Annas Kibo 🎈", model: "Kibo", kind: .desktop, fingerprint: "ab01", port: 53_318, isEncrypted: true)
private let phone = BridgeReport.Device(
    info: DeviceInfo(
        alias: "Nice Orange", model: nil, kind: .mobile, fingerprint: "F0E1-", port: 53_317, isEncrypted: false),
    address: .v4(0x0A09_0001))

private let orders: [BridgeOrder] = [
    .begin(
        .init(
            info: info, certificate: "-----BEGIN CERTIFICATE-----\nAA==\n", key: "-----BEGIN PRIVATE KEY-----\n",
            pin: "12\"34",
            links: [
                .init(index: 2, address: .v4(0x0A09_0005), prefix: 24),
                .init(index: .max, address: .v6(high: 0xFE80_0000_0000_0000, low: 1, scope: 0), prefix: 128),
            ], first: 3_000_000_000)),
    .begin(.init(info: info, certificate: nil, key: nil, pin: nil, links: [], first: 0)),
    .listen, .hear([]), .hear([1, .max]), .announce, .met(phone), .setPIN(nil), .setPIN("1 2ü"),
    .answer(1, taking: nil), .answer(2, taking: []), .answer(.max, taking: [0, 5, 999]),
    .write(3), .refuse(4, .declined), .refuse(4, .noRoom), .refuse(4, .failed), .kept(5, true), .kept(6, false),
    .stop(7),
]

private let reports: [BridgeReport] = [
    .ready, .failed(""), .failed("bind: address\nin use"), .echoed(on: 1), .echoed(on: .max), .reached, .devices([]),
    .devices([phone, .init(info: info, address: .v4(0x0A09_0002))]),
    .offered(0, phone, items: [.init(name: "Trip/é\u{202E}.png", size: 0), .init(name: "", size: .max)], text: nil),
    .offered(.max, phone, items: [], text: "two\nlines \u{0} \u{1F388}"), .offered(1, phone, items: [], text: ""),
    .over(1, .withdrawn), .over(2, .expired), .over(3, .silent), .begins(ticket: 1, offer: 2, item: 3),
    .begins(ticket: 0, offer: 0, item: 0), .came(1, bytes: 0), .came(1, bytes: .max), .ends(ticket: 1, .whole),
    .ends(ticket: 2, .broken), .ends(ticket: 3, .full),
]

/// Goal: what either side says is heard as it was said, and a bridge that a stranger has taken over says nothing that has no bounds.
@Suite("The lines between the daemon and the bridge")
struct BridgeLinesTests {
    private func bytes(_ object: JSONObject) -> [UInt8] { JSONValue.object(object).encoded }

    private func parse(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONParser.parse(bytes, maximumBytes: LocalSendLimits.lineBytes)
    }

    @Test("Every order is heard as it was said, on one line", arguments: orders)
    func orderIsHeard(_ order: BridgeOrder) throws {
        let line = bytes(order.line)
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try BridgeOrder(line: parse(line)) == order)
        #expect(try BridgeReport(line: parse(line)) == nil)
    }

    @Test("A descriptor comes with three orders")
    func descriptors() {
        #expect(orders.filter(\.hasDescriptor) == [.listen, .hear([]), .hear([1, .max]), .write(3)])
    }

    @Test("Every report is heard as it was said, on one line", arguments: reports)
    func reportIsHeard(_ report: BridgeReport) throws {
        let line = bytes(report.line)
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try BridgeReport(line: parse(line)) == report)
        #expect(try BridgeOrder(line: parse(line)) == nil)
    }

    @Test(
        "A line that is no order is none",
        arguments: [
            "{}", "[]", "null", "5", #""listen""#, #"{"do":null}"#, #"{"do":5}"#, #"{"do":"LISTEN"}"#,
            #"{"do":"offered"}"#,
            #"{"said":"listen"}"#, #"{"do":"begin"}"#, #"{"do":"begin","info":{"alias":"a","fingerprint":"b"}}"#,
            #"{"do":"begin","info":{"alias":"a","fingerprint":"b"},"links":{},"first":0}"#,
            #"{"do":"begin","info":{"alias":5,"fingerprint":"b"},"links":[],"first":0}"#,
            #"{"do":"begin","info":"a","links":[],"first":0}"#,
            #"{"do":"begin","info":{"alias":"a","fingerprint":"b"},"links":[],"first":-1}"#,
            #"{"do":"answer"}"#, #"{"do":"answer","offer":"1","items":[0]}"#,
            #"{"do":"answer","offer":1.5,"items":null}"#,
            #"{"do":"write"}"#, #"{"do":"write","file":"1"}"#, #"{"do":"write","file":true}"#,
            #"{"do":"refuse","file":1}"#, #"{"do":"refuse","status":403}"#, #"{"do":"refuse","file":1,"status":418}"#,
            #"{"do":"refuse","file":1,"status":"403"}"#, #"{"do":"kept","file":1}"#, #"{"do":"kept","kept":true}"#,
            #"{"do":"kept","file":1,"kept":1}"#, #"{"do":"stop"}"#, #"{"do":"stop","offer":null}"#,
        ])
    func noOrder(_ text: String) throws {
        #expect(try BridgeOrder(line: parse(Array(text.utf8))) == nil)
    }

    private static let device = #"{"info":{"alias":"a","fingerprint":"b"},"address":"10.9.0.1"}"#

    @Test(
        "A line that is no report is none: unknown words, other kinds of values, numbers below nothing",
        arguments: [
            "{}", "[]", "null", "5", #""ready""#, #"{"said":null}"#, #"{"said":5}"#, #"{"said":"READY"}"#,
            #"{"said":"listen"}"#, #"{"do":"ready"}"#, #"{"do":"reached"}"#, #"{"said":"echoed"}"#,
            #"{"said":"echoed","on":-1}"#, #"{"said":"echoed","on":4294967296}"#, #"{"said":"echoed","on":1.5}"#,
            #"{"said":"echoed","on":"1"}"#, #"{"said":"echoed","on":[1]}"#, #"{"said":"devices"}"#,
            #"{"said":"devices","devices":{}}"#,
            #"{"said":"devices","devices":[5]}"#, #"{"said":"devices","devices":[DEVICE,null]}"#,
            #"{"said":"devices","devices":[{"info":{"alias":"a","fingerprint":"b"}}]}"#,
            #"{"said":"devices","devices":[{"info":{"alias":"a","fingerprint":"b"},"address":"host.example"}]}"#,
            #"{"said":"devices","devices":[{"info":{"fingerprint":"b"},"address":"10.9.0.1"}]}"#,
            #"{"said":"devices","devices":[{"info":{"alias":"a","fingerprint":"b","port":0},"address":"10.9.0.1"}]}"#,
            #"{"said":"offered"}"#, #"{"said":"offered","device":DEVICE,"items":[],"text":"a"}"#,
            #"{"said":"offered","offer":-1,"device":DEVICE,"items":[],"text":"a"}"#,
            #"{"said":"offered","offer":1,"items":[],"text":"a"}"#,
            #"{"said":"offered","offer":1,"device":5,"items":[],"text":"a"}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"text":"a"}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[],"text":null}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[],"text":5}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":{}}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":1}],"text":"a"}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":1}],"text":""}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":-1}]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":1.5}]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":"1"}]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a"}]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":5,"size":1}]}"#,
            #"{"said":"offered","offer":1,"device":DEVICE,"items":[{"name":"a","size":1},null]}"#,
            #"{"said":"over"}"#, #"{"said":"over","offer":-1,"why":"expired"}"#, #"{"said":"over","offer":1}"#,
            #"{"said":"over","offer":1,"why":"taken"}"#, #"{"said":"over","offer":1,"why":5}"#,
            #"{"said":"over","offer":"1","why":"expired"}"#, #"{"said":"over","offer":1.5,"why":"expired"}"#,
            #"{"said":"begins","file":1,"offer":2}"#, #"{"said":"begins","file":1,"item":2}"#,
            #"{"said":"begins","offer":1,"item":2}"#, #"{"said":"begins","file":-1,"offer":1,"item":2}"#,
            #"{"said":"begins","file":1,"offer":-1,"item":2}"#, #"{"said":"begins","file":1,"offer":1,"item":-2}"#,
            #"{"said":"came","offer":1}"#, #"{"said":"came","offer":1,"bytes":-1}"#,
            #"{"said":"came","offer":-1,"bytes":1}"#, #"{"said":"came","offer":1,"bytes":1.5}"#,
            #"{"said":"came","offer":1,"bytes":"1"}"#, #"{"said":"ends","file":1}"#, #"{"said":"ends","how":"whole"}"#,
            #"{"said":"ends","file":-1,"how":"whole"}"#, #"{"said":"ends","file":1,"how":1}"#,
        ])
    func noReport(_ text: String) throws {
        let whole = text.split(separator: "DEVICE", omittingEmptySubsequences: false).joined(separator: Self.device)
        #expect(try BridgeReport(line: parse(Array(whole.utf8))) == nil)
    }

    @Test("The largest offer fits a line; one file more, a longer name, a longer text or one device more is refused")
    func limits() throws {
        func heard(_ report: BridgeReport) throws -> Bool {
            let line = bytes(report.line)
            #expect(line.count < LocalSendLimits.lineBytes)
            let again = try BridgeReport(line: parse(line))
            #expect(again == nil || again == report)
            return again != nil
        }
        func items(_ count: Int) -> [BridgeReport.Item] { (0..<count).map { .init(name: "\($0)", size: 1) } }
        func name(_ bytes: Int) -> BridgeReport.Item {
            .init(name: String(repeating: "\u{1}", count: bytes), size: .max)
        }
        func text(_ bytes: Int) -> String { String(repeating: "é", count: bytes / 2) + (bytes % 2 == 1 ? "x" : "") }
        #expect(try heard(.offered(1, phone, items: Array(repeating: name(80), count: 1_000), text: nil)))
        #expect(try heard(.offered(1, phone, items: items(1_001), text: nil)) == false)
        #expect(try heard(.offered(1, phone, items: [name(1_025)], text: nil)) == false)
        #expect(try heard(.offered(1, phone, items: [], text: text(64 << 10))))
        #expect(try heard(.offered(1, phone, items: [], text: text(64 << 10 + 1))) == false)
        #expect(try heard(.devices(Array(repeating: phone, count: 64))))
        #expect(try heard(.devices(Array(repeating: phone, count: 65))) == false)
    }

    @Test("The words of a bridge that can't serve are cut, and a name that deceives is cleaned")
    func cleaned() throws {
        let long = try BridgeReport(line: parse(bytes(BridgeReport.failed(String(repeating: "x", count: 500)).line)))
        #expect(long == .failed(String(repeating: "x", count: 200)))
        let device = #"{"info":{"alias":"Nice\u202eOrange","fingerprint":"b"},"address":"10.9.0.1"}"#
        let line = #"{"said":"devices","devices":["# + device + "]}"
        guard case .devices(let devices)? = try BridgeReport(line: parse(Array(line.utf8))) else {
            Issue.record("the devices are not heard")
            return
        }
        #expect(devices.map(\.info.alias) == ["NiceOrange"])
    }

    @Test("Whatever bytes come: what is heard of them is heard again as it is said again", arguments: 0..<40)
    func anyBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lines = orders.map { bytes($0.line) } + reports.map { bytes($0.line) }
        func anyByte() -> UInt8 { lines.randomElement(using: &random)?.randomElement(using: &random) ?? 0 }
        for _ in 0..<300 {
            var line: [UInt8]
            if Int.random(in: 0..<8, using: &random) == 0 {
                line = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    .random(in: .min ... .max, using: &random)
                }
            } else {
                line = lines.randomElement(using: &random) ?? []
                for _ in 0..<Int.random(in: 1...4, using: &random) where !line.isEmpty {
                    let place = Int.random(in: line.indices, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: line[place] = .random(in: .min ... .max, using: &random)
                    case 1: line.remove(at: place)
                    case 2: line.insert(anyByte(), at: place)
                    // A minus, a digit or a quotation mark changes most.
                    default: line[place] = Array("-19\"{[]}:,.e".utf8).randomElement(using: &random) ?? 0
                    }
                }
            }
            guard let json = try? parse(line) else { continue }
            if let report = BridgeReport(line: json) {
                let again = BridgeReport(line: .object(report.line))
                #expect(again != nil && again.flatMap { BridgeReport(line: .object($0.line)) } == again)
            }
            if let order = BridgeOrder(line: json) {
                let again = BridgeOrder(line: .object(order.line))
                #expect(again != nil && again.flatMap { BridgeOrder(line: .object($0.line)) } == again)
            }
        }
    }
}
