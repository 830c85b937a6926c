import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing
import Vocabulary

/// Goal: where no window of Kibo is open the desktop's notification rings, as long as the call does, and its buttons answer and
/// decline; where that can't be, the caller is told so.
@Suite(
    "Calls that ring on the desktop", .serialized,
    .enabled(if: FakeDesktop.isThere, "scripts/test installs dbus-daemon"))
struct CallDesktopTests {
    private func check(_ scene: CallScene) throws -> DoctorCheck? {
        let checks = try scene.bert.daemon.call("system.doctor")["checks"]?.array ?? []
        return try checks.map { try DoctorCheck(json: $0) }.first { $0.name == "calls" }
    }

    /// Bert has a desktop and no window.
    private func scene(_ desktop: FakeDesktop, environment: [String: String] = [:]) throws -> CallScene {
        let all = desktop.environment.merging(environment) { $1 }
        let scene = try CallScene(bertNotifies: false, environment: all)
        try Patience.until("a desktop that rings", report: scene.bert.daemon.logTail) {
            try check(scene)?.findings.map(\.code) == [.callsRingOnDesktop]
        }
        return scene
    }

    /// What the desktop was asked to show of calls that ring.
    private func rings(_ desktop: FakeDesktop) -> [FakeDesktop.Call] {
        desktop.shown.filter { $0.title.hasSuffix("is calling") }
    }

    private func shown(_ desktop: FakeDesktop, _ scene: CallScene, count: Int = 1) throws -> FakeDesktop.Call {
        try Patience.until("the notification", report: scene.bert.daemon.logTail) {
            rings(desktop).count >= count ? rings(desktop).last : nil
        }
    }

    private func waitForClose(_ call: FakeDesktop.Call, _ desktop: FakeDesktop, _ scene: CallScene) throws {
        _ = try desktop.wait("it to be taken away", report: scene.bert.daemon.logTail) {
            $0.name == "close" && $0.id == call.id
        }
    }

    @Test("It says who calls, urgently and until the end, and is taken away when the caller gives up; Decline declines")
    func rings() throws {
        let desktop = try FakeDesktop()
        let scene = try scene(desktop)
        var id = try scene.ring()
        let first = try shown(desktop, scene)
        #expect(first.title == "“Anna” is calling" && first.body.isEmpty)
        #expect(first.actions == ["answer", "Answer", "decline", "Decline"])
        #expect(first.hint("urgency") == 2 && first.expires == 0)
        #expect(first.hint("sound-name") == "phone-incoming-call" && first.hint("suppress-sound") == nil)
        _ = try scene.anna.call("call.hangup", id)
        try waitForClose(first, desktop, scene)
        try scene.expect(id, .cancelled, isMissed: true)
        // What has become of it is told as a message is.
        let missed = try desktop.wait("the missed call", report: scene.bert.daemon.logTail) { $0.body == "Missed call" }
        #expect(missed.title == "Anna" && missed.hint("urgency") == 1)
        id = try scene.ring()
        let second = try desktop.wait("the second ring", report: scene.bert.daemon.logTail) {
            $0.title == "“Anna” is calling" && $0.id != first.id
        }
        try desktop.user("press \(second.id) decline")
        try scene.anna.waitForEnd(id)
        #expect(try scene.anna.ending(id) != nil)
        #expect(try scene.anna.record(id).call?.outcome == .declined)
    }

    @Test("Answered by another program it goes; a muted chat rings for the eye alone, and hidden words hide who calls")
    func quietly() throws {
        let desktop = try FakeDesktop()
        let scene = try scene(desktop)
        var id = try scene.ring()
        let first = try shown(desktop, scene)
        _ = try scene.bert.accept(id)
        try waitForClose(first, desktop, scene)
        _ = try scene.bert.call("call.hangup", id)
        try scene.anna.waitForEnd(id)
        let conversation = try scene.bert.daemon.conversation(with: scene.anna.daemon)
        try scene.bert.daemon.call("conversation.update", ["id": .string(conversation), "muted": true])
        try scene.bert.daemon.set("notifications.show", to: "none")
        id = try scene.ring()
        let second = try shown(desktop, scene, count: 2)
        #expect(second.title == "Somebody is calling" && second.expires == 0)
        #expect(second.hint("suppress-sound") == true && second.hint("sound-name") == nil)
        // Dismissed is not declined: it rings on, and the caller knows nothing of it.
        try desktop.user("dismiss \(second.id)")
        Patience.pause(.milliseconds(300))
        try scene.anna.wait(.ringing, id)
        _ = try scene.anna.call("call.hangup", id)
        try scene.bert.waitForEnd(id)
    }

