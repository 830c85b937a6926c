import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: all users of a host can read command lines, so nothing stands there by which one of them could be visited by the page's
/// cookies.
@Suite("What is seen of a browser's start", .serialized)
struct WebOpeningTests {
    private func opening(_ ticket: Substring, _ stage: GatewayStage, site: String = "none") -> String {
        "GET /go/\(ticket) HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\nSec-Fetch-Site: \(site)\r\n"
            + "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n"
    }

    /// The words and variables of all processes of this host.
    private func processes() -> [(pid: pid_t, text: String)] {
        TemporaryDirectory.names(in: "/proc").compactMap { pid_t($0) }.filter { $0 != getpid() }.map { pid in
            (pid, ["cmdline", "environ"].map { (try? TextFile.text("/proc/\(pid)/\($0)")) ?? "" }.joined())
        }
    }

    @Test(
        "No process has the page's name or a link in its words or variables, and the ticket that is there works for one's own browser once"
    )
    func processesTellNothing() throws {
        let stage = try GatewayStage()
        let directory = try TemporaryDirectory()
        let (opener, hold) = (directory.file("xdg-open"), directory.file("hold"))
        // As a browser does, it goes on running with the words it was given.
        let script =
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(directory.file("new"))'; mv '\(directory.file("new"))' '\(directory.file("opened"))'\n"
        try TextFile.writeProgram((script + "while [ -e '\(hold)' ]; do sleep 0.1; done\n").utf8, to: opener)
        try TextFile.write([], to: hold)
        defer { unlink(hold) }
        let kibo = try ChildProcess(
            ProgramPaths.kibo, ["--socket", stage.daemon.socketPath, "web"],
            environment: ["PATH": "\(directory.path):/usr/bin:/bin", "DISPLAY": ":0", "HOME": directory.path],
            outputPath: directory.file("out"))
        #expect(kibo.wait(Patience.usual) == .exited(0))
        // What isn't written to a terminal may go to a journal.
        let name = String(stage.host.prefix(17))
        #expect(name.wholeMatch(of: /kibo-[a-z]{12}/) != nil)
        #expect(try !TextFile.text(directory.file("out")).contains(name))
        let printed = try stage.daemon.kibo("web", "--print").text
        let link = try #require(printed.firstMatch(of: /http:\/\/(kibo-[a-z]{12})\.localhost:\d+\/#t=([\w-]{43})/))
        #expect(link.1 == name)
        let opened = try Patience.until("the browser") { try? TextFile.text(directory.file("opened")) }
        let ticket = try #require(opened.firstMatch(of: /^http:\/\/127\.0\.0\.1:(\d+)\/go\/([\w-]{43})\n$/))
        #expect(ticket.1 == "\(stage.port)")
        let all = processes()
        #expect(all.contains { $0.text.contains(ticket.2) }, "the browser must run, or this test shows nothing")
        #expect(all.contains { $0.text.contains("--worker") })
        for (pid, text) in all {
            #expect(!text.contains(link.1) && !text.contains(link.2), "process \(pid): \(text)")
        }
        // A page of another site leads nobody in, and takes the ticket from nobody.
        #expect(try stage.ask(opening(ticket.2, stage, site: "cross-site")).status == 403)
        let answer = try stage.ask(opening(ticket.2, stage))
        let token = try #require(
            answer.head.firstMatch(of: /Location: http:\/\/([^\/]*)\/#t=([\w-]{43})\r\n/), "\(answer.head)")
        #expect(answer.status == 302 && String(token.1) == stage.host && token.2 != link.2)
        #expect(answer.head.contains("Referrer-Policy: no-referrer") && answer.head.contains("Cache-Control: no-store"))
        #expect(try stage.ask(stage.text("POST", "/login", body: "{\"token\":\"\(token.2)\"}")).status == 200)
        // A second time it leads to the page alone.
        #expect(try stage.ask(opening(ticket.2, stage)).head.contains("Location: http://\(stage.host)/\r\n"))
    }

    @Test("A ticket leads to a place of the page, and to nothing else")
    func places() throws {
        let stage = try GatewayStage(account: false)
        let link = try #require(try stage.door("web.open", ["go": "call/1-a_b/audio"])["link"]?.string)
        let ticket = try #require(link.split(separator: "/").last)
        #expect(try stage.ask(opening(ticket, stage)).head.contains("&go=call/1-a_b/audio\r\n"))
        for place in ["a b", "a\r\nSet-Cookie: x=y", "a&b", "a#b", String(repeating: "a", count: 201)] {
            #expect(throws: ClientError.self) { try stage.door("web.open", ["go": .string(place)]) }
        }
    }
}
