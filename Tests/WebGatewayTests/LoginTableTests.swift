import Basics
import Testing

@testable import WebGateway

@Suite("Links and logins")
struct LoginTableTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)
    private let wall = WallTime(milliseconds: 1_800_000_000_000)

    private func random(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

    private func redeem(
        _ table: inout LoginTable, _ token: String, _ byte: UInt8 = 7, now: Instant? = nil, wall: WallTime? = nil
    ) -> LoginTable.Try {
        let id = Array(repeating: byte, count: 8)
        return table.redeem(
            token, agent: "Test/1", random: (random(byte), id), now: now ?? start, wall: wall ?? self.wall)
    }

    private func logIn(_ table: inout LoginTable, _ byte: UInt8, wall: WallTime? = nil, now: Instant? = nil) -> String?
    {
        let token = table.makeToken(random: random(byte &+ 100), now: now ?? start)
        guard case .welcome(let cookie, _) = redeem(&table, token, byte, now: now, wall: wall) else { return nil }
        return cookie
    }

    @Test("A ticket leads to its place once and for a minute, and is no link and no cookie")
    func tickets() {
        var table = LoginTable()
        let ticket = table.makeTicket(to: "call/1/audio", random: random(1), now: start)
        #expect(redeem(&table, ticket) == .wrong && table.place(of: ticket, wall: wall) == nil)
        #expect(table.redeemTicket(random(1).description, now: start) == nil)
        #expect(table.redeemTicket(ticket, now: start) == "call/1/audio")
        #expect(table.redeemTicket(ticket, now: start) == nil)
        let old = table.makeTicket(to: "", random: random(2), now: start)
        #expect(table.redeemTicket(old, now: start + .seconds(WebLimits.tokenSeconds)) == nil)
        let token = table.makeToken(random: random(3), now: start)
        #expect(table.redeemTicket(token, now: start) == nil)
        // Only so many wait.
        let tickets = (0...UInt8(WebLimits.tokens)).map {
            table.makeTicket(to: "\($0)", random: random($0 + 10), now: start)
        }
        #expect(tickets.map { table.redeemTicket($0, now: start) }.first == .some(nil))
    }

    @Test("Among cookies that other servers have set under our name, ours is found, at whatever place")
    func amongOthers() throws {
        var table = LoginTable()
        let cookie = try #require(logIn(&table, 250))
        let foreign = (0..<200).map { Letters.encode(random(UInt8($0 % 200))) } + ["", "x"]
        for place in [0, 1, 100, foreign.count] {
            var cookies = foreign
            cookies.insert(cookie, at: place)
            let login = try #require(table.login(of: cookies, wall: wall))
            #expect(login.cookie == cookie && login.place == table.place(of: cookie, wall: wall))
        }
        #expect(table.login(of: foreign, wall: wall) == nil && table.login(of: [], wall: wall) == nil)
    }

    @Test("A link works once")
    func once() {
        var table = LoginTable()
        let token = table.makeToken(random: random(1), now: start)
        #expect(token.utf8.count == 43)
        guard case .welcome(let cookie, let place) = redeem(&table, token) else {
            Issue.record("the link did not work")
            return
        }
        #expect(table.place(of: cookie, wall: wall) == place)
        #expect(redeem(&table, token) == .wrong)
    }

    @Test("A link works for a minute")
    func minute() {
        var table = LoginTable()
        let token = table.makeToken(random: random(1), now: start)
        let other = table.makeToken(random: random(2), now: start)
        #expect(redeem(&table, token, now: start + .seconds(60)) == .wrong)
        var fresh = LoginTable()
        _ = fresh.makeToken(random: random(2), now: start)
        #expect(redeem(&fresh, other, now: start + .milliseconds(59_999)) != .wrong)
    }

    @Test("Eight links wait; a ninth makes the oldest one useless")
    func eight() {
        var table = LoginTable()
        let tokens = (0..<9).map { table.makeToken(random: random($0), now: start) }
        #expect(redeem(&table, tokens[0]) == .wrong)
        #expect(redeem(&table, tokens[1]) != .wrong)
    }

    @Test("Ten tries a minute, right or wrong")
    func tries() {
        var table = LoginTable()
        let token = table.makeToken(random: random(1), now: start)
        for _ in 0..<10 { #expect(redeem(&table, "x") == .wrong) }
        #expect(redeem(&table, token) == .tooMany)
        #expect(redeem(&table, token, now: start + .seconds(6)) != .tooMany)
    }

    @Test("What is no token or cookie is none: no text crashes, no part of one counts")
    func nonsense() {
        var table = LoginTable()
        let cookie = logIn(&table, 1)
        for text in ["", "x", String(repeating: "é", count: 43), cookie.map { String($0.dropLast()) } ?? "", "\0"] {
            #expect(table.place(of: text, wall: wall) == nil)
            #expect(redeem(&table, text) == .wrong)
        }
    }

    @Test("A login ends 30 days after its last use, and a use is noted once an hour")
    func thirtyDays() throws {
        var table = LoginTable()
        let cookie = try #require(logIn(&table, 250))
        let day: Int64 = 86_400_000
        let place = try #require(table.place(of: cookie, wall: wall))
        #expect(table.use(place: place, wall: WallTime(milliseconds: wall.milliseconds + 3_599_999)) == false)
        #expect(table.use(place: place, wall: WallTime(milliseconds: wall.milliseconds + 10 * day)) == true)
        #expect(table.place(of: cookie, wall: WallTime(milliseconds: wall.milliseconds + 40 * day - 1)) == place)
        #expect(table.place(of: cookie, wall: WallTime(milliseconds: wall.milliseconds + 40 * day)) == nil)
        #expect(table.endOld(wall: WallTime(milliseconds: wall.milliseconds + 40 * day)) == [place])
        #expect(table.logins.isEmpty)
    }

    @Test("Logins end one by one or all at once, and their cookies with them")
    func ends() throws {
        var table = LoginTable()
        let one = try #require(logIn(&table, 1))
        let two = try #require(logIn(&table, 2))
        #expect(table.end("0101010101010101") == [0])
        #expect(table.place(of: one, wall: wall) == nil)
        #expect(table.place(of: two, wall: wall) == 1)
        #expect(table.end("0101010101010101") == [])
        #expect(table.end("all") == [1])
        #expect(table.place(of: two, wall: wall) == nil)
    }

    @Test("Where all places are taken, the login that rested longest makes way")
    func full() throws {
        var table = LoginTable()
        var cookies: [String] = []
        for index in 0...WebLimits.logins {
            let wall = WallTime(milliseconds: wall.milliseconds + Int64(index))
            cookies.append(try #require(logIn(&table, UInt8(index), wall: wall, now: start + .seconds(60 * index))))
        }
        #expect(table.logins.count == WebLimits.logins)
        #expect(table.place(of: cookies[0], wall: wall) == nil)
        #expect(table.place(of: cookies[1], wall: wall) == 1)
        #expect(table.place(of: cookies[WebLimits.logins], wall: wall) == 0)
    }

    @Test("The file has no cookie in it, and a place that was cut or changed anywhere is empty")
    func records() throws {
        var table = LoginTable()
        let cookie = try #require(logIn(&table, 250))
        let login = try #require(table.places[0])
        let bytes = LoginRecord.encode(login)
        #expect(bytes.count == LoginRecord.size)
        #expect(LoginRecord.decode(bytes) == login)
        #expect(!String(decoding: bytes, as: UTF8.self).contains(cookie.prefix(8)))
        #expect(LoginRecord.decode(LoginRecord.empty) == nil)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(LoginRecord.decode(changed) == nil, "byte \(index)")
            let cut = Array(bytes[..<index]) + [UInt8](repeating: 0, count: bytes.count - index)
            if cut != bytes { #expect(LoginRecord.decode(cut) == nil) }
        }
        #expect(LoginRecord.places(LoginRecord.empty + bytes + bytes.dropLast()) == [nil, login])
    }
}
