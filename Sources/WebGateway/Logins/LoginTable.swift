import Basics
import Crypto

/// One browser profile that is logged in. The cookie itself is kept nowhere, only its hash.
package struct Login: Hashable, Sendable {
    /// 16 hexadecimal digits, for lists.
    package let id: String
    /// BLAKE2b of the cookie's letters.
    package let hash: [UInt8]
    package let created: WallTime
    package var used: WallTime
    /// The browser's name for itself.
    package let agent: String
}

/// The logins and the links that wait to be used. A value: time and randomness come in.
///
/// Each login has a place, by number, so that the file of logins changes in one place only.
package struct LoginTable: Sendable {
    /// The result of trying to log in.
    package enum Try: Hashable, Sendable {
        /// The cookie, and the place of the login.
        case welcome(cookie: String, place: Int)
        /// The link is unknown, used or too old.
        case wrong
        /// There were too many tries; in this many seconds another one is allowed.
        case tooMany
    }

    private struct Token: Sendable {
        let hash: [UInt8]
        let ends: Instant
        /// Where the page goes; empty for its beginning.
        var place = ""
    }

    private var tokens: [Token] = []
    /// The addresses that browsers are started with. Each leads to a link. Other users can read them.
    private var tickets: [Token] = []
    /// Logins by place; nil where none is.
    package private(set) var places: [Login?]
    private var tries = RateLimiter(
        RateLimit(burst: WebLimits.tries, every: .milliseconds(60_000 / Int64(WebLimits.tries))))

    /// - Parameter places: what the file of logins holds.
    package init(places: [Login?] = []) {
        self.places = Array((places + Array(repeating: nil, count: WebLimits.logins)).prefix(WebLimits.logins))
    }

    /// All logins, the one used last first.
    package var logins: [Login] { places.compactMap(\.self).sorted { ($1.used, $0.id) < ($0.used, $1.id) } }

    static func hash(_ letters: String) -> [UInt8] { Blake2b.hash(Array(letters.utf8)) }

    /// Makes the token of a link.
    /// - Parameter random: 32 bytes that can't be guessed.
    package mutating func makeToken(random: [UInt8], now: Instant) -> String {
        tokens.removeAll { $0.ends <= now }
        if tokens.count >= WebLimits.tokens { tokens.removeFirst() }
        let letters = Letters.encode(random)
        tokens.append(Token(hash: Self.hash(letters), ends: now + .seconds(WebLimits.tokenSeconds)))
        return letters
    }

    /// Exchanges the token of a link for a login. A token works once. If all places are taken, the login that has been
    /// unused for longest makes room.
    /// - Parameter random: 32 bytes for the cookie and 8 for the login's id.
    package mutating func redeem(
        _ token: String, agent: String, random: (cookie: [UInt8], id: [UInt8]), now: Instant, wall: WallTime
    ) -> Try {
        guard tries.acquire(now: now) else { return .tooMany }
        tokens.removeAll { $0.ends <= now }
        guard Letters.isSecret(token) else { return .wrong }
        let hash = Self.hash(token)
        guard let index = tokens.firstIndex(where: { $0.hash == hash }) else { return .wrong }
        tokens.remove(at: index)
        let cookie = Letters.encode(random.cookie)
        let place = freePlace(wall: wall)
        places[place] = Login(
            id: Hex.encode(random.id), hash: Self.hash(cookie), created: wall, used: wall, agent: Self.shortened(agent))
        return .welcome(cookie: cookie, place: place)
    }

    /// Makes a ticket, by which a browser that asks for it gets a link: once, and as long as a link works.
    /// - Parameter place: where the page goes once it is logged in; empty for its beginning.
    package mutating func makeTicket(to place: String, random: [UInt8], now: Instant) -> String {
        tickets.removeAll { $0.ends <= now }
        if tickets.count >= WebLimits.tokens { tickets.removeFirst() }
        let letters = Letters.encode(random)
        tickets.append(
            Token(hash: Self.hash(letters), ends: now + .seconds(WebLimits.tokenSeconds), place: place))
        return letters
    }

    /// Takes a ticket.
    /// - Returns: where the page goes; nil if the ticket is unknown, used or too old.
    package mutating func redeemTicket(_ ticket: String, now: Instant) -> String? {
        tickets.removeAll { $0.ends <= now }
        let hash = Self.hash(ticket)
        return tickets.firstIndex { $0.hash == hash }.map { tickets.remove(at: $0).place }
    }

    private func freePlace(wall: WallTime) -> Int {
        if let free = places.firstIndex(where: { $0.map { Self.hasEnded($0, wall) } ?? true }) { return free }
        let oldest = places.indices.min { (places[$0]?.used ?? wall) < (places[$1]?.used ?? wall) }
        return oldest ?? 0
    }

    /// The first of these cookies that stands for a login, and its place. A browser sends cookies that other servers of the
    /// same name have set beside ours: cookies know no ports.
    package func login(of cookies: [String], wall: WallTime) -> (cookie: String, place: Int)? {
        for cookie in cookies { if let place = place(of: cookie, wall: wall) { return (cookie, place) } }
        return nil
    }

    /// The place of the login that a cookie stands for; nil if there is none or it has ended.
    package func place(of cookie: String, wall: WallTime) -> Int? {
        guard Letters.isSecret(cookie) else { return nil }
        let hash = Self.hash(cookie)
        return places.firstIndex { login in
            guard let login else { return false }
            return login.hash == hash && !Self.hasEnded(login, wall)
        }
    }

    /// Notes a use.
    /// - Returns: whether that must be written to the file, because the last note there is an hour old.
    package mutating func use(place: Int, wall: WallTime) -> Bool {
        guard let login = places[place] else { return false }
        let age = wall.milliseconds.subtractingReportingOverflow(login.used.milliseconds)
        guard age.overflow || age.partialValue >= WebLimits.useGranularity || age.partialValue < 0 else { return false }
        places[place]?.used = wall
        return true
    }

    /// Ends logins: one by its id, or `all`.
    /// - Returns: their places.
    package mutating func end(_ id: String) -> [Int] {
        let ended = places.indices.filter { places[$0] != nil && (id == "all" || places[$0]?.id == id) }
        for place in ended { places[place] = nil }
        return ended
    }

    /// Ends the logins that were not used for 30 days.
    package mutating func endOld(wall: WallTime) -> [Int] {
        let ended = places.indices.filter { places[$0].map { Self.hasEnded($0, wall) } ?? false }
        for place in ended { places[place] = nil }
        return ended
    }

    private static func hasEnded(_ login: Login, _ wall: WallTime) -> Bool {
        let age = wall.milliseconds.subtractingReportingOverflow(login.used.milliseconds)
        return age.overflow || age.partialValue >= WebLimits.loginLife
    }

    /// At most 128 bytes of what a browser calls itself, in ASCII.
    private static func shortened(_ agent: String) -> String {
        String(decoding: agent.utf8.filter { 0x20...0x7E ~= $0 }.prefix(WebLimits.agentBytes), as: UTF8.self)
    }
}
