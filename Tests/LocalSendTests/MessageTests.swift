import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import LocalSend

/// What devices say, as the app and others write it (LocalSend protocol 2.1, sections 3 and 4).
@Suite("What LocalSend devices say")
struct MessageTests {
    private static let announcement = #"""
        {"alias":"Nice Orange","version":"2.0","deviceModel":"Samsung","deviceType":"mobile",
         "fingerprint":"0123-ABCD","port":53317,"protocol":"https","download":true,"announce":true}
        """#

    private func info(_ changes: JSONObject = [:]) -> DeviceInfo? {
        var json: JSONObject = ["alias": "Nice Orange", "fingerprint": "F0E1"]
        for field in changes.fields { json[field.name] = field.value }
        return DeviceInfo(.object(json))
    }

    @Test("An announcement of the app is read, and one of ours is read as it was written")
    func announcement() throws {
        let heard = try #require(Announcement(datagram: Array(Self.announcement.utf8)))
        #expect(heard.wantsAnswers)
        #expect(heard.info.alias == "Nice Orange" && heard.info.model == "Samsung" && heard.info.kind == .mobile)
        #expect(heard.info.fingerprint == "0123-ABCD" && heard.info.port == 53_317 && heard.info.isEncrypted)
        #expect(heard.info.version == "2.0")
        let own = DeviceInfo(
            alias: "Annas Kibo 🎈", model: "Linux", kind: .headless, fingerprint: "ab01", port: 53_318, isEncrypted: true
        )
        let sent = Announcement(own, wantsAnswers: false)
        #expect(Announcement(datagram: sent.datagram) == sent)
        #expect(sent.datagram.count < LocalSendLimits.announcementBytes)
    }

    @Test("A device of version 1 says less: it is one of the usual port")
    func old() throws {
        let text = #"{"alias":"Old","deviceModel":null,"deviceType":"desktop","fingerprint":"x","announcement":true}"#
        let heard = try #require(Announcement(datagram: Array(text.utf8)))
        #expect(heard.wantsAnswers && heard.info.version == nil && heard.info.port == DeviceInfo.usualPort)
    }

    @Test(
        "What is of another kind than it should be makes no device",
        arguments: [
            ["alias": 1], ["alias": nil], ["fingerprint": 1], ["fingerprint": "two\nlines"], ["fingerprint": "ü"],
            ["fingerprint": .string(String(repeating: "a", count: 129))], ["port": 0], ["port": 65_536], ["port": "1"],
            ["protocol": "ftp"], ["protocol": true], ["version": 2], ["version": "two"], ["version": "2.0.1"],
            ["deviceType": 4], ["deviceModel": []],
        ] as [JSONObject])
    func wrong(changes: JSONObject) {
        #expect(info() != nil)
        #expect(info(changes) == nil, "\(JSONValue.object(changes).text)")
    }

    @Test(
        "A name is one line that shows something: what could make it read as another is not in it",
        arguments: [
            ("Nice\u{202E}Orange", "NiceOrange"), ("two\nlines", "twolines"), ("  spaces  ", "spaces"),
            ("\u{1B}[31mred", "[31mred"), ("zero\u{200B}width", "zerowidth"), ("\u{200E}\u{2066}", "F0E1"),
            ("", "F0E1"), (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
            ("हिन्दी 👨‍👩‍👧 עברית", "हिन्दी 👨‍👩‍👧 עברית"),
        ])
    func alias(written: String, shown: String) {
        #expect(
            info(["alias": .string(written), "fingerprint": "F0E1-"])?.alias == (shown == "F0E1" ? "F0E1-" : shown))
    }

    @Test("A hash has lower-case digits however it is written; another fingerprint stays as it is")
    func fingerprint() {
        #expect(info(["fingerprint": "AB01"])?.fingerprint == "ab01")
        #expect(info(["fingerprint": "random string"])?.fingerprint == "random string")
    }

    @Test("What comes over TLS may lack a fingerprint, as its certificate counts; an announcement may not")
    func noFingerprint() {
        #expect(info(["fingerprint": ""])?.fingerprint.isEmpty == true)
        #expect(info(["fingerprint": "", "alias": "\u{202E}"])?.alias == "?")
        #expect(Announcement(datagram: Array(#"{"alias":"x","fingerprint":"","announce":true}"#.utf8)) == nil)
        #expect(Announcement(datagram: Array(#"{"alias":"x","announce":true}"#.utf8)) == nil)
    }

    @Test("An answer that names no port and no protocol has those that were dialled")
    func dialled() {
        let json: JSONValue = ["alias": "x", "fingerprint": "y"]
        let info = DeviceInfo(json, port: 4000, isEncrypted: false)
        #expect(info?.port == 4000 && info?.isEncrypted == false)
        #expect(DeviceInfo(json)?.port == 53_317 && DeviceInfo(json)?.isEncrypted == true)
    }

    @Test("A kind of device that nobody knows is one all the same")
    func kind() {
        #expect(info(["deviceType": "toaster"])?.kind == .desktop)
        #expect(info(["deviceType": "server", "more": ["x": 1]])?.kind == .server)
    }

    private static func body(_ files: JSONObject) -> [UInt8] {
        JSONValue.object([
            "info": ["alias": "Nice Orange", "version": "2.1", "deviceType": "mobile", "fingerprint": "ab"],
            "files": .object(files),
        ]).encoded
    }

    private static func file(_ id: String, _ changes: JSONObject = [:]) -> JSONObject {
        var json: JSONObject = [
            "id": .string(id), "fileName": "lake.png", "size": 324_242, "fileType": "image/png", "sha256": nil,
            "metadata": ["modified": "2021-01-01T12:34:56Z"],
        ]
        for field in changes.fields { json[field.name] = field.value }
        return json
    }

    @Test("An offer has its files in their order, with the names as they were sent")
    func offer() throws {
        let offer = try UploadOffer(
            body: Self.body([
                "b": .object(Self.file("b", ["fileName": "Trip/days/été.png", "preview": "abc"])),
                "a": .object(Self.file("a", ["size": 0])),
            ]))
        #expect(offer.sender.alias == "Nice Orange")
        #expect(offer.items.map(\.id) == ["b", "a"])
        #expect(offer.items.first?.name == "Trip/days/été.png" && offer.size == 324_242 && offer.text == nil)
    }

    @Test("A text is one file whose preview is all of it")
    func text() throws {
        let text = Self.file("t", ["fileName": "x.txt", "fileType": "text/plain", "preview": "hello\nyou", "size": 9])
        #expect(try UploadOffer(body: Self.body(["t": .object(text)])).text == "hello\nyou")
        let long = Self.file(
            "t", ["fileType": "text/plain", "preview": .string(String(repeating: "x", count: (64 << 10) + 1))])
        #expect(try UploadOffer(body: Self.body(["t": .object(long)])).text == nil)
        let two: JSONObject = ["t": .object(text), "u": .object(Self.file("u"))]
        #expect(try UploadOffer(body: Self.body(two)).text == nil)
    }

    @Test(
        "A file that is not described as it should be makes no offer",
        arguments: [
            ["id": "another"], ["fileName": ""], ["fileName": nil], ["size": -1], ["size": .double(1.5)], ["size": "1"],
            ["fileType": nil], ["preview": 4], ["fileName": .string(String(repeating: "x", count: 1025))],
        ] as [JSONObject])
    func wrongFile(changes: JSONObject) {
        #expect(throws: UploadOffer.Problem.malformed) {
            try UploadOffer(body: Self.body(["a": .object(Self.file("a", changes))]))
        }
    }

    @Test("An offer of nothing, and one of more than a thousand files, say which they are; a long body isn't read")
    func bounds() {
        #expect(throws: UploadOffer.Problem.empty) { try UploadOffer(body: Self.body([:])) }
        let many = (0...1000).map { ("\($0)", JSONValue.object(Self.file("\($0)", ["metadata": nil]))) }
        #expect(throws: UploadOffer.Problem.tooMany) { try UploadOffer(body: Self.body(JSONObject(many))) }
        #expect(throws: UploadOffer.Problem.malformed) {
            try UploadOffer(body: Self.body([:]) + [UInt8](repeating: 0x20, count: 512 << 10))
        }
        #expect(throws: UploadOffer.Problem.malformed) { try UploadOffer(body: Array("[]".utf8)) }
        #expect(throws: UploadOffer.Problem.malformed) { try UploadOffer(body: []) }
    }

    @Test("Two ids that only differ in how their letters are written make no offer")
    func sameIDs() {
        let files: JSONObject = [
            "\u{E9}": .object(Self.file("\u{E9}")), "e\u{301}x": .object(Self.file("e\u{301}x")),
        ]
        #expect(throws: Never.self) { try UploadOffer(body: Self.body(files)) }
        let text = String(decoding: Self.body(files), as: UTF8.self).replacing("e\u{301}x", with: "e\u{301}")
        #expect(throws: UploadOffer.Problem.malformed) { try UploadOffer(body: Array(text.utf8)) }
    }

    @Test("Sizes that overflow are as many bytes as there can be")
    func overflow() throws {
        let huge = Self.file("a", ["size": .integer(.max)])
        let other = Self.file("b", ["size": .integer(.max)])
        #expect(try UploadOffer(body: Self.body(["a": .object(huge), "b": .object(other)])).size == .max)
    }
}

/// The requests that are answered.
@Suite("Routes for LocalSend devices")
struct LocalSendRouteTests {
    @Test("Each route of the protocol is known, whatever order its words have and whatever else there is")
    func known() {
        let path = "/api/localsend/v2"
        func read(_ method: String, _ target: String) -> LocalSendRoute? {
            LocalSendRoute(method: method, target: target)
        }
        #expect(read("GET", "\(path)/info") == .info(fingerprint: nil))
        #expect(read("GET", "/api/localsend/v1/info?fingerprint=ab%2F") == .info(fingerprint: "ab/"))
        #expect(read("POST", "\(path)/register") == .register)
        #expect(read("POST", "\(path)/prepare-upload") == .prepareUpload(pin: nil))
        #expect(read("POST", "\(path)/prepare-upload?pin=12%2034") == .prepareUpload(pin: "12 34"))
        #expect(
            read("POST", "\(path)/upload?token=t&fileId=a+b%C3%BC&more=1&sessionId=s")
                == .upload(session: "s", file: "a bü", token: "t"))
        #expect(read("POST", "\(path)/cancel?sessionId=s") == .cancel(session: "s"))
        #expect(read("POST", "\(path)/cancel") == .cancel(session: nil))
        #expect(read("POST", "\(path)/upload?sessionId=s&fileId=f") == .malformed)
    }

    @Test(
        "Nothing else is",
        arguments: [
            ("GET", "/"), ("GET", "/api/localsend/v2/register"), ("POST", "/api/localsend/v2/info"),
            ("POST", "/api/localsend/v2/register/"),
            ("POST", "//api/localsend/v2/register"), ("POST", "/api/localsend/v2/../v2/register"),
            ("POST", "/api/localsend/v2/cancel?sessionId=a&sessionId=b"),
            ("POST", "/api/localsend/v2/cancel?sessionId=%ff"), ("POST", "/api/localsend/v2/cancel?sessionId=%4"),
            ("PUT", "/api/localsend/v2/upload?sessionId=s&fileId=f&token=t"),
            ("GET", "/api/localsend/v2/prepare-download"),
            ("GET", "http://other/api/localsend/v2/info"),
            ("GET", "/api/localsend/v2/info?" + String(repeating: "a", count: 2048)),
        ])
    func unknown(method: String, target: String) {
        #expect(LocalSendRoute(method: method, target: target) == nil)
    }
}
