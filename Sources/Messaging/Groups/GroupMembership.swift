import Basics

/// Who shares files with us: the members of our groups, as committed. From any thread.
package protocol GroupMembership: Sendable {
    /// Everybody but ourselves who is a member of the group of that conversation; nobody if we are none ourselves.
    func members(of conversation: UUIDv7) -> Set<AccountID>
    /// Whether we share any group with the account.
    func isMate(_ account: AccountID) -> Bool
}
