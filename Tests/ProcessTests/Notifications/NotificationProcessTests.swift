import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: the desktop tells of what a friend writes, in the words that the user allows, and of nothing that the user has seen
/// or hears of otherwise; whatever the desktop and the friend do, the daemon goes on.
@Suite(
    "Notifications on the desktop", .serialized, .enabled(if: FakeDesktop.isThere, "scripts/test installs dbus-daemon"))
struct NotificationProcessTests {
    typealias Steps = MessageProcessTests

    /// Anna has the desktop; Bert writes.
    private static func friends(_ desktop: FakeDesktop) throws -> (DaemonProcess, DaemonProcess) {
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        options.environment = desktop.environment
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.befriend(bert)
        return (anna, bert)
    }

    private static func unread(_ daemon: DaemonProcess, _ conversation: String) throws -> Int64 {
        try Conversation(json: daemon.call("conversation.get", ["id": .string(conversation)])).unread
    }

    private static func metric(_ name: String, at daemon: DaemonProcess) throws -> Int {
        let text = try daemon.call("system.metrics").string ?? ""
        return text.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").last.flatMap { Int($0) }
            ?? 0
    }

    private static func check(_ name: String, at daemon: DaemonProcess) throws -> DoctorCheck? {
        let checks = try daemon.call("system.doctor")["checks"]?.array ?? []
        return try checks.map { try DoctorCheck(json: $0) }.first { $0.name == name }
    }

    @Test("A message is shown with who wrote and what; reading it elsewhere takes the notification away")
    func shownAndClosed() throws {
        let desktop = try FakeDesktop(capabilities: ["actions", "body", "body-markup"])
        let (anna, bert) = try Self.friends(desktop)
        let sent = try Steps.send("<b>Lunch</b> & more?", from: bert, to: anna.account.id)
        let call = try desktop.wait("the notification", report: anna.logTail) { $0.name == "show" }
        #expect(call.title == "Bert")
        #expect(call.body == "&lt;b&gt;Lunch&lt;/b&gt; &amp; more?")
        #expect(call.actions == ["read", "Mark as read"])
        let conversation = try anna.conversation(with: bert)
        try anna.call("conversation.markRead", ["id": .string(conversation), "upTo": .string(sent.id)])
        _ = try desktop.wait("the notification to go", report: anna.logTail) { $0.name == "close" && $0.id == call.id }
        // One's own words are no news, and the next message of the friend is.
        _ = try Steps.send("Yes", from: anna, to: bert.account.id)
        _ = try Steps.send("Good", from: bert, to: anna.account.id)
        let next = try desktop.wait("the next one", report: anna.logTail) { $0.name == "show" && $0.body == "Good" }
        #expect(next.title == "Bert")
        #expect(desktop.shown.count == 2)
        #expect(try Self.check("notifications", at: anna)?.ok == true)
    }

    @Test("What a phone offers is shown, without its name where words are hidden, and goes with the answer")
    func phone() throws {
        let desktop = try FakeDesktop()
        var options = DaemonProcess.Options()
        options.environment = desktop.environment
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.set("localsend.enabled", to: true)
        for (words, body) in [
            ("all", "“Nice Orange” (LocalSend) wants to give you 2 files"),
            ("none", "A device on your network wants to give you something"),
        ] {
            try anna.set("notifications.show", to: .string(words))
            let phone = try FakePhone(to: anna, ["a.txt", "\(words).txt"])
            let call = try desktop.wait("the notification", report: anna.logTail) {
                $0.name == "show" && $0.body == body
            }
            #expect(call.title == "Kibo" && call.actions.isEmpty)
            let offers = try (anna.call("guest.list")["offers"]?.array ?? []).map { try GuestOffer(json: $0) }
            let offer = try #require(offers.first { $0.state == .waiting })
            try anna.call("guest.take", ["offer": .string(offer.id), "items": [0]])
            _ = try desktop.wait("it to go", report: anna.logTail) { $0.name == "close" && $0.id == call.id }
            #expect(try phone.answers() == ["200", "id0 200"])
            try Patience.until("the offer to be over") {
                try anna.call("guest.list")["offers"]?.array?.allSatisfy { $0["state"] == "taken" } == true
            }
        }
    }

