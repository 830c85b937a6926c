import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo roster make FILE [WHO…] [--nearby]`
struct RosterCommand: Command {
    let spec = CommandSpec(
        "roster", .other, "Make a file that makes everyone in an office friends",
        arguments: [
            ArgumentSpec("ACTION", help: "make", choices: ["make"]),
            ArgumentSpec("FILE", help: "the file to write, which must not exist yet"),
            ArgumentSpec("WHO", .any, help: "the people in the office; you are always included"),
        ],
        options: [
            OptionSpec("--nearby", help: "everyone who is on the network now")
        ],
        details: """
            The file contains the accounts with their names, and your signature. Copy it to each host, and name it in
            kibod.json5 there; kibod --check says if it can be used. The people in it are friends from then
            on, without a request. Anyone who a user has removed, declined or blocked stays that way.

            With --nearby, check the list carefully: anyone on the network can choose any name.
            """,
        examples: ["kibo roster make office.json --nearby", "kibo roster make lab.json Anna Ben"])

    func run(_ context: Context) throws -> ExitCode {
        guard context.word(0) == "make" else {
            throw Failure.usage("kibo roster has no action \"\(context.word(0))\"", command: "roster")
        }
        let path = try LocalPath.new(context.word(1))
        let client = try context.client()
        var people: [(id: String, name: String)] = []
        func add(_ id: String, _ name: String) {
            if !people.contains(where: { $0.id == id }) { people.append((id, name)) }
        }
        for word in context.arguments.positionals.dropFirst(2) {
            let named = try context.find(word, .anybody)
            add(named.id, named.name)
        }
        if context.arguments.has("--nearby") {
            for json in try client.call("peer.list")["peers"]?.array ?? [] {
                let peer = try Peer(json: json)
                add(peer.account, peer.displayName)
            }
        }
        guard !people.isEmpty else {
            throw Failure.usage("name at least one person, or give --nearby", command: "roster")
        }
        let result = try client.call("roster.make", ["accounts": .strings(people.map(\.id))])
        guard let text = result["roster"]?.string, let own = try context.ownAccount() else { return .failed }
        try write(text, to: path)
        if context.printJSON([
            "path": .string(path), "members": .integer(Int64(people.count + 1)), "signer": .string(own),
        ]) {
            return .done
        }
        context.console.line(
            "\(ForeignText.escaped(path)) has you and \(Humane.count(Int64(people.count), "other member")):")
        for person in people {
            context.console.line("  \(Words.name(person.name))  \(ShortID.account(person.id))")
        }
        context.console.line("On each host, into kibod.json5:")
        context.console.line("  roster: { file: \"/etc/kibo/roster.json\", signer: \"\(own)\" }")
        return .done
    }

    /// Writes a new file.
    private func write(_ text: String, to path: String) throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            let code = errno
            unlink(path)
            throw Failure(.failed, "\(path): \(String(cString: strerror(code)))")
        }
    }
}
