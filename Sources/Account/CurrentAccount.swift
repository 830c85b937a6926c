import Messaging
import Reactor
import Store

/// The account of this daemon as it is now: its row, and its keys while they are in memory.
@ReactorActor package final class CurrentAccount {
    /// The account's row, whose profile peers see. A locked account has one, too; nil while there is no account.
    package private(set) var profile: AccountRow?
    /// Nil while there is no account, and while it is locked.
    package private(set) var keys: LocalAccount?
    /// Whether the account was made again from its recovery code not long ago, so that it may have friends who are not
    /// known here.
    package var isRecovering: Bool
    package let graphs = GroupGraphs()
    package let settledGroups = SettledGroups()

    package init(profile: AccountRow?, keys: LocalAccount?, isRecovering: Bool = false) {
        self.isRecovering = isRecovering
        self.profile = profile
        self.keys = keys
    }

    /// Whether there is an account whose keys are not in memory.
    package var isLocked: Bool { keys == nil && profile != nil }

    /// What is needed to speak in groups; nil while the account is locked.
    package var voice: GroupVoice? { keys.map { GroupVoice(account: $0, graphs: graphs, settled: settledGroups) } }

    /// The keys are in memory: those of a new account, or of one that was locked.
    package func opened(_ keys: LocalAccount, profile: AccountRow? = nil) {
        if let profile { self.profile = profile }
        self.keys = keys
    }

    /// Refuses from now on what needs keys. The network's keys go with the network.
    package func dropKeys() { keys = nil }

    /// The account's row has changed with the last commit.
    package func changed(_ row: AccountRow) { profile = row }
}