    @Test(
        "Without a server nothing is tried again and again, and the doctor says one thing; a server that comes is used")
    func noServer() throws {
        let desktop = try FakeDesktop(hasServer: false)
        let (anna, bert) = try Self.friends(desktop)
        try Patience.until("the doctor to know that nothing shows notifications", report: anna.logTail) {
            try Self.check("notifications", at: anna) == nil
        }
        _ = try Steps.send("First", from: bert, to: anna.account.id)
        let conversation = try anna.conversation(with: bert)
        try Patience.until("it to be there", report: anna.logTail) { try Self.unread(anna, conversation) == 1 }
        try anna.set("notifications.desktop", to: "on")
        let check = try #require(try Self.check("notifications", at: anna))
        #expect(!check.ok && check.findings.first?.parameters["detail"] == "no notification server runs")
        #expect(try Self.metric("kibo_notifications_total{outcome=\"refused\"}", at: anna) == 0)
        #expect(!anna.log.contains("kibo-notify has ended"))
        try desktop.startServer()
        let call = try desktop.wait("what waited", report: anna.logTail) { $0.name == "show" }
        #expect(call.body == "First")
        #expect(try Self.check("notifications", at: anna)?.ok == true)
    }

    /// Returns when a daemon has looked up what has come: it begins after a tenth of a second at the latest, and these
    /// calls read after it.
    private static func letLook(_ daemon: DaemonProcess) throws {
        Patience.pause(.milliseconds(500))
        for _ in 0..<2 { try daemon.call("conversation.list") }
    }

