import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Leaves what waits for friends who are away with couriers, tells friends who this account's couriers are, and keeps what
/// their notes say (docs/PROTOCOL-COURIERS.md). Feeds a ``CourierMachine`` and carries out what it wants.
@ReactorActor package final class CourierService {
    /// What friends' notes say of an account.
    private struct Known {
        /// The accounts that may carry parcels for it.
        var couriers: Set<AccountID> = []
        /// For how many days it keeps parcels; 0: it keeps none.
        var days = 0
        /// The note's own time, and when it was last stored in this run.
        var made = WallTime(milliseconds: 0)
        var storedAt: Instant?

        func says(_ note: MailNote) -> Bool {
            made == note.made && days == note.days && couriers == Set(note.couriers)
        }
    }

    /// A courier who is online and can take a parcel now.
    private struct Candidate {
        let account: AccountID
        let days: Int
        /// Whether the recipient hasn't named it, so that it takes nothing but answers.
        let takesOnlyAnswers: Bool
    }

    /// What the database has at the start, and after each change.
    private struct Stored: Sendable {
        var key: (made: WallTime, key: AgreementKey)
        var couriers: [AccountID]
        var notes: [[UInt8]]
        var bringers: [(maker: AccountID, courier: AccountID)]
        var pending: [AccountID]
    }

    private let account: LocalAccount
    private let environment: Environment
    private let contacts: ContactIndex
    private let sessions: Sessions
    private let log: Logger
    private var machine: CourierMachine
    /// Nil until the store has told.
    private var own: ParcelMaking?
    private var known: [AccountID: [DeviceID: Known]] = [:]
    /// The accounts that have named each courier.
    private var namers: [AccountID: Set<AccountID>] = [:]
    /// The couriers that have brought each account's parcels. An answer to the account can go back through them.
    private var bringers: [AccountID: Set<AccountID>] = [:]
    /// Accounts for which a parcel is being made, and parcels that no courier has answered for, with when they were given.
    private var making: Set<AccountID> = []
    private var readings: [AccountID: ParcelFileReading] = [:]
    private var given: [UUIDv7: Instant] = [:]
    /// For accounts that are away: the places up to which nothing has to be looked at again.
    private var passed: [AccountID: [UUIDv7?: Int64]] = [:]
    /// Parcels that were lost in this run: a search that began before such a loss doesn't know of it.
    private var losses = 0
    /// What to do once nothing is made or given any more, or when this takes too long.
    private var flushed: (then: @ReactorActor () -> Void, limit: TimerToken)?
    /// Whether the network is about to close.
    private var isHurried = false
    private var timer: TimerToken?
    private var tidying: TimerToken?
    private var observations: [SettingObservation] = []
    private var isRunning = false

    package init(_ account: LocalAccount, environment: Environment, contacts: ContactIndex, sessions: Sessions) {
        self.account = account
        self.environment = environment
        self.contacts = contacts
        self.sessions = sessions
        log = environment.log.labelled("couriers")
        machine = CourierMachine(now: environment.clocks.now)
    }

    // MARK: Coming and going

    package func start() {
        isRunning = true
        let settings = environment.settings
        observations = [
            settings.onChange(SettingsCatalogue.courierCarry) { [weak self] _ in self?.changed() },
            settings.onChange(SettingsCatalogue.courierKeepDays) { [weak self] _ in self?.changed() },
            settings.onChange(SettingsCatalogue.courierSend) { [weak self] _ in self?.look() },
        ]
        load(isNew: false)
        tidyUp()
    }

    package func stop() {
        isRunning = false
        timer?.cancel()
        tidying?.cancel()
        endFlush()
        for observation in observations { observation.cancel() }
    }

    /// Gives what waits to couriers at once, because the network is about to close.
    /// - Parameter then: called when a courier has each parcel, or after ``NetworkLimits/parcelFlush``.
    package func flush(then: @escaping @ReactorActor () -> Void) {
        endFlush()
        let now = environment.clocks.now
        given = given.filter { now - $0.value < NetworkLimits.parcelFlush }
        isHurried = true
        for reading in readings.values { reading.hurry() }
        machine.hurry(now: now)
        look()
        guard !making.isEmpty || !given.isEmpty else {
            isHurried = false
            return then()
        }
        let limit = environment.clocks.now + NetworkLimits.parcelFlush
        flushed = (then, Reactor.shared.schedule(at: limit) { [weak self] in self?.endFlush() })
    }

    private func lookWhetherFlushed() { if making.isEmpty, given.isEmpty { endFlush() } }

    private func endFlush() {
        guard let (then, limit) = flushed else { return }
        (flushed, isHurried) = (nil, false)
        limit.cancel()
        then()
    }

    /// An account has answered for items that it was sent.
    package func answered(_ ids: [UUIDv7]) {
        guard !given.isEmpty else { return }
        for id in ids { given[id] = nil }
        lookWhetherFlushed()
    }

    /// Call when the user has named a courier or taken one back.
    package func changed() { load(isNew: true) }

    /// Reads what the store knows, with a mail key for the note that is told from now on.
    /// - Parameter isNew: whether the note says something else than before, and so needs a key of its own.
    private func load(isNew: Bool) {
        guard isRunning else { return }
        let device = account.deviceKey
        environment.commits.commit(.mailKey) { transaction in
            Stored(
                key: try Self.key(of: device, isNew: isNew, in: transaction),
                couriers: try MailNotes.couriers(transaction), notes: try MailNotes.all(transaction),
                bringers: try Parcels.bringers(transaction), pending: try transaction.pendingAccounts())
        } then: { [weak self] in
            self?.loaded($0)
        }
    }

    private nonisolated static func key(
        of device: SigningKey, isNew: Bool, in transaction: WriteTransaction
    ) throws -> (made: WallTime, key: AgreementKey) {
        if !isNew, let row = try MailNotes.key(youngerThan: PeerLimits.mailKeyRenewal, transaction),
            let key = MailKeySeal.open(row.secret, made: row.made, by: device)
        {
            return (row.made, key)
        }
        let (made, key) = (try MailNotes.nextTime(transaction), AgreementKey())
        let sealed = MailKeySeal.seal(key, made: made, by: device)
        try MailNotes.save(
            MailKeyRow(made: made, sealed: sealed), forgettingAfter: PeerLimits.mailKeyLife, in: transaction)
        return (made, key)
    }

    private func loaded(_ stored: Stored) {
        guard isRunning else { return }
        let settings = environment.settings
        let carries = settings[SettingsCatalogue.courierCarry] == .friends
        do {
            let note = try MailNote.issue(
                by: account.deviceKey, certificate: account.certificate, key: stored.key.key.publicKey,
                made: stored.key.made, couriers: stored.couriers,
                days: carries ? Int(clamping: settings[SettingsCatalogue.courierKeepDays]) : 0)
            own = ParcelMaking(note: note, key: stored.key.key)
        } catch {
            return log.error("our mail note can't be made", [("error", "\(error)")])
        }
        (known, namers) = ([:], [:])
        for bytes in stored.notes { if let note = try? MailNote(trusting: bytes) { remember(note) } }
        for item in stored.bringers { bringers[item.maker, default: []].insert(item.courier) }
        for session in sessions.all { tell(session) }
        for account in stored.pending { machine.appended(for: account, now: environment.clocks.now) }
        look()
    }

    // MARK: Sessions

    /// An account has a session, and is not away.
    package func opened(_ session: PeerSession) {
        machine.connected(session.peer.account)
        passed[session.peer.account] = nil
        tell(session)
        lookAgain(for: session.peer.account)
    }

    /// The last session with an account has ended.
    package func ended(_ account: AccountID) {
        machine.disconnected(account, now: environment.clocks.now)
        look()
    }

    /// Tells the peer our note, if it understands it. The session tells it to friends only, and the same only once.
    private func tell(_ session: PeerSession) {
        guard let own, session.peer.capabilities.contains(Capability.couriers) else { return }
        session.tell(.mailNote(own.note))
    }

    /// Takes the note that a friend's device has told us.
    package func came(_ note: MailNote, from session: PeerSession) {
        guard note.account == session.peer.account, note.device == session.peer.device else { return }
        // Each session begins with the note. It is stored again now and then, so that it doesn't look old.
        if let known = known[note.account]?[note.device], known.says(note), let at = known.storedAt,
            environment.clocks.now - at < NetworkLimits.noteStoring
        {
            return lookAgain(for: note.account)
        }
        let own = account.id
        environment.commits.commit(.mailNote(note.device)) { transaction in
            let records = ParcelRecords(transaction: transaction)
            let wasNamed = try records.isCourier(own, of: note.account)
            let isKept = try MailNotes.save(
                note.encoded(), of: note.device, note.account, made: note.made, isSaidNow: true,
                devices: PeerLimits.parcelDevices, in: transaction)
            if try wasNamed && !records.isCourier(own, of: note.account) { try records.dropAll(for: note.account) }
            return isKept
        } then: { [weak self] isKept in
            guard isKept else { return }
            guard let self else { return }
            remember(note, storedAt: environment.clocks.now)
            machine.appended(for: note.account, now: environment.clocks.now)
            lookAgain(for: note.account)
        }
    }

    private func remember(_ note: MailNote, storedAt: Instant? = nil) {
        known[note.account, default: [:]][note.device] = Known(
            couriers: Set(note.couriers), days: note.days, made: note.made, storedAt: storedAt)
        for courier in note.couriers { namers[courier, default: []].insert(note.account) }
    }

    /// A friend is here, or has said something else about parcels: it may carry some for accounts for which nothing was
    /// made because only a courier was here that takes nothing but answers.
    private func lookAgain(for courier: AccountID) {
        for account in namers[courier] ?? [] { machine.appended(for: account, now: environment.clocks.now) }
        look()
    }

    /// Takes what commits have found.
    package func heard(_ news: [CourierNews]) {
        for item in news {
            switch item {
            case .lost(let account):
                machine.dropped(for: account, now: environment.clocks.now)
                passed[account] = nil
                losses += 1
            case .brought(let maker, let courier): bringers[maker, default: []].insert(courier)
            case .note(let note): remember(note)
            }
        }
        look()
    }

    /// An account is another thing to us since the last commit.
    /// - Parameter wasFriend: whether it was a friend until then, so that there may be something of it.
    package func relationChanged(_ account: AccountID, wasFriend: Bool) {
        if wasFriend, contacts.relation(account) != .friend {
            known[account] = nil
            tidyUp()
            // A former friend is no courier any more, and friends have to know.
            if own?.note.couriers.contains(account) == true { load(isNew: true) }
        }
        if let session = sessions.with(account) { tell(session) }
    }

    // MARK: Parcels

    /// Whether so many parcels for the account were lost that couriers are given nothing until it was here.
    package func hasGivenUp(on account: AccountID) -> Bool { machine.hasGivenUp(on: account) }

    /// Tells the machine what one commit put into the outbox.
    package func grew(_ rows: [OutboxRow]) {
        let now = environment.clocks.now
        var isNew = false
        for row in rows where ParcelContent.kinds.contains(FrameKind(rawValue: row.kind)) {
            let delay = row.group == nil ? .zero : CourierMachine.groupPatience
            if machine.appended(for: row.account, now: now, delay: delay) { isNew = true }
        }
        if isNew { look() }
    }

    /// The friends who are here and may take a parcel for an account: those that it has named first.
    private func candidates(for recipient: AccountID) -> [Candidate] {
        guard contacts.relation(recipient) == .friend, !contacts.isSuspended(recipient) else { return [] }
        let named = (known[recipient] ?? [:]).values.reduce(into: Set<AccountID>()) { $0.formUnion($1.couriers) }
        func candidate(_ account: AccountID, takesOnlyAnswers: Bool) -> Candidate? {
            guard account != recipient, contacts.relation(account) == .friend, !contacts.isSuspended(account),
                let session = sessions.with(account), session.isMet,
                session.peer.capabilities.contains(Capability.couriers),
                let days = known[account]?[session.peer.device]?.days, days > 0
            else { return nil }
            return Candidate(account: account, days: days, takesOnlyAnswers: takesOnlyAnswers)
        }
        let best = named.sorted().compactMap { candidate($0, takesOnlyAnswers: false) }
        if !best.isEmpty { return best }
        return (bringers[recipient] ?? []).sorted().compactMap { candidate($0, takesOnlyAnswers: true) }
    }

    private func look() {
        guard isRunning, own != nil, environment.settings[SettingsCatalogue.courierSend] else { return }
        let now = environment.clocks.now
        for account in machine.tick(now: now, isCarried: { !candidates(for: $0).isEmpty }) { make(for: account) }
        timer?.cancel()
        timer = machine.nextDeadline(after: now).map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in self?.look() }
        }
    }

    private func make(for recipient: AccountID) {
        guard let own else { return }
        making.insert(recipient)
        let couriers = candidates(for: recipient).prefix(NetworkLimits.couriersOfParcel)
        let onlyAnswers = couriers.allSatisfy(\.takesOnlyAnswers)
        let time = environment.clocks.wallTime
        let here = Set(sessions.all.map(\.peer.account))
        let (isHurried, passed, losses) = (isHurried, passed[recipient] ?? [:], losses)
        let fileBytes = environment.settings[SettingsCatalogue.courierSendFileBytes]
        environment.store.read(by: .long) { transaction in
            let search = try own.search(
                for: recipient, onlyAnswers: onlyAnswers, isHurried: isHurried, fileBytes: fileBytes, after: passed,
                isHere: { here.contains($0) }, in: transaction, at: time)
            let parcel = try search.plan.flatMap { try $0.files.isEmpty ? own.seal($0, with: [], at: time) : nil }
            return (search: search, parcel: parcel)
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success((let search, let parcel)):
                if losses == self.losses, sessions.with(recipient) == nil { self.passed[recipient] = search.passed }
                guard let plan = search.plan, !plan.files.isEmpty else {
                    return give(parcel, for: recipient, search, to: couriers)
                }
                read(plan, for: recipient, at: time) { [weak self] files in
                    do {
                        self?.give(
                            try own.seal(plan, with: files, at: time), for: recipient, search, to: couriers)
                    } catch { self?.fail(for: recipient, error) }
                }
            case .failure(let error): fail(for: recipient, error)
            }
        }
    }

    /// Reads the files of a parcel where nobody who reads the database waits for their disk.
    private func read(
        _ plan: PlannedParcel, for recipient: AccountID, at time: WallTime,
        then: @escaping @ReactorActor ([MadeFile]) -> Void
    ) {
        let reading = ParcelFileReading { [weak self] files in
            self?.readings[recipient] = nil
            then(files)
        }
        readings[recipient] = reading
        reading.start(plan, at: time, on: environment.workers.parcels)
        if isHurried { reading.hurry() }
    }

    private func give(
        _ parcel: MadeParcel?, for recipient: AccountID, _ search: ParcelSearch, to couriers: ArraySlice<Candidate>
    ) {
        guard let parcel else { return made(for: recipient, search) }
        let given = couriers.map { (account: $0.account, days: $0.days) }
        environment.commits.commit(.parcel(parcel.envelope.id)) {
            try ParcelRecords(transaction: $0).give(parcel, to: given)
        } then: { [weak self] isGiven in
            guard let self else { return }
            if isGiven { noteGiven(parcel.envelope.id) }
            made(for: recipient, search)
        }
    }

    private func fail(for recipient: AccountID, _ error: any Error) {
        log.error("a parcel can't be made", [("error", "\(error)")])
        made(for: recipient, ParcelSearch())
    }

    private func noteGiven(_ parcel: UUIDv7) {
        let now = environment.clocks.now
        given = given.filter { now - $0.value < NetworkLimits.parcelFlush }
        given[parcel] = now
    }

    private func made(for recipient: AccountID, _ search: ParcelSearch) {
        let now = environment.clocks.now
        making.remove(recipient)
        machine.made(for: recipient, isAll: search.isAll, next: search.next.map { now + $0 }, now: now)
        if isHurried { machine.hurry(now: now) }
        look()
        lookWhetherFlushed()
    }

    // MARK: Time

    /// Drops what is over, now and every hour, and makes a new mail key once a week.
    private func tidyUp() {
        tidying?.cancel()
        guard isRunning else { return }
        tidying = Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.parcelTidying) { [weak self] in
            self?.tidyUp()
        }
        environment.commits.commit(.parcels) { transaction in
            let lost = try ParcelRecords(transaction: transaction).tidyUp()
            let forgotten = try MailNotes.forget(olderThan: PeerLimits.mailKeyUse, in: transaction)
            let isOld = try MailNotes.key(youngerThan: PeerLimits.mailKeyRenewal, transaction) == nil
            return (lost: lost, isChanged: forgotten > 0 || isOld)
        } then: { [weak self] result in
            guard let self else { return }
            heard(result.lost.map { .lost($0) })
            if result.isChanged, own != nil { load(isNew: false) }
        }
    }
}
