import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A morning of three people on one network, told by the `kibo` commands that they type.
@Suite("A story of three people, by the command line", .serialized)
struct PeopleStoryTests {
    @Test("Anna, Ben and Cleo: accounts, profiles, friends, trust, presence, address book, invitations, and a farewell")
    func story() throws {
        let port = try FreePort.udp()
        let anna = try Person("anna", port)
        let ben = try Person("ben", port)
        let cleo = try Person("cleo", port)

        // Anna makes an account with a passphrase, Ben and Cleo make theirs without.
        try anna.write("secret", "correct horse battery\n")
        try anna.says("setup", "--name", "Anna Berg", "--passphrase-file", anna.path("secret"), shows: "Anna Berg")
        try ben.says("setup", "--name", "Ben", shows: "You are Ben")
        try cleo.says("setup", "--name", "Çleo", shows: "You are Çleo")
        try anna.says("setup", "--name", "Again", code: 1, shows: "already")
        for (one, others) in [(anna, ["Ben", "Çleo"]), (ben, ["Anna Berg", "Çleo"]), (cleo, ["Anna Berg", "Ben"])] {
            for other in others { try one.sees("peers", other) }
        }

        // She sets a profile, with some mistakes.
        try anna.says("profile", "--name", String(repeating: "A", count: 51), code: 1, shows: "50")
        try anna.says("profile", "--email", "anna at example", code: 1, shows: "mail")
        try anna.says("profile", "--phone", "030 123456", code: 1, shows: "+")
        try anna.says(
            "profile", "--status", "In the workshop", "--email", "anna@example.org", "--phone", "+49 30 123456",
            shows: "In the workshop")
        try anna.write("face.png", SampleFiles.png(width: 400, height: 300))
        try anna.says("profile", "--avatar", anna.path("face.png"), shows: "Friends see it")

        // A stranger can only ask. Anna asks Ben; he sees her note and accepts.
        try cleo.says("send", "Ben", "hello", code: 4, shows: "kibo add Ben")
        try anna.says("add", "Ben", "--note", "It's me, from the workshop", shows: "to be your friend")
        try ben.sees("requests", "from the workshop")
        try ben.says("accept", "Anna Berg", shows: "friends")
        try anna.sees("contacts", "friend")
        // What friends see of her comes a moment after she has heard of the acceptance.
        try ben.sees("contacts", "123456", shows: "Anna Berg")
        try ben.says("contacts", "ANNA@EXAMPLE", shows: "Anna Berg")
        try ben.sees("profile", "Anna Berg", shows: "In the workshop")
        let avatar = try Patience.until("Anna's picture at Ben's", report: ben.report) {
            try ben.contact(anna)?["avatar"]?.string
        }
        #expect(access(avatar, R_OK) == 0)

        // Cleo asks Ben too; he declines, and she is not told. She may not write.
        try cleo.says("add", "Ben", shows: "to be your friend")
        try ben.sees("requests", "Çleo")
        try ben.says("decline", "Çleo", shows: "Declined")
        try ben.says("requests", shows: "no requests")
        #expect(try cleo.contact(ben)?["relation"]?.string == "requested")

        // Anna and Cleo ask each other at once, and are friends, whoever was first.
        try anna.says("add", "Çleo", shows: "")
        try cleo.says("add", "Anna Berg", shows: "")
        for (one, other) in [(anna, cleo), (cleo, anna)] {
            try Patience.until("both to be friends", report: one.report) {
                try one.contact(other)?["relation"]?.string == "friend"
            }
        }
        // She is found without the accent, and gets an alias.
        try anna.says("contacts", "cleo", shows: "Çleo")
        try anna.says("alias", "Çleo", "Boss", shows: "Boss")
        try anna.says("send", "Boss", "Good morning", "--wait", "delivered", shows: "Delivered")

        // They compare numbers: both have the same, and a wrong one is told.
        let number = try anna.json("verify", "Ben")["number"]?.string ?? ""
        #expect(number.filter(\.isNumber).count == 60)
        #expect(try ben.json("verify", "Anna Berg")["number"]?.string == number)
        let wrong = String(number.map { $0 == "1" ? "2" : $0 == "2" ? "1" : $0 })
        try anna.says("verify", "Ben", wrong, code: 1, shows: "")
        #expect(try anna.contact(ben)?["trust"]?.string == "unverified")
        try anna.says("verify", "Ben", number, shows: "is verified")
        try anna.says("contacts", "Ben", shows: "friend, verified")
        let link = try anna.json("link")["uri"]?.string ?? ""
        try ben.says("verify", "Anna Berg", link, shows: "is verified")
        #expect(try ben.contact(anna)?["trust"]?.string == "verified")

        // Anna goes for a coffee, then locks her account; her friends see both.
        try anna.says("presence", "away", shows: "away")
        try Patience.until("Ben to see her away", report: ben.report) {
            try ben.contact(anna)?["presence"]?.string == "away"
        }
        try anna.says("presence", "online", "--status", "Back again", shows: "online")
        try Patience.until("Ben to see her back", report: ben.report) {
            let contact = try ben.contact(anna)
            return contact?["presence"]?.string == "online" && contact?["statusText"]?.string == "Back again"
        }
        try anna.says("lock", shows: "Locked")
        try Patience.until("Ben to see her gone", report: ben.report) {
            try ben.contact(anna)?["presence"]?.string == "offline"
        }
        try anna.says("send", "Ben", "hello?", code: 5, shows: "unlock")
        try ben.says("send", "Anna Berg", "Are you there?", shows: "Queued")
        try anna.write("wrong", "correct horse\n")
        try anna.says("unlock", "--passphrase-file", anna.path("wrong"), code: 1, shows: "passphrase")
        try Patience.until("the unlocking", report: anna.report) {
            // After a wrong passphrase the next attempt has to wait for a moment.
            try anna.run("unlock", "--passphrase-file", anna.path("secret")).code == 0
        }
        try anna.sees("read", "Ben", shows: "Are you there?")

        // Ben looks which people of his address book are here.
        try ben.write(
            "people.vcf",
            """
            BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna B. (workshop)\r\nTEL;TYPE=CELL:030 123456\r\nEND:VCARD\r
            BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dora Duck\r\nEMAIL:dora@example.org\r\nTEL:tel:+1-201-555-0123\r\nEND:VCARD\r\n
            """)
        try ben.says("addressbook", "import", ben.path("people.vcf"), "--country", "DE", shows: "2")
        try ben.sees("addressbook", "list", "--on-kibo", shows: "Anna B. (workshop)")
        let absent = try ben.run("addressbook", "list", "--not-on-kibo").output
        #expect(absent.contains("Dora Duck") && !absent.contains("Anna B."), "\(absent)")
        try ben.says(
            "invite", "Dora", "--email", "--text", "Come to Kibo, {name}: {link}", shows: "mailto:dora@example.org")
        try ben.says("invite", "Anna B.", "--email", code: 1, shows: "")

        // Ben doesn't want Cleo's requests any more: he blocks her, and she sees nothing of it.
        try ben.says("block", "Çleo", shows: "Çleo is blocked")
        try cleo.says("add", "Ben", shows: "")
        try ben.says("requests", shows: "no requests")
        #expect(try cleo.contact(ben)?["presence"]?.string == "offline")
        try ben.says("unblock", "Çleo", shows: "")

        // In the end Anna and Ben part.
        try anna.says("remove", "Ben", shows: "Ben")
        try Patience.until("Ben to hear of it", report: ben.report) {
            let relation = try ben.contact(anna)?["relation"]?.string
            return relation != "friend"
        }
        try ben.says("send", "Anna Berg", "Why?", code: 1, shows: "friend")
        try ben.says("read", "Anna Berg", shows: "Are you there?")
    }
}