    @Test("The words are hidden as the setting says; a muted chat and a switched off desktop show nothing")
    func hidden() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        try anna.set("notifications.show", to: "name")
        _ = try Steps.send("Secret one", from: bert, to: anna.account.id)
        let first = try desktop.wait("the name", report: anna.logTail) { $0.name == "show" }
        #expect(first.title == "Bert" && first.body == "New message")
        try anna.set("notifications.show", to: "none")
        let conversation = try anna.conversation(with: bert)
        _ = try Steps.send("Secret two", from: bert, to: anna.account.id)
        let second = try desktop.wait("nothing but that", report: anna.logTail) {
            $0.name == "show" && $0.title != "Bert"
        }
        #expect(second.title == "Kibo" && second.body == "2 messages\nNew message" && second.id == first.id)
        try anna.set("notifications.show", to: "all")
        try anna.call("conversation.update", ["id": .string(conversation), "muted": true])
        let muted = try Steps.send("Nobody hears", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: muted.id, at: bert)
        try Self.letLook(anna)
        try anna.call("conversation.update", ["id": .string(conversation), "muted": false])
        try anna.set("notifications.desktop", to: "off")
        let off = try Steps.send("Nobody sees", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: off.id, at: bert)
        try Self.letLook(anna)
        try anna.set("notifications.desktop", to: "auto")
        _ = try Steps.send("Here again", from: bert, to: anna.account.id)
        _ = try desktop.wait("the last one", report: anna.logTail) { $0.body.hasSuffix("Here again") }
        #expect(!desktop.shown.contains { $0.body.contains("Secret") || $0.body.contains("Nobody") })
    }

    @Test("While a client tells its user, the daemon's own notifications rest; after it they come again")
    func rests() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        let client = try anna.connect()
        let subscribed = try client.call("events.subscribe", ["types": ["message.added"], "notifies": true])
        _ = try Steps.send("Told by the client", from: bert, to: anna.account.id)
        try Patience.until("it is counted", report: anna.logTail) {
            try Self.metric("kibo_notifications_total{outcome=\"told_by_client\"}", at: anna) == 1
        }
        _ = try client.call("events.unsubscribe", ["subscription": try #require(subscribed["subscription"])])
        try Patience.until("the client is gone") { try Self.metric("kibo_notifying_clients", at: anna) == 0 }
        _ = try Steps.send("Told by the desktop", from: bert, to: anna.account.id)
        let call = try desktop.wait("the notification", report: anna.logTail) { $0.name == "show" }
        #expect(call.body == "Told by the desktop" && desktop.shown.count == 1)
    }

    @Test("The button marks what was seen as read; an answer is sent, and what came meanwhile stays unread")
    func actions() throws {
        let desktop = try FakeDesktop(capabilities: ["actions", "body", "inline-reply"])
        let (anna, bert) = try Self.friends(desktop)
        let conversation = try anna.conversation(with: bert)
        for text in ["One", "Two"] { _ = try Steps.send(text, from: bert, to: anna.account.id) }
        let call = try desktop.wait("both", report: anna.logTail) { $0.body == "2 messages\nTwo" }
        #expect(call.actions == ["read", "Mark as read", "inline-reply", "Reply"])
        #expect(try Self.unread(anna, conversation) == 2)
        try desktop.user("press \(call.id) read")
        try Patience.until("they are read", report: anna.logTail) { try Self.unread(anna, conversation) == 0 }
        _ = try Steps.send("Three?", from: bert, to: anna.account.id)
        let third = try desktop.wait("the third", report: anna.logTail) { $0.body == "Three?" }
        #expect(third.title == "Bert")
        try desktop.user("reply \(third.id) Yes & no: three")
        let theirs = try bert.conversation(with: anna)
        try Patience.until("the answer", report: anna.logTail) {
            try Steps.texts(bert, theirs).last == "Yes & no: three"
        }
        #expect(try Self.unread(anna, conversation) == 0)
        // An answer of white space is none, and one to nothing that is shown neither.
        _ = try Steps.send("Four", from: bert, to: anna.account.id)
        let fourth = try desktop.wait("the fourth", report: anna.logTail) { $0.body == "Four" }
        try desktop.user("reply 4711 To nobody")
        try desktop.user("reply \(fourth.id)   ")
        try Patience.until("it is read", report: anna.logTail) { try Self.unread(anna, conversation) == 0 }
        #expect(try Steps.texts(anna, conversation).count == 5)
    }

    @Test(
        "In a group the notification names who added the user, who wrote and where, also one who is no friend; a blocked one is never shown"
    )
    func groups() throws {
        let desktop = try FakeDesktop()
        let scene = try GroupScene(["Anna", "Bert", "Cleo"], environment: desktop.environment)
        let (anna, bert, cleo) = (scene.people[0], scene.people[1], scene.people[2])
        let added = try desktop.wait("how Cleo came in", report: cleo.logTail) { $0.body == "added you to this group" }
        #expect(added.title == "Anna in “Boat”")
        try scene.say("I do", as: bert)
        let call = try desktop.wait("the group's", report: cleo.logTail) { $0.body.hasSuffix("I do") }
        #expect(call.title == "Bert in “Boat”")
        try cleo.call("contact.block", ["id": .string(bert.account.id)])
        try scene.say("Never seen", as: bert)
        try scene.say("From a friend", as: anna)
        let next = try desktop.wait("the friend's", report: cleo.logTail) { $0.body.hasSuffix("From a friend") }
        #expect(next.title == "Anna in “Boat”")
        #expect(!desktop.shown.contains { $0.body.hasSuffix("Never seen") })
    }

    @Test("A message that its author deletes, and all words when the account is locked, go from the screen")
    func takenBack() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        let slip = try Steps.send("A slip", from: bert, to: anna.account.id)
        let call = try desktop.wait("the slip", report: anna.logTail) { $0.body == "A slip" }
        try bert.call("message.delete", ["id": .string(slip.id), "for": "all"])
        _ = try desktop.wait("the slip to go", report: anna.logTail) { $0.name == "close" && $0.id == call.id }
        _ = try Steps.send("Private", from: bert, to: anna.account.id)
        let second = try desktop.wait("the next one", report: anna.logTail) { $0.body == "Private" }
        try anna.call("account.changePassphrase", ["new": "a passphrase"])
        try anna.call("account.lock")
        _ = try desktop.wait("it to go", report: anna.logTail) { $0.name == "close" && $0.id == second.id }
    }

    @Test("A request to be a friend and a file are told of, and a request that was answered is taken away")
    func requestsAndFiles() throws {
        let desktop = try FakeDesktop()
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        options.environment = desktop.environment
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try bert.waitToSee(anna)
        try bert.call("contact.request", ["id": .string(anna.account.id)])
        let asked = try desktop.wait("the request", report: anna.logTail) { $0.name == "show" }
        #expect(asked.title == "Bert" && asked.body == "wants to be your friend" && asked.actions.isEmpty)
        try anna.call("contact.accept", ["id": .string(bert.account.id)])
        _ = try desktop.wait("the request to go", report: anna.logTail) { $0.name == "close" && $0.id == asked.id }
        let id = try anna.account.id
        try Patience.until("Bert knows") { try bert.contact(id)?.relation == .friend }
        let path = bert.directory.file("plan.pdf")
        try TextFile.write("%PDF-1.4 a plan".utf8, to: path)
        try bert.call("message.send", ["to": .string(anna.account.id), "files": [.string(path)]])
        let file = try desktop.wait("the file", report: anna.logTail) { $0.body == "File: plan.pdf" }
        #expect(file.title == "Bert")
    }

    @Test("The server goes and comes back, kibo-notify is killed, the bus ends: messages come in all the same")
    func comesBack() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        _ = try Steps.send("One", from: bert, to: anna.account.id)
        _ = try desktop.wait("the first", report: anna.logTail) { $0.body == "One" }
        desktop.endServer()
        try anna.set("notifications.desktop", to: "on")
        _ = try Steps.send("Two", from: bert, to: anna.account.id)
        try Patience.until("the doctor says so", report: anna.logTail) {
            try Self.check("notifications", at: anna)?.ok == false
        }
        try desktop.startServer()
        _ = try desktop.wait("what waited", report: anna.logTail) { $0.body.hasSuffix("Two") }
        #expect(try Self.check("notifications", at: anna)?.ok == true)
        let helper = try #require(try Self.children(of: anna, named: "kibo-notify").first)
        kill(helper, SIGKILL)
        _ = try Steps.send("Three", from: bert, to: anna.account.id)
        _ = try desktop.wait("what came after the kill", report: anna.logTail) { $0.body == "Three" }
        // The end of the daemon is the end of the helper.
        let second = try #require(try Self.children(of: anna, named: "kibo-notify").first)
        desktop.endBus()
        let last = try Steps.send("Four", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: last.id, at: bert)
        anna.kill()
        try Patience.until("the helper has ended") { kill(second, 0) != 0 }
    }

    @Test("A friend who writes without a pause changes one notification about once a second")
    func flood() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        let conversation = try bert.conversation(with: anna)
        let clocks = SystemClocks()
        let begin = clocks.now
        for number in 0..<1500 {
            try bert.call("message.send", ["conversation": .string(conversation), "text": .string("number \(number)")])
        }
        let mine = try anna.conversation(with: bert)
        try Patience.until("all are here", within: .seconds(60), report: anna.logTail) {
            try Self.unread(anna, mine) == 1500
        }
        _ = try desktop.wait("the last one", report: anna.logTail) { $0.body.hasSuffix("number 1499") }
        let seconds = Int((clocks.now - begin).milliseconds / 1000)
        #expect(desktop.shown.count <= seconds + 2, "\(desktop.shown.count) in \(seconds) s")
        #expect(Set(desktop.shown.map(\.id)).count == 1)
    }

    @Test("Without a bus nothing breaks, and the doctor says so only if notifications are asked for")
    func noBus() throws {
        let (anna, bert) = try Steps.friends()
        let sent = try Steps.send("Hello", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: sent.id, at: bert)
        #expect(try Self.check("notifications", at: anna) == nil)
        try anna.set("notifications.desktop", to: "on")
        let check = try #require(try Self.check("notifications", at: anna))
        #expect(!check.ok && check.findings.map(\.code) == [.noSessionBus] && check.advice.map(\.code) == [.useSession])
        let words = try anna.kibo("doctor")
        #expect(words.text.contains("kibod has no session bus"), "\(words)")
        #expect(try Self.children(of: anna, named: "kibo-notify").isEmpty)
    }

    @Test("A server that answers nothing holds up nothing but notifications")
    func hangs() throws {
        let desktop = try FakeDesktop()
        let (anna, bert) = try Self.friends(desktop)
        _ = try Steps.send("One", from: bert, to: anna.account.id)
        _ = try desktop.wait("the first", report: anna.logTail) { $0.body == "One" }
        desktop.freezeServer(true)
        for number in 0..<50 { _ = try Steps.send("number \(number)", from: bert, to: anna.account.id) }
        let last = try Steps.send("last", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: last.id, at: bert)
        let clocks = SystemClocks()
        let begin = clocks.now
        try anna.stop()
        #expect(clocks.now - begin < .seconds(5))
    }

    /// The processes of that name which the daemon has started.
    static func children(of daemon: DaemonProcess, named name: String) throws -> [pid_t] {
        let pid = try #require(daemon.pid)
        var found: [pid_t] = []
        for thread in TemporaryDirectory.names(in: "/proc/\(pid)/task") {
            let text = (try? TextFile.text("/proc/\(pid)/task/\(thread)/children")) ?? ""
            found += text.split(separator: " ").compactMap { pid_t($0) }
        }
        return found.filter { ((try? TextFile.text("/proc/\($0)/comm")) ?? "").hasPrefix(name) }
    }
}
