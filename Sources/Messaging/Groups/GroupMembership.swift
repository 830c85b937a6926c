import Basics

/// The accounts that share files with us: the members of our groups, as committed. Any thread may ask.
package protocol GroupMembership: Sendable {
    /// All members of the conversation's group but ourselves; none if we are not a member.
    func members(of conversation: UUIDv7) -> Set<AccountID>
    /// Whether we share any group with the account.
    func isMate(_ account: AccountID) -> Bool
}
