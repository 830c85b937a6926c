import Account
import Basics
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// The avatars of groups. Each is asked of one connected member after another, checked against the digest that the
/// membership entries name, made anew like those of people, and handed on as it came.
@ReactorActor package final class GroupAvatars {
    private let environment: Environment
    private let account: CurrentAccount
    private let sessions: Sessions
    private let avatarService: AvatarService
    private unowned let service: GroupService
    /// Questions under way: the avatar, and the member that was asked.
    private var asked: [[UInt8]: (account: AccountID, at: Instant)] = [:]
    /// When members were asked last: a member that is asked more often answers no more (PROTOCOL.md, avatar request).
    private var lastAsked: [AccountID: Instant] = [:]
    /// Avatars that are being read to be given.
    private var giving = 0
    /// Members that did not have an avatar, or had a bad one, since the daemon's start.
    private var refused: [[UInt8]: Set<AccountID>] = [:]

    package init(
        environment: Environment, account: CurrentAccount, sessions: Sessions, avatarService: AvatarService,
        service: GroupService
    ) {
        self.environment = environment
        self.account = account
        self.sessions = sessions
        self.avatarService = avatarService
        self.service = service
    }

    // MARK: Ours to give

    /// A member asks for an avatar. It gets the avatar of a group that we share, if that is here as it was made.
    package func wanted(_ digest: [UInt8], by session: PeerSession) {
        let isOfGroup = service.index.shared(with: session.peer.account).contains {
            service.index.entry($0)?.avatar == digest
        }
        guard isOfGroup else { return session.giveAvatar(digest, nil) }
        // A member that gets no answer asks again later, or asks another member.
        guard giving < NetworkLimits.groupAvatarsSent else { return }
        giving += 1
        environment.store.look { transaction -> [UInt8]? in
            let kept = try Self.assetID(digest).flatMap { try transaction.asset($0)?.bytes }
            return kept.flatMap { Blake2b.hash($0) == digest ? $0 : nil }
        } then: { [weak self, weak session] result in
            guard let self else { return }
            if case .success(let kept?) = result { return give(kept, as: digest, to: session) }
            avatarService.read(digest) { [weak self, weak session] file in
                self?.give(file.flatMap { Blake2b.hash($0) == digest ? $0 : nil }, as: digest, to: session)
            }
        }
    }

    private func give(_ file: [UInt8]?, as digest: [UInt8], to session: PeerSession?) {
        giving -= 1
        session?.giveAvatar(digest, file)
    }

    /// Avatars that came from peers lie among the previews, by the beginning of their digest.
    private nonisolated static func assetID(_ digest: [UInt8]) -> UUIDv7? { UUIDv7(bytes: digest.prefix(16)) }

    // MARK: Ours to get

    /// Asks for avatars that groups name and that are not here.
    package func look() {
        guard avatarService.canMake else { return }
        let now = environment.clocks.now
        asked = asked.filter { $0.value.at + NetworkLimits.groupAvatarTime > now }
        lastAsked = lastAsked.filter { $0.value + PeerLimits.avatarPause.first > now }
        for group in service.index.all where group.avatar != nil && group.avatar != group.shownAvatar {
            guard asked.count < NetworkLimits.groupAvatarsAsked else { break }
            guard let digest = group.avatar, asked[digest] == nil else { continue }
            let session = group.others.keys.lazy
                .filter { self.refused[digest]?.contains($0) != true && self.lastAsked[$0] == nil }
                .compactMap { self.sessions.with($0) }.first(where: \.isMet)
            guard let session else { continue }
            asked[digest] = (session.peer.account, now)
            lastAsked[session.peer.account] = now
            session.askAvatar(digest)
        }
        // A member that has nothing now may have it in an hour.
        if asked.isEmpty, refused.count > MessagingLimits.keptGraphs { refused = [:] }
    }

    /// - Returns: whether it is the answer to a question of ours.
    package func came(_ avatar: AvatarBody, from account: AccountID) -> Bool {
        guard asked[avatar.digest]?.account == account else { return false }
        guard let file = avatar.file, Blake2b.hash(file) == avatar.digest else {
            refuse(avatar.digest, account)
            return true
        }
        let digest = avatar.digest
        avatarService.keep(file, as: digest) { [weak self] outcome in
            switch outcome {
            case .stored: self?.write(file, as: digest)
            case .bad, .nothing: self?.refuse(digest, account)
            }
        }
        return true
    }

    private func refuse(_ digest: [UInt8], _ account: AccountID) {
        asked[digest] = nil
        refused[digest, default: []].insert(account)
        look()
    }

    private func write(_ file: [UInt8], as digest: [UInt8]) {
        guard let own = account.profile?.account else { return }
        environment.store.commit { transaction -> [GroupIndex.Entry] in
            var changed: [GroupIndex.Entry] = []
            for var row in try transaction.groups() where row.avatar == digest && row.shownAvatar != digest {
                row.shownAvatar = digest
                try transaction.update(row)
                if let entry = try GroupIndex.entry(of: row, own: own, in: transaction) { changed.append(entry) }
            }
            if !changed.isEmpty, let id = Self.assetID(digest) { try transaction.setAsset(id, file) }
            return changed
        } then: { [weak self] result in
            guard let self else { return }
            asked[digest] = nil
            avatarService.release(digest)
            if case .success(let groups) = result { service.apply(GroupEffects(groups: groups)) }
            avatarService.sweep()
        }
    }
}
