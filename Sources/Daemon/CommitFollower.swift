import Control
import Network
import Reactor
import Store
import TransferService

/// Brings what the services have in memory in line with what is committed: one commit after the other, each before its
/// callers hear that it is done. Nobody else hands them what a commit has changed: a caller may be woken after the callers
/// of later commits, and would then bring back what was before.
@ReactorActor final class CommitFollower {
    private let services: Services
    private let totals: TotalsWatch
    private let couriers: CourierWatch
    private nonisolated let composer: ObjectComposer
    private nonisolated let wanted: WantedTypes

    init(_ services: Services) {
        self.services = services
        (composer, wanted) = (services.events.composer, services.events.wanted)
        totals = TotalsWatch(store: services.environment.store, hub: services.events)
        couriers = CourierWatch(store: services.environment.store, hub: services.events)
    }

    /// Follows all commits from now on. Their callers are woken on the reactor, behind what is posted to it here.
    func follow() {
        services.environment.store.wakeCallers { wake in Reactor.shared.post { wake() } }
        services.environment.store.observeCommits(note)
    }

    private nonisolated func note(_ commit: CommitRecord, _ transaction: ReadTransaction) {
        let prompt = wanted.compose(commit.events, with: composer, in: transaction)
        Reactor.shared.post { self.apply(commit, prompt) }
    }

    private func apply(_ commit: CommitRecord, _ prompt: PromptComposition?) {
        let isOfAccount = commit.events.contains { $0.object == .account }
        if isOfAccount { services.keeper.committed() }
        services.typing.outboxGrew(commit.outbox)
        services.network.outboxGrew(commit.outbox)
        services.events.committed(commit.events, prompt)
        totals.committed(commit.events)
        services.notifications.committed(commit.events)
        services.messages.committed(commit.events)
        // Relations first: by them sessions judge what comes after.
        services.contacts.committed(commit.rows.contacts, forgotten: commit.rows.forgotten)
        services.groups.committed(commit.rows.groups)
        for row in commit.rows.transfers { services.transfers.committed(row) }
        if commit.marks.hasSealedFiles { services.transfers.sealedFilesChanged() }
        if commit.marks.hasDeletions { services.housekeeper.deleted() }
        if commit.marks.hasCourierChange { couriers.changed() }
        if commit.marks.hasMuteEnd { services.housekeeper.mutedForATime() }
        if isOfAccount { services.guests.accountChanged() }
        if !commit.events.isEmpty || commit.marks.hasDeletions { services.search.committed() }
    }
}
