import Basics
import ControlProtocol
import LocalSend
import Testing

private let info = DeviceInfo(
    alias: "Annas Kibo 🎈", model: "Kibo", kind: .desktop, fingerprint: "ab01", port: 53_318, isEncrypted: true)
private let phone = BridgeReport.Device(
    info: DeviceInfo(
        alias: "Nice Orange", model: nil, kind: .mobile, fingerprint: "f0e1", port: 53_317, isEncrypted: true),
    address: .v4(0x0A09_0001))

private let orders: [GiveOrder] = [
    .begin(
        .init(
            info: info, certificate: "-----BEGIN CERTIFICATE-----\nAA==\n", key: "-----BEGIN PRIVATE KEY-----\n",
            device: phone, pin: "12\"34",
            items: [
                .init(name: "Trip/é\u{202E}.png", size: 0, type: "image/png"),
                .init(name: "b", size: .max, type: "application/octet-stream"),
            ], text: nil)),
    .begin(.init(info: info, certificate: nil, key: nil, device: phone, pin: nil, items: [], text: "two\nlines")),
    .begin(.init(info: info, certificate: nil, key: nil, device: phone, pin: nil, items: [], text: nil)),
    .socket, .unreachable, .file(0), .file(999), .changed(3), .stop,
]

private let reports: [GiveReport] =
    [
        .dial, .met(phone.info), .takes([]), .takes([0, 5, 999]), .wants(0), .wants(.max), .went(0), .went(.max),
        .gave(7),
    ]
    + GiveReport.Ending.allCases.map { .over($0, status: nil) } + [.over(.refused, status: 418)]

/// Goal: what either side says is heard as it was said, and a giver that a device has taken over says nothing that has no bounds.
@Suite("The lines between the daemon and the giver")
struct GiveLinesTests {
    private func parse(_ object: JSONObject) throws -> JSONValue {
        let bytes = JSONValue.object(object).encoded
        #expect(!bytes.contains(UInt8(ascii: "\n")))
        return try JSONParser.parse(bytes, maximumBytes: LocalSendLimits.lineBytes)
    }

    @Test("Every order is heard as it was said, on one line", arguments: orders)
    func orderIsHeard(_ order: GiveOrder) throws {
        #expect(try GiveOrder(line: parse(order.line)) == order)
        #expect(try GiveReport(line: parse(order.line)) == nil)
    }

    @Test("Every report is heard as it was said, on one line", arguments: reports)
    func reportIsHeard(_ report: GiveReport) throws {
        #expect(try GiveReport(line: parse(report.line)) == report)
        #expect(try GiveOrder(line: parse(report.line)) == nil)
    }

    @Test("A descriptor comes with two orders")
    func descriptors() { #expect(orders.filter(\.hasDescriptor) == [.socket, .file(0), .file(999)]) }

    @Test("An errand has files or a text, and not both; without either the device is only asked who it is")
    func either() throws {
        var line = try #require(orders.first).line
        line["text"] = "and a text"
        #expect(try GiveOrder(line: parse(line)) == nil)
        (line["items"], line["text"]) = ([], .null)
        guard case .begin(let errand) = try GiveOrder(line: parse(line)) else {
            Issue.record("an errand without files is none")
            return
        }
        #expect(errand.isGreeting)
    }

    @Test(
        "What is no report, or goes beyond a limit, is none",
        arguments: [
            #"{}"#, #"{"said":"over"}"#, #"{"said":"over","how":"well"}"#, #"{"said":"takes"}"#,
            #"{"said":"takes","items":["0"]}"#, #"{"said":"takes","items":[0.5]}"#, #"{"said":"went","bytes":-1}"#,
            #"{"said":"wants"}"#, #"{"said":"gave","item":"1"}"#, #"{"said":"ready"}"#, #"{"said":1}"#,
            #"{"said":"met"}"#,
            #"{"said":"met","info":{"fingerprint":"ab"}}"#,
        ])
    func nonsense(_ text: String) throws {
        #expect(GiveReport(line: try JSONParser.parse(Array(text.utf8))) == nil)
    }

    @Test("More files than an offer may have are no report; a status that is none is left out")
    func bounds() throws {
        let many = JSONObject([
            ("said", "takes"), ("items", .array((0...LocalSendLimits.files).map { .integer(Int64($0)) })),
        ])
        #expect(GiveReport(line: .object(many)) == nil)
        for status in [Int64.min, -1, 0, 99, 1000, .max] {
            let line: JSONValue = ["said": "over", "how": "done", "status": .integer(status)]
            #expect(GiveReport(line: line) == .over(.done, status: nil))
        }
    }
}
