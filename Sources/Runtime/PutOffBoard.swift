import Basics
import ControlProtocol
import Reactor

/// Whose words are put off just now, and why. Their frames come again by themselves; when one is taken, or none has come
/// for a while, the account is not put off any more.
@ReactorActor package final class PutOffBoard {
    package struct Entry: Hashable, Sendable {
        package let account: AccountID
        package internal(set) var reason: PutOffReason
        package let since: WallTime
        /// When its words were last refused.
        fileprivate var last: Instant
    }

    private let clocks: any Clocks
    private let log: Logger
    private var entries: [AccountID: Entry] = [:]
    /// Called for each account whose words begin to be put off. If the reason is a nearly full disk, only the first
    /// account is reported.
    package var onBegin: @ReactorActor (Entry) -> Void = { _ in }

    package init(clocks: any Clocks, log: Logger) {
        self.clocks = clocks
        self.log = log
    }

    package func note(putOff: [AccountID: PutOffReason], taken: Set<AccountID>) {
        for account in taken where putOff[account] == nil { entries[account] = nil }
        for (account, reason) in putOff {
            if var entry = entries[account], isCurrent(entry) {
                (entry.reason, entry.last) = (reason, clocks.now)
                entries[account] = entry
                continue
            }
            if entries.count >= RuntimeLimits.putOffAccounts { entries = entries.filter { isCurrent($0.value) } }
            guard entries[account] != nil || entries.count < RuntimeLimits.putOffAccounts else { continue }
            // If the disk has no room, one account is reported for all of them.
            let isTold = reason == .room && entries.values.contains { $0.reason == .room && isCurrent($0) }
            let entry = Entry(account: account, reason: reason, since: clocks.wallTime, last: clocks.now)
            entries[account] = entry
            log.warning(
                "what an account says is put off", [("account", account.description), ("why", reason.rawValue)])
            if !isTold { onBegin(entry) }
        }
    }

    /// The accounts that are put off now, the earliest first.
    package var current: [Entry] {
        entries.values.filter(isCurrent).sorted {
            ($0.since, $0.account.description) < ($1.since, $1.account.description)
        }
    }

    private func isCurrent(_ entry: Entry) -> Bool { clocks.now - entry.last < RuntimeLimits.putOffShown }
}
