import ControlProtocol

/// All chats, for what happens in the others and for going there.
struct ChatList: Equatable {
    private var chats: [String: Conversation] = [:]

    var isEmpty: Bool { chats.isEmpty }

    /// Takes all of them in, as a list brings them.
    mutating func replace(with list: [Conversation]) {
        chats = Dictionary(list.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes a newer state in.
    mutating func update(_ chat: Conversation) { chats[chat.id] = chat }

    mutating func remove(_ id: String) { chats[id] = nil }

    subscript(id: String) -> Conversation? { chats[id] }

    /// In the order of `kibo chats`, without those that are archived.
    var ordered: [Conversation] {
        chats.values.filter { !$0.archived }.sorted { left, right in
            if left.pinned != right.pinned { return left.pinned }
            return left.updatedAt == right.updatedAt ? left.id > right.id : left.updatedAt > right.updatedAt
        }
    }

    /// The chat above or below another one in the list; the first or the last where the list ends or has no such chat.
    func neighbour(of id: String, isAbove: Bool) -> Conversation? {
        let all = ordered
        guard let index = all.firstIndex(where: { $0.id == id }) else { return isAbove ? all.last : all.first }
        let next = all[(index + (isAbove ? all.count - 1 : 1)) % all.count]
        return next.id == id ? nil : next
    }

    /// What is unread elsewhere: `Ben 2, Hikers 1`; empty for nothing. Muted chats keep still.
    func unread(besides id: String) -> String {
        let all = ordered.filter { $0.id != id && $0.unread > 0 && !$0.muted }
        let shown = all.prefix(Self.named).map { "\(TextWrap.shown(Words.title(of: $0))) \($0.unread)" }
        let more = all.count > Self.named ? " and \(all.count - Self.named) more" : ""
        return shown.joined(separator: ", ") + more
    }

    private static let named = 3
}
