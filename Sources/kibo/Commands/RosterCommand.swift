import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo roster make|add|remove|show FILE [WHO…] [--nearby]`
struct RosterCommand: Command {
    let spec = CommandSpec(
        "roster", .other, "Make and change the file that makes everyone in an office friends",
        arguments: [
            ArgumentSpec("ACTION", help: "make, add, remove, show", choices: ["make", "add", "remove", "show"]),
            ArgumentSpec("FILE", help: "the roster; make needs a name that is not taken yet"),
            ArgumentSpec("WHO", .any, help: "the people in the office; you are always included"),
        ],
        options: [
            OptionSpec("--nearby", help: "with make and add: everyone who is on the network now")
        ],
        details: """
            The file contains the accounts with their names, and your signature. Copy it to each host, and name it in
            kibod.json5 there; kibod --check says if it can be used. The people in it are friends from then
            on, without a request. Anyone a user has removed, declined or blocked stays that way.

            add and remove change a file that you have signed, and sign it again. Then copy it to the hosts, and let
            their daemons read it: kibo reload. People removed from the file are not made friends on any more
            hosts. Where they are already friends, they stay friends until a user runs kibo remove.

            With --nearby, check the list carefully: anyone on the network can choose any name.
            """,
        examples: [
            "kibo roster make office.json --nearby", "kibo roster add office.json Carl",
            "kibo roster remove office.json Ben", "kibo roster show office.json",
        ])

    /// A person in a roster, or one who is to be in it.
    private struct Member: Equatable {
        let id: String
        let name: String
    }

    /// A roster that was read.
    private struct Contents {
        let text: String
        let signer: String
        let madeAt: Int64
        let members: [Member]
    }

    /// The greatest file that can be a roster.
    private static let bytes = 1 << 20

    func run(_ context: Context) throws -> ExitCode {
        switch context.word(0) {
        case "make": try make(context)
        case "add": try add(context)
        case "remove": try remove(context)
        case "show": try show(context)
        default: throw Failure.usage("kibo roster has no action \"\(context.word(0))\"", command: "roster")
        }
    }

    // MARK: Actions

    private func make(_ context: Context) throws -> ExitCode {
        let path = try LocalPath.new(context.word(1))
        let people = try people(context)
        let text = try sign(["accounts": .strings(people.map(\.id))], context)
        try WholeFile.make(path, text)
        guard let own = try context.ownAccount() else { return .failed }
        if context.printJSON([
            "path": .string(path), "members": .integer(Int64(people.count + 1)), "signer": .string(own),
        ]) {
            return .done
        }
        context.console.line(
            "\(ForeignText.escaped(path)) has you and \(Humane.count(Int64(people.count), "other member")):")
        list(people, context)
        context.console.line("On each host, into kibod.json5:")
        context.console.line("  roster: { file: \"/etc/kibo/roster.json\", signer: \"\(own)\" }")
        return .done
    }

    private func add(_ context: Context) throws -> ExitCode {
        let (path, old) = try readOwn(context)
        let fresh = try people(context).filter { person in !old.members.contains { $0.id == person.id } }
        return try change(
            path, from: old, ["accounts": .strings(fresh.map(\.id))], fresh, "were added to", context)
    }

    private func remove(_ context: Context) throws -> ExitCode {
        let (path, old) = try readOwn(context)
        guard !context.arguments.has("--nearby") else {
            throw Failure.usage("--nearby belongs to make and add", command: "roster")
        }
        var gone: [Member] = []
        for word in context.arguments.positionals.dropFirst(2) {
            let member = try member(word, of: old, context)
            guard member.id != old.signer else {
                throw Failure(.failed, "You have signed the roster, and are always in it.")
            }
            if !gone.contains(member) { gone.append(member) }
        }
        guard !gone.isEmpty else { throw Failure.usage("name at least one person", command: "roster") }
        return try change(
            path, from: old, ["accounts": .array([]), "without": .strings(gone.map(\.id))], gone, "were removed from",
            context)
    }

    private func show(_ context: Context) throws -> ExitCode {
        guard context.arguments.positionals.count == 2, !context.arguments.has("--nearby") else {
            throw Failure.usage("kibo roster show takes only FILE", command: "roster")
        }
        let (path, roster) = try read(context)
        if context.printJSON([
            "path": .string(path), "signer": .string(roster.signer), "version": .integer(roster.madeAt),
            "members": .array(
                roster.members.map { ["account": .string($0.id), "name": .string($0.name)] }),
        ]) {
            return .done
        }
        let signer = roster.members.first { $0.id == roster.signer }?.name ?? ShortID.account(roster.signer)
        let members = Humane.count(Int64(roster.members.count), "member")
        let time = Humane.format(roster.madeAt, "%Y-%m-%d %H:%M")
        context.console.line(
            "\(ForeignText.escaped(path)) has \(members); \(Words.name(signer)) signed it on \(time):")
        list(roster.members, context)
        return .done
    }

    // MARK: Parts

    /// Those who the words name, each once.
    private func people(_ context: Context) throws -> [Member] {
        var people: [Member] = []
        func add(_ id: String, _ name: String) {
            if !people.contains(where: { $0.id == id }) { people.append(Member(id: id, name: name)) }
        }
        for word in context.arguments.positionals.dropFirst(2) {
            let named = try context.find(word, .anybody)
            add(named.id, named.name)
        }
        if context.arguments.has("--nearby") {
            for json in try context.client().call("peer.list")["peers"]?.array ?? [] {
                let peer = try Peer(json: json)
                add(peer.account, peer.displayName)
            }
        }
        guard !people.isEmpty else {
            throw Failure.usage("name at least one person, or give --nearby", command: "roster")
        }
        return people
    }

    /// The member that a word means: a whole name or id in the file, or else anybody that the daemon knows by it.
    private func member(_ word: String, of roster: Contents, _ context: Context) throws -> Member {
        let matches = roster.members.filter { $0.name == word || $0.id == word }
        if matches.count == 1 { return matches[0] }
        guard matches.isEmpty else {
            throw Failure(
                .notFound, "Several members are called \(ForeignText.escapedName(word)).",
                hint: "Give the whole id: kibo --json roster show FILE")
        }
        let named = try context.find(word, .anybody, isStrict: true)
        guard let member = roster.members.first(where: { $0.id == named.id }) else {
            throw Failure(.notFound, "\(named.name) is not in the roster.", hint: "See: kibo roster show FILE")
        }
        return member
    }

    /// Reads a file that this account has signed.
    private func readOwn(_ context: Context) throws -> (path: String, Contents) {
        let (path, roster) = try read(context)
        guard try roster.signer == context.ownAccount() else {
            throw Failure(
                .failed, "\(path) is signed by another account, and only that account can change it.",
                hint: "See: kibo roster show FILE")
        }
        return (path, roster)
    }

    /// Reads the file; the daemon checks its signature.
    private func read(_ context: Context) throws -> (path: String, Contents) {
        let path = try LocalPath.existing(context.word(1))
        guard let file = fopen(path, "re") else {
            throw Failure(.failed, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.bytes + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0, count <= Self.bytes, let text = String(validating: bytes[..<count], as: UTF8.self),
            let json = try? JSONParser.parse(Array(bytes[..<count]))
        else { throw Failure(.failed, "\(path) is no roster") }
        let checked = try context.client().call("roster.check", ["roster": .string(text)])
        let members = (json["members"]?.array ?? []).compactMap { member in
            member["account"]?.string.map { Member(id: $0, name: member["name"]?.string ?? "") }
        }
        return (
            path,
            Contents(
                text: text, signer: checked["signer"]?.string ?? "", madeAt: checked["version"]?.integer ?? 0,
                members: members)
        )
    }

    private func change(
        _ path: String, from old: Contents, _ params: JSONObject, _ changed: [Member], _ what: String,
        _ context: Context
    ) throws -> ExitCode {
        var params = params
        params["from"] = .string(old.text)
        if !changed.isEmpty { try WholeFile.replace(path, with: try sign(params, context), followsLinks: true) }
        if context.printJSON(["path": .string(path), "changed": .strings(changed.map(\.id))]) { return .done }
        guard !changed.isEmpty else {
            context.console.line("They are all in it already.")
            return .done
        }
        let people = Humane.count(Int64(changed.count), "member")
        context.console.line(
            "\(people) \(changed.count == 1 ? what.replacing("were", with: "was") : what) \(ForeignText.escaped(path)):"
        )
        list(changed, context)
        context.console.line("Copy it to each host, and let its daemon read it: kibo reload")
        return .done
    }

    private func sign(_ params: JSONObject, _ context: Context) throws -> String {
        guard let text = try context.client().call("roster.make", params)["roster"]?.string else {
            throw Failure(.failed, "The daemon made no roster.")
        }
        return text
    }

    private func list(_ members: [Member], _ context: Context) {
        for member in members { context.console.line("  \(Words.name(member.name))  \(ShortID.account(member.id))") }
    }
}
