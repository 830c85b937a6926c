import Account
import Basics
import ControlProtocol
import Crypto
import Glibc
import Media
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Threads

/// Avatars of people: makes our own from what the user has chosen, gives it to friends, and gets theirs.
@ReactorActor package final class AvatarService {
    private let environment: Environment
    private let account: CurrentAccount
    private let contacts: ContactIndex
    private let sessions: Sessions
    private let media: MediaProgram
    private let files: AvatarFiles
    /// Reads and writes the avatars, and waits for the program that decodes them.
    private var thread: WorkerThread { environment.workers.avatars }
    private let log: Logger
    private var fetches = AvatarFetches()
    /// The session in which each account was last asked.
    private var asked: [AccountID: ObjectIdentifier] = [:]
    private var timer: TimerToken?
    private var armedFor: Instant?

    package init(
        environment: Environment, files: AvatarFiles, media: MediaProgram, account: CurrentAccount,
        contacts: ContactIndex, sessions: Sessions
    ) {
        self.environment = environment
        self.files = files
        self.media = media
        self.account = account
        self.contacts = contacts
        self.sessions = sessions
        log = environment.log.labelled("avatars")
    }

    /// Whether a program that makes pictures is installed.
    var canMake: Bool { media.path != nil }

    // MARK: Our own

    /// Makes an avatar from a picture on this host and keeps it until ``release(_:)``.
    /// - Returns: its digest.
    /// - Throws: a refusal that says what is wrong with the picture.
    package func importPicture(_ path: String) async throws -> [UInt8] {
        let (files, media) = (files, media)
        return try await thread.run {
            let avatar = try AvatarSource.avatar(at: path, media)
            let digest = Blake2b.hash(avatar)
            do throws(StartError) {
                try files.store(avatar, as: digest)
            } catch {
                throw ControlError(.noSpace, error.message, hint: .freeSpace)
            }
            return digest
        }
    }

    package func release(_ digest: [UInt8]) { files.release(digest) }

    /// Removes avatars that no account has any more.
    package func sweep() {
        let (files, store) = (files, environment.store)
        thread.submit {
            files.sweep {
                let answer = Answer<Set<[UInt8]>>()
                store.read {
                    try $0.avatarsInUse()
                } completion: {
                    answer.give($0)
                }
                return try? answer.wait().get()
            }
        }
    }

    /// Answers a peer that asks for an avatar.
    /// - Returns: whether it is ours, and the peer is a friend.
    package func wanted(_ digest: [UInt8], by session: PeerSession) -> Bool {
        guard account.profile?.avatar == digest, session.relation == .friend else { return false }
        let files = files
        thread.submit { [weak session, log] in
            let file = files.read(digest)
            if file == nil { log.error("our own avatar is gone or damaged", [("path", files.path(of: digest))]) }
            Reactor.shared.post { session?.giveAvatar(digest, file) }
        }
        return true
    }

    // MARK: Theirs

    /// Call when the card of a peer with a session names an avatar, or none.
    package func named(_ digest: [UInt8]?, by account: AccountID) {
        let entry = contacts.entry(account)
        guard let digest, let entry, entry.relation == .friend, entry.avatar != digest, media.path != nil else {
            return perform(fetches.forget(account, now: environment.clocks.now))
        }
        perform(fetches.want(digest, of: account, now: environment.clocks.now))
    }

    /// Call when a session is no longer among those that are open. What was asked in it gets no answer.
    func ended(_ session: PeerSession) {
        let account = session.peer.account
        let isPresent = sessions.with(account) != nil
        let wasAsked = asked[account] == ObjectIdentifier(session)
        if wasAsked { asked[account] = nil }
        guard wasAsked || !isPresent else { return }
        perform(fetches.left(account, isPresent: isPresent, now: environment.clocks.now))
    }

    /// Takes an answer to a request for an avatar, whether we asked or not.
    package func came(_ avatar: AvatarBody, from account: AccountID) {
        guard fetches.answered(account, avatar.digest) else { return }
        guard let file = avatar.file else { return settle(account, avatar.digest, .nothing) }
        let (files, media, digest, log) = (files, media, avatar.digest, log)
        thread.submit { [weak self] in
            let outcome = Self.keep(file, as: digest, files, media, log)
            Reactor.shared.post {
                guard outcome == .stored else {
                    self?.settle(account, digest, outcome)
                    return
                }
                self?.write(digest, of: account)
            }
        }
    }

    /// Re-encodes a friend's avatar and keeps it. Blocking.
    nonisolated private static func keep(
        _ file: [UInt8], as digest: [UInt8], _ files: AvatarFiles, _ media: MediaProgram, _ log: Logger
    ) -> AvatarOutcome {
        guard Blake2b.hash(file) == digest else {
            log.notice("an avatar is not the one that its card names")
            return .bad
        }
        if files.hold(digest) { return .stored }
        switch media.avatar(ofPeer: file, until: SystemClocks().now + NetworkLimits.avatarTime) {
        case .avatar(let avatar):
            do {
                try files.store(avatar, as: digest)
                return .stored
            } catch {
                log.error("an avatar can't be kept", [("error", error.message)])
                return .nothing
            }
        case .refused(let refusal):
            log.notice("a friend's avatar can't be shown", [("because", refusal.text)])
            return .bad
        case .failed(let failure):
            log.warning("a friend's avatar could not be looked at", [("because", failure.detail)])
            return failure.isOurs ? .nothing : .bad
        }
    }

    /// Re-encodes an avatar that a member of a group gave, and keeps it until ``release(_:)``.
    package func keep(_ file: [UInt8], as digest: [UInt8], then: @escaping @ReactorActor (AvatarOutcome) -> Void) {
        let (files, media, log) = (files, media, log)
        thread.submit {
            let outcome = Self.keep(file, as: digest, files, media, log)
            Reactor.shared.post { then(outcome) }
        }
    }

    /// Reads an avatar that was made here, byte for byte.
    package func read(_ digest: [UInt8], then: @escaping @ReactorActor ([UInt8]?) -> Void) {
        let files = files
        thread.submit {
            let file = files.read(digest)
            Reactor.shared.post { then(file) }
        }
    }

    private func write(_ digest: [UInt8], of account: AccountID) {
        environment.store.commit { transaction in
            // By now the card may name another avatar, and the account may no longer be a friend.
            guard var row = try transaction.contact(account), row.relation == .friend, let bytes = row.card,
                try Card(decoding: bytes).profile.avatarDigest == digest
            else { return }
            row.avatar = digest
            try transaction.save(row)
        } then: { [weak self] result in
            guard let self else { return }
            files.release(digest)
            let isStored = if case .success = result { true } else { false }
            settle(account, digest, isStored ? .stored : .nothing)
            sweep()
        }
    }

    private func settle(_ account: AccountID, _ digest: [UInt8], _ outcome: AvatarOutcome) {
        perform(fetches.settle(account, digest, outcome, now: environment.clocks.now))
    }

    private func perform(_ questions: [AvatarQuestion]) {
        for question in questions {
            guard let session = sessions.with(question.account) else { continue }
            asked[question.account] = ObjectIdentifier(session)
            session.askAvatar(question.digest)
        }
        arm()
    }

    /// Sets the timer, unless one is set already that isn't later than needed.
    private func arm() {
        guard let deadline = fetches.nextDeadline else { return }
        if timer != nil, let armedFor, armedFor <= deadline { return }
        timer?.cancel()
        armedFor = deadline
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            timer = nil
            perform(fetches.tick(now: environment.clocks.now))
        }
    }
}