    @Test("While a window is open it rings there alone; when the window goes, the desktop rings")
    func window() throws {
        let desktop = try FakeDesktop()
        let scene = try CallScene(environment: desktop.environment)
        let id = try scene.ring()
        Patience.pause(.seconds(1))
        #expect(rings(desktop).isEmpty)
        try scene.bert.leave()
        let call = try shown(desktop, scene)
        #expect(call.title == "“Anna” is calling")
        // It rings somewhere: nobody is told that nothing can.
        Patience.pause(.seconds(11))
        try scene.anna.wait(.ringing, id)
        _ = try scene.anna.call("call.hangup", id)
        try waitForClose(call, desktop, scene)
    }

    @Test("Without a server, or switched off, nobody hears it; a server that goes in the middle ends it within seconds")
    func nobody() throws {
        let desktop = try FakeDesktop()
        let scene = try scene(desktop)
        try scene.bert.daemon.set("notifications.desktop", to: "off")
        #expect(try scene.anna.ending(try scene.start().id) == .nobody)
        #expect(try check(scene)?.findings.map(\.code) == [.callsCantRing] && check(scene)?.ok == true)
        try scene.bert.daemon.set("notifications.desktop", to: "on")
        try Patience.until("the desktop to ring again") { try check(scene)?.ok == true }
        let id = try scene.ring()
        _ = try desktop.wait("the ring", report: scene.bert.daemon.logTail) { $0.title == "“Anna” is calling" }
        let clocks = SystemClocks()
        let begin = clocks.now
        desktop.endServer()
        #expect(try scene.anna.ending(id) == .nobody)
        #expect(9...16 ~= (clocks.now - begin).components.seconds)
        #expect(try scene.bert.record(id).unread)
        let found = try #require(try check(scene))
        #expect(!found.ok && found.advice.map(\.code) == [.keepWindowOpen])
        #expect(try scene.bert.daemon.kibo("doctor").text.contains("they can't ring here"))
        try scene.bert.daemon.set("calls.allow", to: "nobody")
        #expect(try check(scene) == nil)
    }

