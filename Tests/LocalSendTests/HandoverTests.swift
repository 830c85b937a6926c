import Basics
import ControlProtocol
import Testing

@testable import LocalSend

/// Goal: whatever a device answers, what is asked of it next is what the protocol has, and it comes to an end.
@Suite("What is asked of a device to which something is given")
struct HandoverTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// One whose device takes these files.
    private func giving(_ tokens: String, of count: Int = 3) -> (Handover, Handover.Step) {
        var handover = Handover(count: count, isText: false)
        #expect(handover.first == .prepare)
        let step = handover.answered(200, Self.bytes(#"{"sessionId":"s 1","files":{\#(tokens)}}"#))
        return (handover, step)
    }

    @Test("The files that the device wants go one after the other, in the order of the offer")
    func story() {
        var (handover, step) = giving(#""2":"c","0":"a&b","7":"none of ours""#)
        #expect(handover.taken == [0, 2])
        #expect(step == .ask(.upload(item: 0, session: "s 1", token: "a&b")))
        #expect(handover.given == [])
        #expect(handover.answered(200, []) == .ask(.upload(item: 2, session: "s 1", token: "c")))
        #expect(handover.given == [0])
        #expect(handover.answered(204, []) == .over(.done, status: nil))
        #expect(handover.given == [0, 2])
        #expect(handover.answered(200, []) == .over(.broken, status: nil), "it is over")
        #expect(handover.stop() == .over(.stopped, status: nil))
    }

    @Test("A device that is asked who it is says so, or it is over")
    func greeting() {
        let said = #"{"alias":"Nice Orange","fingerprint":"ab","version":"2.1"}"#
        var greeting = Handover.greeting
        #expect(greeting.first == .register)
        #expect(Handover.target(of: .register, pin: "1") == "/api/localsend/v2/register")
        #expect(greeting.answered(200, Self.bytes(said)) == .over(.done, status: 200))
        #expect(greeting.met?.alias == "Nice Orange")
        for (status, body, ending): (Int, String, GiveReport.Ending) in [
            (404, said, .refused), (302, said, .refused), (204, "", .refused), (200, "", .broken), (200, "{}", .broken),
            (200, "[\(said)]", .broken),
            (200, #"{"alias":"\#(String(repeating: "x", count: LocalSendLimits.announcementBytes))"}"#, .broken),
        ] {
            var greeting = Handover.greeting
            #expect(greeting.answered(status, Self.bytes(body)) == .over(ending, status: status))
            #expect(greeting.met == nil)
        }
        for (failure, ending): (Handover.Failure, GiveReport.Ending) in [
            (.unreachable, .unreachable), (.silent, .silent), (.broken, .broken), (.otherCertificate, .broken),
        ] {
            var greeting = Handover.greeting
            #expect(
                greeting.failed(failure) == .over(ending, status: nil), "nothing was offered that could be taken back")
        }
        var stopped = Handover.greeting
        #expect(stopped.stop() == .over(.stopped, status: nil))
    }

    @Test("How a device was reached counts, and not what it says of that")
    func reached() throws {
        let said = try #require(
            DeviceInfo([
                "alias": "Nice Orange", "fingerprint": "ab", "port": 1, "protocol": "http", "deviceType": "mobile",
            ]))
        let found = said.reached(port: 53_317, certificate: [0x0A, 0xFF])
        #expect((found.alias, found.kind, found.port) == ("Nice Orange", .mobile, 53_317))
        #expect(found.isEncrypted && found.fingerprint == "0aff")
        let plain = said.reached(port: 2, certificate: nil)
        #expect(!plain.isEncrypted && plain.fingerprint == "ab" && plain.port == 2)
    }

    @Test(
        "An offer is refused by its status",
        arguments: [
            (204, GiveReport.Ending.declined), (401, .pinNeeded), (403, .declined), (409, .busy), (429, .tooMany),
            (507, .noRoom), (500, .refused), (404, .refused), (302, .refused), (100, .refused),
        ])
    func refused(_ status: Int, _ ending: GiveReport.Ending) {
        var handover = Handover(count: 1, isText: false)
        #expect(
            handover.answered(status, Self.bytes(#"{"sessionId":"s","files":{"0":"t"}}"#))
                == .over(ending, status: status))
        #expect(handover.taken == nil)
    }

    @Test("A text that needs no upload is given; one that does goes as a file")
    func text() {
        for (status, body) in [(204, ""), (200, #"{"files":{}}"#), (200, #"{"sessionId":"s","files":{}}"#)] {
            var handover = Handover(count: 1, isText: true)
            #expect(handover.answered(status, Self.bytes(body)) == .over(.done, status: status))
        }
        var handover = Handover(count: 1, isText: true)
        let step = handover.answered(200, Self.bytes(#"{"sessionId":"s","files":{"0":"t"}}"#))
        #expect(step == .ask(.upload(item: 0, session: "s", token: "t")))
    }

    @Test("A device that takes none of the files has declined")
    func none() {
        #expect(giving("").1 == .over(.declined, status: 200))
        #expect(giving(#""8":"t""#).1 == .over(.declined, status: 200))
    }

    @Test(
        "An answer that makes no sense is the end",
        arguments: [
            "", "{}", "[]", "null", #"{"sessionId":"s"}"#, #"{"sessionId":"s","files":[]}"#,
            #"{"sessionId":"s","files":{"0":1}}"#, #"{"sessionId":"s","files":{"0":""}}"#,
            #"{"files":{"0":"t"}}"#, #"{"sessionId":"","files":{"0":"t"}}"#, #"{"sessionId":7,"files":{"0":"t"}}"#,
            #"{"sessionId":"s","files":{"0":"t"}"#,
            #"{"sessionId":"s","files":{"0":"\#(String(repeating: "t", count: LocalSendLimits.wordBytes + 1))"}}"#,
        ])
    func nonsense(_ body: String) {
        var handover = Handover(count: 1, isText: false)
        #expect(handover.answered(200, Self.bytes(body)) == .over(.broken, status: 200))
    }

    @Test(
        "An upload is refused by its status; the device is told, unless it has ended it itself",
        arguments: [403, 404, 409, 410, 507, 500, 422, 302])
    func uploadRefused(_ status: Int) {
        var (handover, _) = giving(#""0":"a","1":"b""#)
        let step = handover.answered(status, [])
        switch status {
        case 403, 404, 409, 410: #expect(step == .over(.cancelled, status: status))
        default:
            #expect(step == .ask(.cancel(session: "s 1")))
            let ending = status == 507 ? GiveReport.Ending.noRoom : .refused
            #expect(handover.answered(200, []) == .over(ending, status: status))
        }
        #expect(handover.given == [])
    }

    @Test("Without an answer it is over; the device is told where it may not have noticed")
    func failures() {
        let ways: [(Handover.Failure, GiveReport.Ending, GiveReport.Ending, cancelsOffer: Bool, cancelsUpload: Bool)] =
            [
                (.unreachable, .unreachable, .unreachable, false, false),
                (.otherCertificate, .otherCertificate, .otherCertificate, false, false),
                (.silent, .expired, .silent, true, false), (.broken, .broken, .broken, false, true),
                (.changed, .changed, .changed, true, true),
            ]
        for (failure, early, late, cancelsOffer, cancelsUpload) in ways {
            var handover = Handover(count: 1, isText: false)
            var step = handover.failed(failure)
            if cancelsOffer {
                #expect(step == .ask(.cancel(session: nil)))
                step = handover.failed(.unreachable)
            }
            #expect(step == .over(early, status: nil))
            (handover, _) = giving(#""0":"a""#)
            step = handover.failed(failure)
            if cancelsUpload {
                #expect(step == .ask(.cancel(session: "s 1")))
                step = handover.answered(200, [])
            }
            #expect(step == .over(late, status: nil))
        }
    }

    @Test("The user's end is told to the device, once; a second word doesn't wait for its answer")
    func stop() {
        var handover = Handover(count: 1, isText: false)
        #expect(handover.stop() == .ask(.cancel(session: nil)))
        #expect(handover.stop() == .over(.stopped, status: nil))
        (handover, _) = giving(#""0":"a""#)
        #expect(handover.stop() == .ask(.cancel(session: "s 1")))
        #expect(handover.failed(.silent) == .over(.stopped, status: nil))
    }

    @Test("However a device answers, there is an end within as many requests as there are files, and two")
    func always() {
        var random = SeededGenerator(seed: 39)
        let statuses = [200, 200, 200, 204, 302, 401, 403, 409, 429, 500, 507]
        let failures: [Handover.Failure] = [.unreachable, .otherCertificate, .silent, .broken, .changed]
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...4, using: &random)
            var handover = Handover(count: count, isText: count == 1 && Bool.random(using: &random))
            let tokens = (0..<count).filter { _ in Int.random(in: 0...3, using: &random) > 0 }.map { #""\#($0)":"t""# }
            let body = Self.bytes(#"{"sessionId":"s","files":{\#(tokens.joined(separator: ","))}}"#)
            var requests = 1
            while true {
                let step =
                    switch Int.random(in: 0...9, using: &random) {
                    case 0: handover.stop()
                    case 1: handover.failed(failures.randomElement(using: &random)!)
                    default: handover.answered(statuses.randomElement(using: &random)!, body)
                    }
                guard case .ask = step else { break }
                requests += 1
            }
            #expect(requests <= count + 2)
            #expect(
                Set(handover.given).isSubset(of: handover.taken ?? [])
                    && Set(handover.given).count == handover.given.count)
        }
    }

    // MARK: What is sent

    @Test("Nothing that a device says leaves its place in the first line of a request")
    func targets() {
        #expect(Handover.target(of: .prepare, pin: nil) == "/api/localsend/v2/prepare-upload")
        #expect(
            Handover.target(of: .prepare, pin: "1 2&x=ü") == "/api/localsend/v2/prepare-upload?pin=1%202%26x%3D%C3%BC")
        #expect(
            Handover.target(of: .upload(item: 3, session: "s\r\nHost: x", token: "#?&/é"), pin: "1")
                == "/api/localsend/v2/upload?sessionId=s%0D%0AHost%3A%20x&fileId=3&token=%23%3F%26%2F%C3%A9")
        #expect(Handover.target(of: .cancel(session: nil), pin: nil) == "/api/localsend/v2/cancel")
        #expect(Handover.target(of: .cancel(session: "a b"), pin: nil) == "/api/localsend/v2/cancel?sessionId=a%20b")
    }

    @Test("What is offered is an offer to the other side of this program, a text as one without a file")
    func offer() throws {
        let device = BridgeReport.Device(
            info: DeviceInfo(alias: "P", model: nil, kind: .mobile, fingerprint: "f0", port: 1, isEncrypted: true),
            address: .v4(1))
        let own = DeviceInfo(
            alias: "Anna’s Kibo", model: "Kibo", kind: .desktop, fingerprint: "ab01", port: 2, isEncrypted: true)
        let files = GiveOrder.Errand(
            info: own, certificate: nil, key: nil, device: device, pin: nil,
            items: [.init(name: "Trip/é.png", size: 3, type: "image/png"), .init(name: "b", size: 0, type: "x/y")],
            text: nil)
        let offer = try UploadOffer(body: Handover.offer(files))
        #expect(offer.sender == own && offer.text == nil)
        #expect(offer.items.map(\.id) == ["0", "1"] && offer.items.map(\.name) == ["Trip/é.png", "b"])
        #expect(offer.items.map(\.size) == [3, 0] && offer.items.map(\.type) == ["image/png", "x/y"])
        let text = GiveOrder.Errand(
            info: own, certificate: nil, key: nil, device: device, pin: nil, items: [], text: "two\nlines ü")
        let told = try UploadOffer(body: Handover.offer(text))
        #expect(told.text == "two\nlines ü" && told.items.map(\.size) == [12])
    }
}