/// A command whose result is not what the story says.
private struct StoryFailure: Error, CustomStringConvertible {
    let description: String
}

/// A person with a daemon and a keyboard.
private final class Person {
    let daemon: DaemonProcess
    private var runs = 0

    init(_ name: String, _ port: UInt16) throws {
        daemon = try DaemonProcess(name: name, options: DaemonProcess.Options(discoveryPort: port))
        try daemon.start()
    }

    var report: String { daemon.logTail }

    func path(_ name: String) -> String { daemon.directory.file(name) }
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try TextFile.write(bytes, to: path(name))
        chmod(path(name), 0o600)
    }

    /// Runs `kibo`.
    func run(_ words: String...) throws -> (code: CInt, output: String) { try run(words) }

    private func run(_ words: [String]) throws -> (code: CInt, output: String) {
        runs += 1
        let output = path("output.\(runs)")
        let process = try ChildProcess(
            ProgramPaths.kibo, ["--socket", daemon.socketPath] + words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": path("home")], outputPath: output)
        guard case .exited(let code)? = process.wait(.seconds(60)) else {
            throw StoryFailure(description: "kibo \(words) did not end\n\(report)")
        }
        return (code, (try? TextFile.text(output)) ?? "")
    }

    /// Types a command, and expects its exit code and some of its words.
    func says(_ words: String..., code: CInt = 0, shows text: String) throws {
        let (ended, output) = try run(words)
        guard ended == code, text.isEmpty || output.contains(text) else {
            throw StoryFailure(
                description: "\(daemon.name): kibo \(words.joined(separator: " ")): \(ended), not \(code) with "
                    + "\"\(text)\"\n\(output)\n\(report)")
        }
    }

    /// Types a command again and again until it shows a result that comes by itself: the last word, or `shows`.
    func sees(_ words: String..., shows text: String? = nil) throws {
        let command = text == nil ? Array(words.dropLast()) : words
        let wanted = text ?? words.last ?? ""
        var last = ""
        try Patience.until("\(wanted) in kibo \(command) of \(daemon.name): \(last)", report: report) {
            last = try run(command).output
            return last.contains(wanted)
        }
    }

    /// Returns the output of a command for programs.
    func json(_ words: String...) throws -> JSONValue {
        let (code, output) = try run(["--json"] + words)
        guard code == 0 else { throw StoryFailure(description: "kibo \(words): \(code)\n\(output)") }
        return try JSONParser.parse(output)
    }

    /// Returns another person as this person's daemon knows them.
    func contact(_ other: Person) throws -> JSONValue? {
        do {
            return try daemon.call("contact.get", ["id": .string(try other.daemon.account.id)])
        } catch ClientError.refused {
            return nil
        }
    }
}
