import Basics
import Testing

@testable import Notifications

/// Goal: whatever comes, a place has one notification that changes once a second at most, and all places together few.
@Suite("The board of notifications")
struct NotificationBoardTests {
    private static func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: UInt64(seconds * 1e9)) }
    private static func id(_ number: UInt64) -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(at: WallTime(milliseconds: Int64(number)), using: &random)
    }
    private let chats = (0..<200).map { Self.id(UInt64($0)) }

    private func message(_ chat: Int, _ body: String, arrival: Int64 = 1) -> Notification {
        Notification(
            place: .conversation(chats[chat]), title: "Ben", body: body,
            messages: .init(newest: Self.id(1000), last: Self.id(1001), arrival: arrival))
    }

    private func shown(_ order: NotificationBoard.Order?) -> Notification? {
        if case .show(let notification) = order { notification } else { nil }
    }

    @Test("The first is shown at once; a thousand messages a second change it once a second, with their number")
    func flood() throws {
        let board = Board()
        var orders = 0
        for step in 0..<3000 {
            let now = Self.moment(Double(step) / 1000)
            board.machine.add(message(0, "number \(step)", arrival: Int64(step)))
            if let notification = shown(board.next(now: now)) {
                orders += 1
                #expect(notification.body == "number \(step)")
                #expect(notification.count == step + 1)
                #expect(notification.messages?.arrival == Int64(step))
            }
        }
        #expect(orders == 3)
        #expect(board.machine.nextDeadline == Self.moment(3))
        #expect(shown(board.next(now: Self.moment(3)))?.fullBody == "3000 messages\nnumber 2999")
    }

    @Test("Many places share the pace, and beyond the most the oldest makes room")
    func places() {
        let board = Board()
        for chat in 0..<200 { board.machine.add(message(chat, "Hello")) }
        #expect(
            board.machine.places == NotificationLimits.places
                && board.machine.left == 200 - UInt64(NotificationLimits.places))
        var orders = 0
        for step in 0..<1000 where board.next(now: Self.moment(Double(step) / 1000)) != nil { orders += 1 }
        #expect(orders == 5, "one in 200 ms")
        // What was shown is taken away when it makes room.
        for chat in 0..<NotificationLimits.places { board.machine.add(message(chat, "Again")) }
        var closed = 0
        while case .close = board.next(now: Self.moment(1)) { closed += 1 }
        #expect(closed == 5)
    }

    @Test(
        "A call that rings comes before all that waits, makes no room for others, and is shown again by another server")
    func rings() {
        let board = Board()
        for chat in 0..<NotificationLimits.places { board.machine.add(message(chat, "Hello")) }
        let call = Notification(place: .call(Self.id(7)), title: "Ben is calling", body: "", ring: .aloud)
        board.machine.add(call)
        #expect(shown(board.next(now: Self.moment(0))) == call)
        for chat in 0..<200 { board.machine.add(message(chat, "Again")) }
        #expect(board.machine.has(call.place) && board.machine.places == NotificationLimits.places)
        board.machine.nothingIsShown()
        #expect(shown(board.next(now: Self.moment(2))) == call)
        // A second word about it takes its place, and counts nothing.
        board.machine.add(Notification(place: call.place, title: "Ben is calling", body: "Sorry", ring: .aloud))
        #expect(shown(board.next(now: Self.moment(4)))?.title == "Ben is calling")
        board.machine.withdraw(call.place)
        #expect(board.next(now: Self.moment(5)) == .close(call.place))
        #expect(NotificationPlace(tag: call.place.tag) == call.place)
    }

    @Test("What is read elsewhere is closed if it was shown, and never shown if it was not")
    func withdrawn() {
        let board = Board()
        board.machine.add(message(0, "Hello"))
        board.machine.withdraw(.conversation(chats[0]))
        #expect(board.next(now: Self.moment(0)) == nil && board.machine.nextDeadline == nil)
        board.machine.add(message(0, "Hello"))
        #expect(shown(board.next(now: Self.moment(0))) != nil)
        board.machine.withdraw(.conversation(chats[0]))
        #expect(board.next(now: Self.moment(0)) == .close(.conversation(chats[0])))
        // A new one in the meantime makes the closing void.
        board.machine.add(message(0, "One"))
        _ = board.next(now: Self.moment(5))
        board.machine.withdraw(.conversation(chats[0]))
        board.machine.add(message(0, "Two"))
        #expect(shown(board.next(now: Self.moment(10)))?.body == "Two")
    }

    @Test("A notification that the user has closed counts anew; what came meanwhile is shown all the same")
    func closed() {
        let board = Board()
        board.machine.add(message(0, "One"))
        _ = board.next(now: Self.moment(0))
        board.machine.add(message(0, "Two"))
        board.machine.wasSeen(.conversation(chats[0]))
        #expect(board.machine.shown(at: .conversation(chats[0])) == nil)
        let next = shown(board.next(now: Self.moment(1)))
        #expect(next?.body == "Two" && next?.count == 1)
        board.machine.wasSeen(.conversation(chats[0]))
        #expect(board.machine.places == 0)
        // A button is about what was seen, not about what waits.
        board.machine.add(message(0, "Three", arrival: 3))
        _ = board.next(now: Self.moment(5))
        board.machine.add(message(0, "Four", arrival: 4))
        #expect(board.machine.shown(at: .conversation(chats[0]))?.messages?.arrival == 3)
    }

    @Test("What the server refuses waits; what a server showed that has gone isn't shown again")
    func refused() throws {
        let board = Board()
        board.machine.add(message(0, "Hello"))
        let first = try #require(shown(board.next(now: Self.moment(0))))
        board.machine.wasRefused(first)
        #expect(shown(board.next(now: Self.moment(0.5))) == nil)
        #expect(shown(board.next(now: Self.moment(1)))?.body == "Hello")
        board.machine.add(message(1, "Waits"))
        board.machine.nothingIsShown()
        #expect(board.machine.places == 1)
        #expect(shown(board.next(now: Self.moment(2)))?.body == "Waits")
        // One that was withdrawn while it was under way is not put back.
        board.machine.add(message(2, "Gone"))
        let third = try #require(shown(board.next(now: Self.moment(3))))
        board.machine.withdraw(third.place)
        board.machine.wasRefused(third)
        #expect(board.next(now: Self.moment(3)) == .close(third.place))
        #expect(board.machine.nextDeadline == nil)
    }

    @Test("What is under way when the server goes waits for another one if it is refused, else is not shown twice")
    func underWay() throws {
        let board = Board()
        board.machine.add(message(0, "Old"))
        #expect(shown(board.next(now: Self.moment(0))) != nil)
        board.machine.add(message(1, "Under way"))
        let order = try #require(shown(board.next(now: Self.moment(1))))
        board.machine.nothingIsShown(but: order.place)
        #expect(board.machine.places == 1)
        board.machine.wasRefused(order)
        #expect(shown(board.next(now: Self.moment(2)))?.body == "Under way")
        let call = Notification(place: .call(Self.id(7)), title: "Ben is calling", body: "", ring: .aloud)
        board.machine.add(call)
        #expect(shown(board.next(now: Self.moment(3))) == call)
        board.machine.nothingIsShown(but: call.place)
        #expect(board.machine.shown(at: call.place) == call)
        #expect(board.next(now: Self.moment(9)) == nil)
    }

    @Test("A notification shows flags and marks of direction, and ends what it cuts through")
    func written() {
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
        func body(_ text: String) -> String {
            Notification(place: .conversation(chats[0]), title: "x", body: text).body
        }
        #expect(body("Go \(flag)") == "Go \(flag)")
        #expect(body("שלום\u{200F}!") == "\u{2068}שלום\u{200F}!\u{2069}")
        #expect(body("\u{202E}a") == "\\u{202e}a")
        let long = body("\u{2067}" + String(repeating: "a", count: 10_000) + "\u{2069}")
        #expect(long.hasPrefix("\u{2068}\u{2067}a") && long.hasSuffix("a…\u{2069}\u{2069}"))
        #expect(NotificationText.title("A\u{200F}\(flag)").text.contains("\\u{200f}\u{1F3F4}\\u{e0067}"))
    }

    @Test("Foreign words are cut and can't pass for other words")
    func words() {
        let long = Notification(
            place: .conversation(chats[0]), title: NotificationText.title("A\u{202E}B\nC"),
            body: String(repeating: "é\u{301}", count: 100_000))
        #expect(long.title == "A\\u{202e}B\\u{a}C")
        #expect(long.body.count <= NotificationLimits.body + 1 && long.body.hasSuffix("…"))
        let heap = Notification(
            place: .conversation(chats[0]), title: "x", body: "a" + String(repeating: "\u{301}", count: 1_000_000))
        #expect(heap.body.utf8.count < 16 << 10)
        // No emoji is halved, whatever the number of its scalars.
        let family = "👩‍👩‍👧‍👦"
        let families = Notification(
            place: .conversation(chats[0]), title: "x", body: String(repeating: family, count: 1000))
        #expect(families.body.dropLast().allSatisfy { $0 == Character(family) } && families.body.last == "…")
    }

    @Test("No name reads as somebody in a group, as a call, or as a number of messages")
    func titles() {
        #expect(NotificationText.title("Bob", in: "Board") == "Bob in “Board”")
        #expect(NotificationText.title("O’Brien") == "O’Brien")
        for name in [
            "Bob in “Board”", "Bob in \"Board\"", "Bob in „Board“", "Bob in ''Board''", "Bob in ‘‘Board’’",
            "Bob in ＂Board＂",
            "Bob in «Board»", "Bob in ❝Board❞", "“Bob” is calling",
        ] {
            let title = NotificationText.title(name).text
            #expect(title.contains("\\u{"), "\(title)")
            #expect(
                !title.contains { "\"“”„«»＂❝❞".contains($0) } && !title.contains("''") && !title.contains("’’"),
                "\(title)")
        }
        // A long name can't push the group out of sight.
        let long = NotificationText.title(
            String(repeating: "Bob ", count: 30), in: String(repeating: "Board ", count: 30)
        ).text
        #expect(long.contains("… in “Board") && long.hasSuffix("…”") && long.count < 100)
        // A name from the right leaves the direction of the rest alone.
        #expect(NotificationText.title("דנה", in: "Board") == "\u{2068}דנה\u{2069} in “Board”")
        #expect(NotificationText.calls("Bob” is “calling") == "“Bob\\u{201d} is \\u{201c}calling” is calling")
        var several = Notification(place: .conversation(chats[0]), title: NotificationText.title("Bob (2)"), body: "x")
        several.count = 3
        #expect(several.title == "Bob (2)" && several.fullBody == "3 messages\nx")
    }

    @Test("A place is known by its tag, and nothing else is")
    func tags() throws {
        let account = try #require(AccountID(bytes: [UInt8](repeating: 7, count: 32)))
        for place in [NotificationPlace.conversation(chats[0]), .request(account)] {
            #expect(NotificationPlace(tag: place.tag) == place)
        }
        for tag in ["", "c", "r", "x\(chats[0])", "c\(chats[0])x", "🙂"] { #expect(NotificationPlace(tag: tag) == nil) }
    }
}

/// The board behind a reference: the macros of tests change no values.
private final class Board {
    var machine = NotificationBoard()

    func next(now: Instant) -> NotificationBoard.Order? { machine.next(now: now) }
}
