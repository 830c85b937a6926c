import Account
import Basics
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Gets and gives the avatars of groups. One connected member after another is asked for each; what comes is checked against
/// the digest that the membership entries name, re-encoded like the avatars of people, and handed on as it came.
@ReactorActor package final class GroupAvatars {
    private let environment: Environment
    private let account: CurrentAccount
    private let sessions: Sessions
    private let avatarService: AvatarService
    private let index: GroupIndex
    /// Questions under way, by the avatar's digest: the member that was asked, in which session, and when.
    private var asked: [[UInt8]: (account: AccountID, session: ObjectIdentifier, at: Instant)] = [:]
    /// When members were last asked: a member that is asked too often doesn't answer (PROTOCOL.md, avatar request).
    private var lastAsked: [AccountID: Instant] = [:]
    /// How many avatars are being read to be given.
    private var giving = 0
    /// When members did not have an avatar, or sent a bad one, by its digest. They are asked for it again much later.
    private var refused: [[UInt8]: [AccountID: Instant]] = [:]

    package init(
        environment: Environment, account: CurrentAccount, sessions: Sessions, avatarService: AvatarService,
        index: GroupIndex
    ) {
        self.environment = environment
        self.account = account
        self.sessions = sessions
        self.avatarService = avatarService
        self.index = index
    }

    // MARK: Ours to give

    /// Answers a member that asks for an avatar: it gets the avatar of a shared group, if that is here as it was made.
    package func wanted(_ digest: [UInt8], by session: PeerSession) {
        let shared = index.shared(with: session.peer.account).compactMap { index.entry($0)?.id }
        guard !shared.isEmpty else { return session.giveAvatar(digest, nil) }
        // A member that gets no answer asks again later, or asks another member.
        guard giving < NetworkLimits.groupAvatarsSent else { return }
        giving += 1
        environment.store.read { transaction -> Found in
            // The committed row is read, because a member may ask for a new avatar before the index here knows it.
            guard try shared.contains(where: { try transaction.group($0)?.avatar == digest }) else { return .notOurs }
            let kept = try Self.assetID(digest).flatMap { try transaction.asset($0)?.bytes }
            return kept.map { Blake2b.hash($0) == digest ? .kept($0) : .made } ?? .made
        } then: { [weak self, weak session] result in
            guard let self else { return }
            switch result {
            case .success(.kept(let file)): give(file, as: digest, to: session)
            case .success(.notOurs): give(nil, as: digest, to: session)
            case .success(.made):
                avatarService.read(digest) { [weak self, weak session] file in
                    self?.give(file.flatMap { Blake2b.hash($0) == digest ? $0 : nil }, as: digest, to: session)
                }
            case .failure: giving -= 1
            }
        }
    }

    /// What this daemon has of an avatar that a member asks for.
    private enum Found: Sendable {
        /// No group that is shared has it.
        case notOurs
        /// The file that came from a peer.
        case kept([UInt8])
        /// If the avatar is here, it was made here.
        case made
    }

    private func give(_ file: [UInt8]?, as digest: [UInt8], to session: PeerSession?) {
        giving -= 1
        session?.giveAvatar(digest, file)
    }

    /// Returns the id of an avatar that came from a peer: these lie among the previews, by the beginning of their digest.
    private nonisolated static func assetID(_ digest: [UInt8]) -> UUIDv7? { UUIDv7(bytes: digest.prefix(16)) }

    // MARK: Ours to get

    /// Asks for avatars that groups name and that are not here.
    package func look() {
        guard avatarService.canMake else { return }
        let now = environment.clocks.now
        asked = asked.filter { $0.value.at + NetworkLimits.groupAvatarTime > now }
        lastAsked = lastAsked.filter { $0.value + PeerLimits.avatarPause.first > now }
        refused = refused.mapValues { $0.filter { $0.value + PeerLimits.avatarPause.longest > now } }
            .filter { !$0.value.isEmpty }
        for group in index.all where group.avatar != nil && group.avatar != group.shownAvatar {
            guard asked.count < NetworkLimits.groupAvatarsAsked else { break }
            guard let digest = group.avatar, asked[digest] == nil else { continue }
            let session = group.others.keys.lazy
                .filter { self.refused[digest]?[$0] == nil && self.lastAsked[$0] == nil }
                .compactMap { self.sessions.with($0) }.first(where: \.isMet)
            guard let session else { continue }
            asked[digest] = (session.peer.account, ObjectIdentifier(session), now)
            lastAsked[session.peer.account] = now
            session.askAvatar(digest)
        }
        if asked.isEmpty, refused.count > MessagingLimits.keptGraphs { refused = [:] }
    }

    /// Forgets the questions that were lost with a session, so that the member may be asked again at once in the next
    /// one.
    func ended(_ session: PeerSession) {
        let lost = asked.filter { $0.value.session == ObjectIdentifier(session) }
        guard !lost.isEmpty else { return }
        for digest in lost.keys { asked[digest] = nil }
        lastAsked[session.peer.account] = nil
    }

    /// Takes an avatar that a member has sent.
    /// - Returns: whether it is the answer to a question of this daemon.
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
        refused[digest, default: [:]][account] = environment.clocks.now
        look()
    }

    private func write(_ file: [UInt8], as digest: [UInt8]) {
        environment.store.commit { transaction in
            var isShown = false
            for var row in try transaction.groups() where row.avatar == digest && row.shownAvatar != digest {
                row.shownAvatar = digest
                try transaction.update(row)
                isShown = true
            }
            if isShown, let id = Self.assetID(digest) { try transaction.setAsset(id, file) }
        } then: { [weak self] _ in
            guard let self else { return }
            asked[digest] = nil
            avatarService.release(digest)
            look()
            avatarService.sweep()
        }
    }
}
