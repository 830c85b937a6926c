import Basics
import PeerProtocol
import Store
import Threads
import Vocabulary

/// The contacts' relations and presence in memory, for decisions that can't wait for the disk.
///
/// It is written on the reactor after each commit that changes a contact, and read also on the store's thread, where
/// events are composed. The database is the truth; this is its shadow.
///
/// This folder (`Contacts`) knows which accounts are friends and what may follow from it.
package final class ContactIndex: Sendable {
    package struct Entry: Sendable, Equatable {
        package var relation: Relation
        package var device: DeviceID?
        package var displayName: String
        package var lastAddress: SocketAddress?
        package var trust = Trust.unverified
        /// The digest of the contact's avatar, if it is here.
        package var avatar: [UInt8]?
    }

    private struct State {
        var contacts: [AccountID: Entry] = [:]
        var accounts: [DeviceID: AccountID] = [:]
        var friendAddresses: [IPAddress: Int] = [:]
        var presence: [AccountID: Presence] = [:]
        var isIdle = false
    }

    private let state = Lock(State())

    package init() {}

    package func entry(_ account: AccountID) -> Entry? { state.withLock { $0.contacts[account] } }
    package func relation(_ account: AccountID) -> Relation { entry(account)?.relation ?? .none }
    package func account(of device: DeviceID) -> AccountID? { state.withLock { $0.accounts[device] } }
    package var all: [AccountID: Entry] { state.withLock { $0.contacts } }

    /// Whether another key has come under a friend's name: nothing goes to that friend until the user has looked.
    package func isSuspended(_ account: AccountID) -> Bool {
        entry(account).map { $0.relation == .friend && $0.trust == .changed } ?? false
    }
    /// Whether a device belongs to a blocked account.
    package func isBlocked(_ device: DeviceID) -> Bool { account(of: device).map(relation) == .blocked }
    /// Friends that were last seen at exactly this address.
    package func friends(at address: SocketAddress) -> [AccountID] {
        state.withLock { $0.contacts.filter { $1.relation == .friend && $1.lastAddress == address }.map(\.key) }
    }

    /// Whether a friend was last seen at this address.
    package func isFriendAddress(_ address: IPAddress) -> Bool { state.withLock { $0.friendAddresses[address] != nil } }

    package func update(_ row: ContactRow) {
        state.withLock { state in
            if let old = state.contacts[row.account] {
                // The device may have become another account's meanwhile.
                if let device = old.device, state.accounts[device] == row.account { state.accounts[device] = nil }
                Self.count(old, -1, in: &state)
            }
            let entry = Entry(
                relation: row.relation, device: row.device, displayName: row.displayName,
                lastAddress: row.lastAddress.flatMap { SocketAddress($0) }, trust: row.trust, avatar: row.avatar)
            state.contacts[row.account] = entry
            if let device = row.device { state.accounts[device] = row.account }
            Self.count(entry, 1, in: &state)
        }
    }

    /// Removes an account that is no contact any more.
    package func forget(_ account: AccountID) {
        state.withLock { state in
            guard let old = state.contacts.removeValue(forKey: account) else { return }
            if let device = old.device, state.accounts[device] == account { state.accounts[device] = nil }
            Self.count(old, -1, in: &state)
            state.presence[account] = nil
        }
    }

    private static func count(_ entry: Entry, _ step: Int, in state: inout State) {
        guard entry.relation == .friend, let host = entry.lastAddress?.host else { return }
        let count = state.friendAddresses[host, default: 0] + step
        state.friendAddresses[host] = count > 0 ? count : nil
    }

    package func isOnline(_ account: AccountID) -> Bool { presence(account) != .offline }

    package func presence(_ account: AccountID) -> Presence { state.withLock { $0.presence[account] ?? .offline } }

    /// Returns true if this is news.
    package func setPresence(_ account: AccountID, _ presence: Presence) -> Bool {
        state.withLock { state in
            let before = state.presence.updateValue(presence, forKey: account) ?? .offline
            if presence == .offline { state.presence[account] = nil }
            return before != presence
        }
    }

    /// Whether clients have noticed that our own user is idle, although the user has not said so.
    package var isIdle: Bool {
        get { state.withLock { $0.isIdle } }
        set { state.withLock { $0.isIdle = newValue } }
    }
}
