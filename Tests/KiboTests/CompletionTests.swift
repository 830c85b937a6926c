import ControlProtocol
import TestSupport
import Testing
import Vocabulary

@testable import kibo

/// Goal: what shells complete and what the manual pages say is what the command table says.
struct CompletionTests {
    @Test("Every shell is offered each command and each option")
    func complete() {
        for shell in ["bash", "zsh", "fish"] {
            let script = CommandRun("completions", shell, daemon: nil)
            #expect(script.code == .done)
            for spec in CommandTable.all.map(\.spec) {
                #expect(script.output.contains(spec.name), "\(shell) \(spec.name)")
                for option in spec.options {
                    let name = shell == "fish" ? "-l \(option.name.dropFirst(2)) " : option.name
                    #expect(script.output.contains(name), "\(shell) \(spec.name) \(option.name)")
                }
            }
        }
        #expect(CommandRun("completions", "tcsh", daemon: nil).code == .usage)
        #expect(CommandRun("completions", "people", daemon: nil).code == .noDaemon)
    }

    /// Completes a line by the script for bash, with a kibo that knows two chats.
    private func complete(_ line: String...) throws -> [String] {
        let place = try TemporaryDirectory()
        let script = CommandRun("completions", "bash", daemon: nil).output
        let words = line.map { "'\($0)'" }.joined(separator: " ")
        try TextFile.write(
            Array(
                """
                kibo() { printf '%s\\n' 'Anna Berg' 'Ben' ':Hikers'; }
                \(script)
                COMP_WORDS=(kibo \(words)) COMP_CWORD=\(line.count) COMP_LINE="${COMP_WORDS[*]}"
                _kibo
                printf '%s\\n' "${COMPREPLY[@]}"
                """.utf8), to: place.file("script"))
        let child = try ChildProcess(
            "/bin/bash", [place.file("script")], environment: ["PATH": "/usr/bin:/bin"], outputPath: place.file("out"))
        #expect(child.wait(Patience.usual) == .exited(0))
        return try TextFile.text(place.file("out")).split(separator: "\n").map(String.init)
    }

    @Test("bash offers commands, options, actions and names, each where it belongs")
    func bash() throws {
        #expect(try complete("se") == ["send", "search", "settings", "setup"].sorted { order($0) < order($1) })
        #expect(try complete("send", "A") == ["Anna\\ Berg"])
        // Readline has the colon already.
        #expect(try complete("--json", "send", ":") == ["Hikers"])
        #expect(try complete("send", "\"a") == ["Anna Berg"])
        #expect(try complete("send", "Ben", "--gr") == ["--group"])
        #expect(try complete("send", "--reply", "x", "B") == ["Ben"])
        #expect(try complete("group", "cre") == ["create"])
        #expect(try complete("delete", "x", "--for", "a") == ["all"])
        #expect(try complete("help", "pee") == ["peers"])
        #expect(try complete("status", "A").isEmpty)
    }

    /// Where a command stands in the table.
    private func order(_ name: String) -> Int { CommandTable.all.firstIndex { $0.spec.name == name } ?? -1 }

    @Test("The names that shells ask for come from the daemon: for each place those that fit there")
    func names() {
        let daemon = FakeDaemon.withGroup()
        let contacts = Cast.contacts + [Contact(id: Cast.hostile, displayName: "Mal\u{1B}[2J", relation: .incoming)]
        daemon.answer("contact.list") { _, _ in ["contacts": .array(contacts.map(\.json))] }
        var muted = Cast.conversations
        muted[0].muted = true
        daemon.answer("conversation.list") { [muted] _, _ in ["conversations": .array(muted.map(\.json))] }
        daemon.answer("settings.get") { params, _ in
            try SettingsCatalogue.setting(params.string("key")).setting(nil).json
        }
        for (words, names): ([String], [String]) in [
            (["people"], ["Anna", "Bella", "Bob"]), (["chats"], ["Anna", "Bella", ":Hikers", "@me"]),
            (["strangers"], ["Bob"]), (["muted"], ["Anna"]), (["pinned"], []),
            (["requests"], ["Bob"]), (["declinable"], ["Bob", "photos", "report.pdf"]), (["blocked"], []),
            (["offers"], ["photos", "report.pdf"]), (["pausable"], ["song.mp3"]),
            (["group", "--", "show"], ["Hikers"]), (["group", "--current", ":H", "--", "show"], [":Hikers"]),
            (["group", "--", "create"], []), (["group", "--", "create", "Walkers"], ["Anna", "Bella"]),
            (["group", "--", "role", "Hikers", "Anna"], GroupRole.allCases.map(\.rawValue)),
            (["values", "--", "presence.typing"], ["yes", "no"]),
            (["values", "--", "--json", "messages.order"], ["sent", "arrival"]),
            (["values", "--", "messages.keepDays"], []),
        ] {
            let run = CommandRun(words: ["completions"] + words, daemon: daemon)
            #expect(run.output.split(separator: "\n").map(String.init) == names, "\(words): \(run.errors)")
        }
    }

    @Test("The manual pages name each command and each option, and no line is taken for a request to troff")
    func manual() {
        let page = CommandRun("help", "--manual", daemon: nil).output
        for spec in CommandTable.all.map(\.spec) {
            #expect(page.contains("\\fBkibo \(spec.name)".replacing("-", with: "\\-")), "\(spec.name)")
            for option in spec.options {
                #expect(page.contains(option.name.replacing("-", with: "\\-")), "\(option.name)")
            }
        }
        let requests = [".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
        }
    }
}
