import Basics

/// Says whose files are taken without asking, and into which folder: `kibo1…=/srv/drop`, or `*=/srv/drop` for those of every friend.
public struct FolderRule: Hashable, Sendable {
    /// The word for every friend.
    static let everyFriend = "*"

    /// Whose; nil for every friend.
    public let account: AccountID?
    public let folder: String

    /// Nil for a text that is no rule. The folder is not looked at, but it begins at the root.
    public init?(_ text: String) {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let who = String(text[..<sign])
        account = AccountID(who)
        folder = String(text[text.index(after: sign)...])
        guard account != nil || who == Self.everyFriend, folder.utf8.first == UInt8(ascii: "/") else { return nil }
    }
}
