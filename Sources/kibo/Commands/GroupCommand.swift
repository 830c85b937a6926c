import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo group create|add|remove|leave|rename|describe|avatar|history|role|show|list …`
struct GroupCommand: Command {
    let spec = CommandSpec(
        "group", .people, "Make and change groups",
        arguments: [
            ArgumentSpec("ACTION", help: "one of those below", choices: actions),
            ArgumentSpec("WORD", .any, help: "what the action is about"),
        ],
        options: [
            OptionSpec("--description", value: "TEXT", help: "create: a description"),
            OptionSpec("--avatar", value: "FILE", help: "create: its avatar, made from this picture"),
            OptionSpec("--history", value: "N", help: "create: how many earlier messages new members see (0)"),
            OptionSpec("--none", help: "avatar: remove it"),
            OptionSpec(Context.yesOption.name, short: "-y", help: "leave: don't ask first"),
            OptionSpec(Context.tsvOption.name, help: "list: \(Context.tsvOption.help)"),
        ],
        details: """
            create NAME [WHO…]           make a group of friends; you are its owner
            add GROUP WHO…               add friends
            remove GROUP WHO             remove a member
            leave GROUP                  leave it; its messages stay on this computer
            rename GROUP NAME            rename it
            describe GROUP TEXT          say what it is for; "" removes that
            avatar GROUP FILE            give it an avatar made from this picture, or none: --none
            history GROUP N              new members see the last N messages, from 0 to 100000
            role GROUP WHO ROLE          owner, admin (may change members, name and avatar) or member
            show GROUP                   who is in it
            list                         all your groups

            Everything else works as with a friend: kibo send :GROUP, read, chat, search, pin, mute, forget. The colon
            means a group; without it, people come first. There is no server: changes go to the
            others directly, at once or as soon as they are back.
            """,
        examples: [
            "kibo group create Hikers Anna Ben --description \"On Sundays\"", "kibo group role Hikers Anna admin",
            "kibo send :Hikers \"Nine at the station\"",
        ])

    /// The options of each action.
    private static let options = [
        "--description": "create", "--avatar": "create", "--history": "create", "--none": "avatar", "--yes": "leave",
        "--tsv": "list",
    ]
    private static let actions = [
        "create", "add", "remove", "leave", "rename", "describe", "avatar", "history", "role", "show", "list",
    ]

    /// Words for actions that older versions had, or that other programs have.
    private static let synonyms = [
        "logo": "avatar", "new": "create", "make": "create", "invite": "add", "kick": "remove", "ls": "list",
        "members": "show", "info": "show", "description": "describe", "name": "rename",
    ]

    func run(_ context: Context) throws -> ExitCode {
        let action = Self.synonyms[context.word(0)] ?? context.word(0)
        guard Self.actions.contains(action) else {
            let near = Spelling.nearest(to: action, among: Self.actions)
            throw Failure(
                .usage, "\"\(action)\" is not an action of kibo group.",
                hint: near.map { "Did you mean: kibo group \($0)" } ?? "See: kibo help group")
        }
        for (option, owner) in Self.options where owner != action && context.arguments.has(option) {
            throw Failure.usage("\(option) goes with kibo group \(owner)", command: "group")
        }
        let words = Array(context.arguments.positionals.dropFirst())
        switch action {
        case "create": return try create(words, context)
        case "add": return try add(words, context)
        case "remove": return try remove(words, context)
        case "leave": return try leave(words, context)
        case "role": return try setRole(words, context)
        case "show": return try GroupView(context).show(try count(words, 1, "GROUP")[0])
        case "list":
            _ = try count(words, 0, "no arguments")
            return try GroupView(context).list()
        default: return try change(action, words, context)
        }
    }

    private func count(_ words: [String], _ number: Int, _ names: String) throws(Failure) -> [String] {
        guard words.count == number else { throw .usage("this takes \(names)", command: "group") }
        return words
    }

    /// Asks for one thing, and says that it is done.
    private func ask(
        _ method: String, _ params: JSONObject, _ context: Context, done: (Group) -> String
    ) throws -> ExitCode {
        let result = try context.client().call(method, params)
        if context.printJSON(result) { return .done }
        context.console.line(done(try Group(json: result)))
        return .done
    }

    // MARK: Members

    private func create(_ words: [String], _ context: Context) throws -> ExitCode {
        guard let name = words.first else { throw Failure.usage("NAME is missing", command: "group") }
        let history = try context.number("--history", in: 0...Int64(SharedLimits.groupHistory))
        let members = try words.dropFirst().map { try context.find($0, .contact) }
        var params: JSONObject = ["name": .string(name), "members": .strings(members.map(\.id))]
        if let text = context.arguments.value("--description") { params["description"] = .string(text) }
        if let file = context.arguments.value("--avatar") {
            params["avatarPath"] = .string(try LocalPath.existing(file))
        }
        if let history { params["history"] = .integer(history) }
        return try ask("group.create", params, context) { group in
            let names = members.map(Words.object).joined(separator: ", ")
            let name = Words.name(group.name)
            if names.isEmpty {
                return "Created the group \(name). Add friends: kibo group add \(Shell.quoted(name)) WHO"
            }
            return "Created the group \(name) with \(names)."
        }
    }

    private func add(_ words: [String], _ context: Context) throws -> ExitCode {
        guard words.count > 1 else { throw Failure.usage("this takes GROUP and WHO", command: "group") }
        let group = try context.find(words[0], .group)
        let members = try words.dropFirst().map { try context.find($0, .contact) }
        let names = members.map(Words.object).joined(separator: ", ")
        return try ask(
            "group.add", ["id": .string(group.id), "members": .strings(members.map(\.id))], context
        ) { group in
            "Added \(names) to the group \(Words.name(group.name))."
        }
    }

    private func remove(_ words: [String], _ context: Context) throws -> ExitCode {
        let words = try count(words, 2, "GROUP and WHO")
        let group = try context.find(words[0], .group, isStrict: true)
        let member = try context.find(words[1], .member, in: group, isStrict: true)
        if try isOwn(member, context) {
            throw Failure(
                .failed, "You can't remove yourself.", hint: "kibo group leave \(Shell.quoted(group.word))")
        }
        return try ask("group.remove", ["id": .string(group.id), "member": .string(member.id)], context) { group in
            "Removed \(Words.object(member)) from the group \(Words.name(group.name))."
        }
    }

    /// Whether a member is this account.
    private func isOwn(_ member: Named, _ context: Context) throws -> Bool {
        try context.ownAccount() == member.id
    }

    private func leave(_ words: [String], _ context: Context) throws -> ExitCode {
        let group = try context.findForDanger(try count(words, 1, "GROUP")[0], .group)
        let name = Words.name(group.name)
        if !context.arguments.has("--yes") {
            guard context.asksFirst else {
                throw Failure(
                    .usage, "After you leave \(name), only an owner or admin can add you again.",
                    hint: "To go ahead: --yes")
            }
            guard context.confirms("Leave the group \(name)? Only an owner or admin can add you again.") else {
                context.console.line("You are still in \(name).")
                return .failed
            }
        }
        return try ask("group.leave", ["id": .string(group.id)], context) { _ in
            "You left the group \(name). To delete its messages here, too: kibo forget \(Shell.quoted(group.word))"
        }
    }

    private func setRole(_ words: [String], _ context: Context) throws -> ExitCode {
        let words = try count(words, 3, "GROUP, WHO and ROLE")
        guard let role = GroupRole(rawValue: words[2].lowercased()) else {
            let all = GroupRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure.usage("ROLE is one of \(all), not \"\(words[2])\"", command: "group")
        }
        let group = try context.find(words[0], .group)
        let member = try context.find(words[1], .member, in: group)
        let isOwn = try isOwn(member, context)
        let params: JSONObject = [
            "id": .string(group.id), "member": .string(member.id), "role": .string(role.rawValue),
        ]
        return try ask("group.setRole", params, context) { group in
            let who = isOwn ? "You are" : "\(Words.object(member)) is"
            let what = role == .member ? "an ordinary member" : role == .admin ? "an admin" : "an owner"
            return "\(who) \(what) of the group \(Words.name(group.name)) now."
        }
    }

    // MARK: What it is

    private func change(_ action: String, _ words: [String], _ context: Context) throws -> ExitCode {
        var params = JSONObject()
        var done = { (group: Group) in "Changed the group \(Words.name(group.name))." }
        switch action {
        case "rename":
            params["name"] = .string(try count(words, 2, "GROUP and NAME")[1])
            done = { "The group is called \(Words.name($0.name)) now." }
        case "describe":
            guard words.count > 1 else { throw Failure.usage("this takes GROUP and TEXT", command: "group") }
            params["description"] = .string(words.dropFirst().joined(separator: " "))
            done = { group in
                group.description.isEmpty
                    ? "\(Words.name(group.name)) has no description now."
                    : "\(Words.name(group.name)): \(Words.line(group.description))"
            }
        case "avatar":
            let isNone = context.arguments.has("--none")
            let words = try count(words, isNone ? 1 : 2, "GROUP and FILE, or GROUP and --none")
            params["avatarPath"] = .string(isNone ? "" : try LocalPath.existing(words[1]))
            done = { "\(Words.name($0.name)) has \(isNone ? "no avatar any more" : "a new avatar")." }
        default:
            let words = try count(words, 2, "GROUP and N")
            guard let number = Int64(words[1]), (0...Int64(SharedLimits.groupHistory)).contains(number) else {
                throw Failure.usage("N is a number from 0 to \(SharedLimits.groupHistory)", command: "group")
            }
            params["history"] = .integer(number)
            done = { "\(Words.name($0.name)): \(GroupView.history($0))." }
        }
        params["id"] = .string(try context.find(words[0], .group).id)
        return try ask("group.update", params, context, done: done)
    }
}
