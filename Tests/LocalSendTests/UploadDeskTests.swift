import Basics
import ControlProtocol
import TestSupport
import Testing

@testable import LocalSend

@Suite("Offers and uploads of LocalSend devices")
struct UploadDeskTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)
    private let phone = IPAddress.v4(0x0A09_0001)
    private let other = IPAddress.v4(0x0A09_0002)

    private static func offer(_ sizes: [Int64]) throws -> UploadOffer {
        var files = JSONObject()
        for (number, size) in sizes.enumerated() {
            files["f\(number)"] = [
                "id": .string("f\(number)"), "fileName": .string("\(number).png"), "size": .integer(size),
                "fileType": "image/png",
            ]
        }
        return try UploadOffer(
            body: JSONValue.object([
                "info": ["alias": "Nice Orange", "fingerprint": "ab"], "files": .object(files),
            ]).encoded)
    }

    /// Tokens that differ.
    private final class Tokens {
        private var count = 0
        func next() -> String {
            count += 1
            return "token-\(count)"
        }
    }

    private let tokens = Tokens()

    /// A desk with an offer that waits for the user, and its number.
    private func asked(_ sizes: [Int64], pin: String? = nil) throws -> (UploadDesk, Int) {
        var desk = UploadDesk(pin: pin, salt: 7)
        #expect(desk.objection(to: phone, pin: pin, now: start) == nil)
        guard case .ask(let number) = desk.offer(try Self.offer(sizes), from: phone, of: phone, now: start) else {
            throw SystemError("the user isn't asked", code: 1)
        }
        return (desk, number)
    }

    /// A desk with an upload under way.
    private func taking(_ sizes: [Int64]) throws -> (UploadDesk, UploadDesk.Answer, session: String) {
        var (desk, number) = try asked(sizes)
        let wanted = Set(sizes.indices.map { "f\($0)" })
        let given = desk.answer(number, taking: wanted, token: tokens.next, now: start)
        let answer = try #require(given)
        return (desk, answer, try #require(answer.session))
    }

    @Test("Some files are taken, come, and are whole; then the next device may offer")
    func story() throws {
        var (desk, number) = try asked([3, 0, 5])
        let given = desk.answer(number, taking: ["f0", "f1"], token: tokens.next, now: start)
        let answer = try #require(given)
        #expect(answer.status == .done && Set(answer.tokens.keys) == ["f0", "f1"])
        #expect(Set(answer.tokens.values + [answer.session ?? ""]).count == 3)
        let session = try #require(answer.session)
        #expect(!desk.isFree)
        for (file, size) in [("f0", 3), ("f1", 0)] {
            guard
                case .take(let item) = desk.begin(
                    session: session, file: file, token: answer.tokens[file] ?? "", from: phone,
                    length: size == 3 ? nil : 0, now: start)
            else {
                Issue.record("\(file) may not come")
                return
            }
            #expect(item.size == Int64(size))
            if size > 0 { #expect(desk.receive(size, of: file, session: session, now: start) == true) }
            let end = desk.end(file, session: session, isKept: true, now: start)
            #expect(end?.isWhole == true && end?.isLast == (file == "f1"))
        }
        #expect(desk.isFree && desk.nextDeadline == nil)
    }

    @Test(
        "A text, and an offer of which nothing is taken, need no upload; a declined one does not come again for a minute"
    )
    func declined() throws {
        var (desk, number) = try asked([3])
        #expect(desk.answer(number, taking: [], token: tokens.next, now: start)?.status == .nothingToSend)
        #expect(desk.answer(number, taking: ["f0"], token: tokens.next, now: start) == nil)
        #expect(desk.objection(to: phone, pin: nil, now: start) == nil)
        guard case .ask(let again) = desk.offer(try Self.offer([3]), from: phone, of: phone, now: start) else {
            Issue.record("it is not asked for")
            return
        }
        #expect(desk.answer(again, taking: nil, token: tokens.next, now: start)?.status == .declined)
        #expect(desk.objection(to: phone, pin: nil, now: start + .seconds(59)) == .declined)
        #expect(desk.objection(to: other, pin: nil, now: start + .seconds(59)) == nil)
        #expect(desk.objection(to: phone, pin: nil, now: start + .seconds(60)) == nil)
    }

    @Test("The user has a minute; the device may take its offer back")
    func patience() throws {
        var (desk, number) = try asked([3])
        #expect(desk.nextDeadline == start + .seconds(60))
        #expect(desk.tick(now: start + .seconds(59)) == nil)
        guard case .offer(number, let answer)? = desk.tick(now: start + .seconds(60)) else {
            Issue.record("the offer still waits")
            return
        }
        #expect(answer.status == .declined)
        #expect(desk.answer(number, taking: ["f0"], token: tokens.next, now: start + .seconds(60)) == nil)
        (desk, number) = try asked([3])
        #expect(desk.cancel(session: nil, from: other, now: start) == nil)
        #expect(desk.cancel(session: "whatever", from: phone, now: start) == .offer(number))
        (desk, number) = try asked([3])
        #expect(desk.withdraw(number + 1, now: start) == false)
        #expect(desk.withdraw(number, now: start) == true)
        #expect(desk.objection(to: other, pin: nil, now: start) == nil)
    }

    @Test("Five offers a minute of one source are looked at, and 120 of all")
    func rates() {
        var desk = UploadDesk(salt: 7)
        #expect((0..<20).count { _ in desk.objection(to: phone, pin: nil, now: start) == nil } == 5)
        #expect(desk.objection(to: other, pin: nil, now: start) == nil)
        #expect(desk.objection(to: phone, pin: nil, now: start + .seconds(12)) == nil)
        let count = (0..<10_000).count {
            desk.objection(to: .v4(UInt32($0) << 8), pin: nil, now: start + .seconds(60)) == nil
        }
        #expect(count == 120)
    }

    @Test("Offers of several devices wait side by side, one of each; the user takes one after the other")
    func several() throws {
        var desk = UploadDesk(salt: 7)
        let hosts = (1...6).map { IPAddress.v4(0x0A09_0000 + $0) }
        let verdicts = try hosts.map { desk.offer(try Self.offer([3]), from: $0, of: $0, now: start) }
        #expect(verdicts.prefix(4).allSatisfy { if case .ask = $0 { true } else { false } })
        #expect(verdicts.suffix(2).allSatisfy { $0 == .refuse(.busy) })
        #expect(desk.objection(to: hosts[0], pin: nil, now: start) == .busy)
        guard case .ask(let first) = verdicts[0], case .ask(let second) = verdicts[1] else { return }
        let answer = desk.answer(first, taking: ["f0"], token: tokens.next, now: start)
        let session = try #require(answer?.session)
        // The second one waits on while the first one's file comes.
        #expect(desk.answer(second, taking: ["f0"], token: tokens.next, now: start) == nil)
        #expect(desk.stop(session: session) == true)
        #expect(desk.answer(second, taking: ["f0"], token: tokens.next, now: start)?.status == .done)
        // What nobody answers ends by itself, each in its turn.
        var ended = 0
        while desk.tick(now: start + .seconds(60)) != nil { ended += 1 }
        #expect(ended == 3 && desk.nextDeadline == nil)
    }

    @Test("At most eight files come at the same time, and a body without bytes keeps no upload alive")
    func atOnce() throws {
        var (desk, answer, session) = try taking(Array(repeating: 5, count: 12))
        func begin(_ number: Int) -> UploadDesk.UploadVerdict {
            desk.begin(
                session: session, file: "f\(number)", token: answer.tokens["f\(number)"] ?? "", from: phone, length: 5,
                now: start)
        }
        for number in 0..<8 { #expect(begin(number) != .refuse(.busy)) }
        #expect(begin(8) == .refuse(.busy))
        #expect(desk.end("f0", session: session, isKept: false, now: start)?.isWhole == false)
        #expect(begin(8) != .refuse(.busy))
        #expect(desk.receive(0, of: "f1", session: session, now: start + .seconds(20)) == false)
        #expect(desk.nextDeadline == start + .seconds(30))
    }

    @Test("Three wrong PINs keep an address out for ten minutes, and no other one; no PIN is no try")
    func pins() throws {
        var desk = UploadDesk(pin: "1234", salt: 7)
        var now = start
        #expect(desk.objection(to: phone, pin: nil, now: now) == .pinNeeded)
        #expect(desk.objection(to: phone, pin: "", now: now) == .pinNeeded)
        #expect(desk.objection(to: phone, pin: "1", now: now) == .pinNeeded)
        #expect(desk.objection(to: phone, pin: "2", now: now) == .pinNeeded)
        #expect(desk.objection(to: phone, pin: "3", now: now) == .tooMany)
        now = now + .seconds(599)
        #expect(desk.objection(to: phone, pin: "1234", now: now) == .tooMany)
        #expect(desk.objection(to: other, pin: "1234", now: now) == nil)
        #expect(desk.objection(to: phone, pin: "1234", now: now + .seconds(1)) == nil)
    }

    @Test("An upload needs its session, its token and the address of its offer, once")
    func tokensCount() throws {
        var (desk, answer, session) = try taking([3, 4])
        let token = answer.tokens["f0"] ?? ""
        func begin(
            _ session: String, _ file: String, _ token: String, _ address: IPAddress, _ length: Int64?
        ) -> UploadDesk.UploadVerdict {
            desk.begin(session: session, file: file, token: token, from: address, length: length, now: start)
        }
        #expect(begin("x", "f0", token, phone, 3) == .refuse(.declined))
        #expect(begin(session, "f9", token, phone, 3) == .refuse(.declined))
        #expect(begin(session, "f1", token, phone, 3) == .refuse(.declined))
        #expect(begin(session, "f0", "", phone, 3) == .refuse(.declined))
        #expect(begin(session, "f0", token, other, 3) == .refuse(.declined))
        #expect(begin(session, "f0", token, phone, 4) == .refuse(.malformed))
        guard case .take = begin(session, "f0", token, phone, 3) else {
            Issue.record("it is refused")
            return
        }
        #expect(begin(session, "f0", token, phone, 3) == .refuse(.declined))
        var free = UploadDesk(salt: 7)
        #expect(
            free.begin(session: session, file: "f0", token: token, from: phone, length: 3, now: start)
                == .refuse(.busy))
    }

    @Test("More bytes than were said end a file, and fewer are not all of it")
    func sizes() throws {
        var (desk, answer, session) = try taking([3, 4])
        for file in ["f0", "f1"] {
            _ = desk.begin(
                session: session, file: file, token: answer.tokens[file] ?? "", from: phone, length: nil, now: start)
        }
        #expect(desk.receive(3, of: "f0", session: session, now: start) == true)
        #expect(desk.receive(1, of: "f0", session: session, now: start) == false)
        #expect(desk.receive(3, of: "f1", session: session, now: start) == true)
        #expect(desk.end("f1", session: session, isKept: true, now: start)?.isWhole == false)
        #expect(desk.end("f1", session: session, isKept: true, now: start) == nil)
        #expect(desk.receive(1, of: "f1", session: session, now: start) == false)
        // What the disk hasn't is not whole.
        #expect(desk.end("f0", session: session, isKept: false, now: start)?.isWhole == false)
    }

    @Test("An upload that rests for half a minute is over, and so is one that either side ends")
    func rest() throws {
        var (desk, answer, session) = try taking([3])
        _ = desk.begin(
            session: session, file: "f0", token: answer.tokens["f0"] ?? "", from: phone, length: 3,
            now: start + .seconds(20))
        #expect(desk.receive(1, of: "f0", session: session, now: start + .seconds(40)) == true)
        #expect(desk.nextDeadline == start + .seconds(70))
        #expect(desk.tick(now: start + .seconds(70)) == .upload(session: session))
        #expect(desk.receive(1, of: "f0", session: session, now: start + .seconds(70)) == false)
        (desk, answer, session) = try taking([3])
        #expect(desk.cancel(session: "x", from: phone, now: start) == nil)
        #expect(desk.cancel(session: nil, from: phone, now: start) == nil)
        #expect(desk.cancel(session: session, from: other, now: start) == nil)
        #expect(desk.cancel(session: session, from: phone, now: start) == .upload(session: session))
        (desk, answer, session) = try taking([3])
        #expect(desk.stop(session: "x") == false)
        #expect(desk.stop(session: session) == true)
        #expect(desk.objection(to: other, pin: nil, now: start) == nil)
    }

    @Test("Whatever comes in whatever order: one upload at a time, and no byte more than was said", arguments: 0..<40)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var desk = UploadDesk(salt: 7)
        var now = start
        var open: [Int: IPAddress] = [:]
        var session: (name: String, tokens: [String: String], from: IPAddress)?
        var received: [String: Int64] = [:]
        let sizes: [Int64] = [0, 5, 1_000]
        for _ in 0..<400 {
            now = now + .milliseconds(Int.random(in: 0...9_000, using: &random))
            let address = IPAddress.v4(0x0A09_0001 + UInt32.random(in: 0..<6, using: &random))
            let file = "f\(Int.random(in: 0...3, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1:
                guard desk.objection(to: address, pin: nil, now: now) == nil else { continue }
                guard case .ask(let number) = desk.offer(try Self.offer(sizes), from: address, of: address, now: now)
                else {
                    Issue.record("there is room and no room")
                    return
                }
                #expect(!open.values.contains(address) && open.count < LocalSendLimits.waiting)
                open[number] = address
            case 2:
                guard let number = open.keys.randomElement(using: &random) else { continue }
                #expect(desk.answer(number, taking: nil, token: tokens.next, now: now)?.status == .declined)
                open[number] = nil
            case 3:
                guard let number = open.keys.randomElement(using: &random) else { continue }
                let answer = desk.answer(number, taking: ["f0", "f1", "f2"], token: tokens.next, now: now)
                #expect((answer == nil) == (session != nil))
                guard let answer, let from = open.removeValue(forKey: number) else { continue }
                session = (answer.session ?? "", answer.tokens, from)
                received = [:]
            case 4:
                let verdict = desk.begin(
                    session: session?.name ?? "x", file: file, token: session?.tokens[file] ?? "", from: address,
                    length: nil, now: now)
                if case .take(let item) = verdict {
                    #expect(session?.from == address && received[file] == nil)
                    #expect(item.id == file)
                    received[file] = 0
                }
            case 5...6:
                let count = Int.random(in: 1...400, using: &random)
                if desk.receive(count, of: file, session: session?.name ?? "x", now: now) {
                    received[file, default: -1_000_000] += Int64(count)
                    #expect(0...(sizes[Int(String(file.dropFirst())) ?? 0]) ~= received[file] ?? -1)
                }
            case 7:
                if let end = desk.end(file, session: session?.name ?? "x", isKept: true, now: now) {
                    #expect(end.isWhole == (received[file] == sizes[Int(String(file.dropFirst())) ?? 0]))
                    if end.isLast { session = nil }
                }
            case 8:
                guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
                switch desk.cancel(session: session?.name, from: address, now: now) {
                case .offer(let number)?: #expect(open.removeValue(forKey: number) == address)
                case .upload?:
                    #expect(session?.from == address)
                    session = nil
                case nil: break
                }
            default:
                switch desk.tick(now: now) {
                case .offer(let number, _)?: #expect(open.removeValue(forKey: number) != nil)
                case .upload(let name)?:
                    #expect(session?.name == name)
                    session = nil
                case nil: break
                }
            }
            #expect((desk.nextDeadline != nil) == (!open.isEmpty || session != nil))
            #expect(desk.isFree == (session == nil))
        }
    }
}