    @Test("A server that comes back in time, and a kibo-notify that is killed, ring again")
    func comesBack() throws {
        let desktop = try FakeDesktop()
        let scene = try scene(desktop)
        let id = try scene.ring()
        _ = try shown(desktop, scene)
        desktop.endServer()
        try desktop.startServer()
        _ = try shown(desktop, scene, count: 2)
        let helper = try #require(
            try NotificationProcessTests.children(of: scene.bert.daemon, named: "kibo-notify").first)
        kill(helper, SIGKILL)
        let third = try shown(desktop, scene, count: 3)
        #expect(third.title == "“Anna” is calling")
        try desktop.user("press \(third.id) decline")
        try scene.anna.waitForEnd(id)
        try scene.expect(id, .declined, isMissed: false)
    }

    @Test("When the account is locked the ring goes from the screen, and after it the next call rings")
    func locked() throws {
        let desktop = try FakeDesktop()
        let scene = try scene(desktop)
        let bert = scene.bert.daemon
        try bert.call("account.changePassphrase", ["new": .string(DaemonProcess.passphrase)])
        let id = try scene.ring()
        let call = try shown(desktop, scene)
        try bert.call("account.lock")
        try waitForClose(call, desktop, scene)
        #expect(try scene.anna.ending(id) == .nobody)
        #expect(try check(scene) == nil)
        _ = try bert.unlock()
        try scene.bert.reconnect()
        try scene.waitForSession()
        let next = try scene.ring()
        _ = try shown(desktop, scene, count: 2)
        // A daemon that is killed and started again in the middle rings anew.
        bert.kill()
        try bert.start()
        _ = try bert.unlock()
        try scene.bert.reconnect()
        let last = try shown(desktop, scene, count: 3)
        #expect(last.title == "“Anna” is calling")
        _ = try scene.anna.call("call.hangup", next)
        try waitForClose(last, desktop, scene)
    }

    /// Programs that stand for those of a desktop; each writes down its words.
    private func programs(_ daemon: TemporaryDirectory) throws -> String {
        let folder = try daemon.makeDirectory("desktop")
        let scripts = [
            "xdg-open": "printf '%s\\n' \"$@\" >> \(folder)/opened",
            // The user's systemd starts what comes behind the two dashes, with the environment of the desktop.
            "systemd-run": """
            printf '%s\\n' "$@" >> \(folder)/started
            while [ "$1" != -- ]; do shift; done; shift
            DISPLAY=:7 exec "$@"
            """,
        ]
        for (name, lines) in scripts {
            try TextFile.writeProgram("#!/bin/sh\n\(lines)\n".utf8, to: folder + "/" + name)
        }
        return folder
    }

    /// Where the address leads that a browser is started with.
    private func followed(_ link: String) throws -> String {
        let parts = try #require(link.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)(\/go\/[\w-]+)/), "\(link)")
        let socket = try RawSocket(to: SocketAddress(.loopback, port: try #require(UInt16(parts.1))))
        let fields = [
            "Host: 127.0.0.1:\(parts.1)", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: document",
        ]
        socket.write(
            Array("GET \(parts.2) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\nConnection: close\r\n\r\n".utf8))
        let answer = String(decoding: try #require(socket.readToEnd()), as: UTF8.self)
        return String(try #require(answer.firstMatch(of: /Location: (\S+)\r\n/), "\(answer)").1)
    }

    @Test("Answer opens the browser at the call, by the user's systemd where the daemon is a service; else it says so")
    func answer() throws {
        let place = try TemporaryDirectory()
        let folder = try programs(place)
        let desktop = try FakeDesktop()
        let scene = try scene(desktop, environment: ["PATH": folder + ":/usr/bin:/bin", "INVOCATION_ID": "1"])
        let gateway = try ChildProcess(
            ProgramPaths.directory + "/kibo-web", ["--socket", scene.bert.daemon.socketPath],
            environment: ["XDG_STATE_HOME": place.file("state"), "HOME": place.path],
            outputPath: place.file("web.log"))
        let id = try scene.ring()
        let call = try shown(desktop, scene)
        try desktop.user("press \(call.id) answer")
        let link = try Patience.until("the browser", report: scene.bert.daemon.logTail) {
            (try? TextFile.text(folder + "/opened"))?.split(separator: "\n").last
        }
        let target = try followed(String(link))
        #expect(target.hasSuffix("&go=answer/\(id)/audio") && target.contains(".localhost:"), "\(target)")
        let started = try TextFile.text(folder + "/started")
        #expect(started.hasPrefix("--user\n") && started.contains("call\n--answer\n\(id)\n"), "\(started)")
        // It rings on until the page has answered.
        try scene.anna.wait(.ringing, id)
        _ = try scene.anna.call("call.hangup", id)
        try scene.bert.waitForEnd(id)
        // Where no browser can be opened the notification comes again, and says what can be done.
        try TextFile.write("#!/bin/sh\nexit 1\n".utf8, to: folder + "/systemd-run")
        let next = try scene.ring()
        let second = try desktop.wait("the second ring", report: scene.bert.daemon.logTail) {
            $0.title == "“Anna” is calling" && $0.id > call.id
        }
        try desktop.user("press \(second.id) answer")
        let last = try desktop.wait("what can be done", report: scene.bert.daemon.logTail) {
            $0.body.contains("kibo web")
        }
        #expect(last.title == "“Anna” is calling" && last.actions.contains("decline"))
        _ = try scene.anna.call("call.hangup", next)
        gateway.kill()
    }
}
