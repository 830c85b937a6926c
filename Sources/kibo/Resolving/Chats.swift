import Basics
import ControlProtocol

/// Finding a conversation by what a person calls it.
struct Chats {
    /// What a word for a conversation leads to.
    enum Target: Equatable {
        case conversation(String)
        /// A person; there may be no conversation yet.
        case person(String)
        /// A group that has no conversation any more.
        case group(String)
    }

    let people: People
    private let conversations: [Conversation]
    private let client: ControlClient

    init(_ client: ControlClient) throws {
        self.client = client
        people = try People(client, withGroups: true)
        // Those that are put away are listed apart, but are found by name all the same.
        var all: [Conversation] = []
        for archived in [false, true] {
            all += try Pages.all(
                client, "conversation.list", archived ? ["archived": true] : [:], field: "conversations",
                read: Conversation.init(json:))
        }
        var seen: Set<String> = []
        conversations = all.filter { seen.insert($0.id).inserted }
    }

    /// People go by their names and ids, groups by their titles, and conversations of both by their own ids.
    func target(_ word: String) throws(Failure) -> Target {
        if let id = AccountID(word)?.description { return .person(id) }
        let persons = people.candidates { $0 == .friend }
        // Conversations go by their titles where there is no contact (any more) to go by.
        let titled = conversations.filter { $0.contact.map { people.contacts[$0] == nil } ?? true }.map { chat in
            Candidate(
                id: chat.id, names: [chat.title], label: "\(Words.name(chat.title))  \(chat.id)",
                isLikely: chat.kind == .group)
        }
        // A group whose conversation was deleted gets a new one with the next message.
        let bare = people.groups.values.filter { $0.conversation == nil && $0.state == .member }.map { group in
            Candidate(
                id: group.id, names: [group.name], label: "\(Words.name(group.name))  \(group.id)", isLikely: true)
        }
        var matches = Resolver.matches(word, among: persons + titled + bare)
        if matches.isEmpty {
            matches = Resolver.matches(
                word, among: conversations.map { Candidate(id: $0.id, names: [], label: Words.name($0.title)) })
        }
        if matches.isEmpty, let here = try? People(client, withPeers: true) {
            let strangers = Resolver.matches(word, among: here.candidates { _ in true })
            if strangers.count == 1 {
                throw Failure(
                    .notFound, "\(here.name(strangers[0].id)) is here, but no friend",
                    hint: "Ask first: kibo add \(Shell.quoted(word))")
            }
        }
        let found = try Resolver.resolve(
            word, among: matches, kind: "people or chats", hint: "See: kibo chats; kibo contacts")
        if bare.contains(where: { $0.id == found.id }) { return .group(found.id) }
        return persons.contains { $0.id == found.id } ? .person(found.id) : .conversation(found.id)
    }

    /// The conversation that a word leads to; nil if it is a person, or a group, with which there is none.
    func conversationID(_ word: String) throws(Failure) -> String? {
        switch try target(word) {
        case .conversation(let id): id
        case .person(let account): conversation(with: account)?.id ?? people.contacts[account]?.conversation
        case .group: nil
        }
    }

    /// The conversation that a word leads to, made if there is none yet.
    func conversationID(_ word: String, opening client: ControlClient) throws -> String {
        switch try target(word) {
        case .conversation(let id): return id
        case .person(let account):
            if let id = conversation(with: account)?.id { return id }
            return try client.call(
                "conversation.open", ["contact": .string(account)], as: Conversation.init(json:)
            ).id
        case .group(let group):
            return try client.call("conversation.open", ["group": .string(group)], as: Conversation.init(json:)).id
        }
    }

    /// A conversation by its id, if it is known.
    func conversation(_ id: String) -> Conversation? { conversations.first { $0.id == id } }

    /// The conversation with somebody, if there is one.
    func conversation(with account: String) -> Conversation? { conversations.first { $0.contact == account } }
}

/// Reading lists that come in pages.
enum Pages {
    /// More than anybody looks through; a bound for a daemon that never says "no more".
    private static let maximum = 200

    /// All objects of a list, page after page.
    static func all<Object>(
        _ client: ControlClient, _ method: String, _ params: JSONObject = [:], field: String,
        read: (JSONValue) throws(ShapeError) -> Object
    ) throws -> [Object] {
        var objects: [Object] = []
        var params = params
        params["limit"] = 500
        for _ in 0..<maximum {
            let page = try client.call(method, params)
            for json in page[field]?.array ?? [] { objects.append(try read(json)) }
            guard let next = page["next"]?.string else { break }
            params["before"] = .string(next)
        }
        return objects
    }
}
