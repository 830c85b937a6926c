import Account
import Basics
import ControlProtocol
import Crypto
import Glibc
import LocalSend
import Media
import Messaging
import Reactor
import Runtime
import Transfer
import Vocabulary

/// Takes files and texts from devices that are no peers, such as phones with LocalSend. The bridge, a program of its own, talks
/// with them; this service starts it, shows its offers to the user, and says where each file goes.
@ReactorActor package final class GuestService {
    /// A note to oneself that is to be written.
    package struct Note: Sendable {
        package let text: String
        /// Files that a device gave.
        package let paths: [String]
        /// Files that a device got, as they were looked at.
        package let sources: [PreparedSource]
        /// What the device calls itself that gave it.
        package let guest: String?
        /// What the device calls itself that got it.
        package let givenTo: String?
        /// Under which it is written once.
        package let key: String
    }

    /// What clients and the desktop are told.
    package enum News {
        /// Something is different: so many devices are near, and so many offers wait.
        case changed(devices: Int, waiting: Int)
        /// Files of an offer come in, or go out, with so many bytes a second.
        case progress(GuestOffer, rate: Int64)
        /// A device offers something.
        case offered(GuestOffer)
        /// No offer waits any more.
        case noneWaits
    }

    /// A file that comes.
    private struct Ticket {
        let offer: Int
        let item: GuestOffer.Item
        var file: ArrivingFile?
    }

    /// Where a file lies in a folder that comes with it.
    private struct Place: Sendable {
        let root: ArrivingFolder
        /// The folders between the outermost one and the file.
        let below: [String]
    }

    private let environment: Environment
    private let log: Logger
    private let account: CurrentAccount
    private let media: MediaProgram
    private let look: @ReactorActor (String, @escaping @ReactorActor (Destination) -> Void) -> Void
    /// Writes notes. Set once, before ``start()``.
    package var note: @ReactorActor (Note) async throws -> Void = { _ in }
    /// Looks at files that are to be given, by the settings for files that are sent. Set once, before ``start()``.
    package var scan: @ReactorActor ([NamedPath], _ anyType: Bool) async throws -> [PreparedSource] = { _, _ in [] }
    /// Keeps the uploads at these paths from being removed, and says which there are. Set once, before ``start()``.
    package var hold: @ReactorActor ([String]) -> [UUIDv7] = { _ in [] }
    /// Lets go of uploads; the flag says whether messages name them now. Set once, before ``start()``.
    package var release: @ReactorActor ([UUIDv7], Bool) -> Void = { _, _ in }
    /// Hears what clients are to be told.
    package var news: @ReactorActor (News) -> Void = { _ in }

    private let interfaces: [String]?
    private lazy var keeper = BridgeKeeper(
        environment: environment, interfaces: interfaces, log: log,
        owner: .init(
            isWanted: { [weak self] in self?.isWanted == true },
            mayRestart: { [weak self] in self?.table.isReceiving != true },
            name: { [weak self] in self?.name ?? "" }, heard: { [weak self] in self?.heard($0) },
            ended: { [weak self] in self?.bridgeEnded() }, changed: { [weak self] in self?.changed() }))
    private lazy var givings = GivingService(
        environment: environment, interfaces: interfaces, keeper: keeper,
        owner: .init(
            scan: { [weak self] in try await self?.scan($0, $1) ?? [] },
            note: { [weak self] in try await self?.note($0) }, hold: { [weak self] in self?.hold($0) ?? [] },
            release: { [weak self] in self?.release($0, $1) }, changed: { [weak self] in self?.changed() },
            progressed: { [weak self] in self?.news(.progress($0, rate: $1)) }))
    private lazy var scans = ScanService(environment: environment, interfaces: interfaces, keeper: keeper)
    private lazy var examination = BridgeExamination(clocks: environment.clocks, keeper: keeper)
    private var table = OfferTable()
    private var tickets: [Int: Ticket] = [:]
    private var isOnline = false
    /// The account whose leftovers of a crash this service has removed.
    private var sweptFor: String?
    private var change: TimerToken?
    /// Where the files of the offer go that come in.
    private var directory = ""
    /// The outermost folders of these, by their numbers.
    private var folders: [Int: ArrivingFolder] = [:]
    private var settling: Set<UUIDv7> = []
    private var texts: Set<UUIDv7> = []
    private var meter = ProgressMeter()
    private var lastFile = UInt64.random(in: 0..<1 << 62)
    private var allOffers = RateLimiter(LocalSendLimits.offers)

    /// Its TCP port; nil while it doesn't listen.
    package var port: UInt16? { keeper.port }
    /// Why it doesn't work, in words for people; nil if it does, or is off.
    package var problem: String? { keeper.problem }
    /// The devices that are near, as the bridge says.
    private var nearby: [BridgeReport.Device] = []

    /// - Parameters:
    ///   - interfaces: the names of those that are used; nil for all that reach a network.
    ///   - look: looks at a directory for received files.
    package init(
        environment: Environment, account: CurrentAccount, media: MediaProgram, interfaces: [String]?,
        look: @escaping @ReactorActor (String, @escaping @ReactorActor (Destination) -> Void) -> Void
    ) {
        self.environment = environment
        self.account = account
        self.media = media
        self.look = look
        log = environment.log.labelled("guests")
        self.interfaces = interfaces
        environment.settings.onChange(SettingsCatalogue.localSendEnabled) { [weak self] _ in self?.apply() }
        environment.settings.onChange(SettingsCatalogue.localSendPlain) { [weak self] _ in
            self?.scans.stop()
            self?.keeper.restart()
        }
        environment.settings.onChange(SettingsCatalogue.localSendPIN) { [weak self] _ in
            guard let self else { return }
            keeper.say(.setPIN(keeper.pin))
        }
    }

    // MARK: On and off

    /// Begins to serve if the user has switched it on. The account is open.
    package func start() {
        isOnline = true
        givings.start()
        apply()
    }

    /// Ends it: the account is locked, or the daemon ends.
    package func stop() {
        isOnline = false
        apply()
    }

    /// Notes that the account's row may have another name now.
    package func accountChanged() {
        // The row is taken over with the commit's other followers.
        Reactor.shared.afterThisTurn { [weak self] in self?.keeper.nameChanged() }
    }

    /// Whether the user has switched it on.
    package var isOn: Bool { environment.settings[SettingsCatalogue.localSendEnabled] }
    /// What this host is called in the lists of others.
    package var name: String {
        account.profile.map { String("\($0.displayName)’s Kibo".prefix(LocalSendLimits.aliasCharacters)) } ?? "Kibo"
    }
    private var isWanted: Bool { isOnline && isOn && account.profile != nil }
    private func apply() {
        if !isWanted { givings.stop() }
        if isWanted, sweptFor != owner {
            sweptFor = owner
            let (directory, owner) = (environment.settings[SettingsCatalogue.filesDownloadDirectory], owner)
            // What a crash has left. The files of this run are made by the same thread, later.
            environment.workers.uploads.submit { ArrivingFile.sweep(directory, owner: owner) }
        }
        keeper.apply()
    }

    /// Marks our files among those of other accounts in the same directory.
    private var owner: String { account.profile.map { Hex.encode(Array($0.device.bytes.prefix(8))) } ?? "" }

    // MARK: The doctor

    /// Looks whether a firewall lets a UDP and a TCP port in; the flag says whether our own datagrams come back.
    package typealias FirewallLook = @ReactorActor (_ udp: UInt16, _ tcp: UInt16, _ isHeard: Bool) async -> DoctorCheck

    /// What `system.doctor` says about it; nil if it is off. It takes up to some seconds.
    package func check(firewall: @escaping FirewallLook) async -> DoctorCheck? {
        guard isWanted else { return nil }
        let isAlone: @ReactorActor () -> Bool = { [weak self] in self?.nearby.isEmpty != false }
        if let check = await examination.look(name: name, isAlone: isAlone, firewall: firewall) { return check }
        guard isWanted else { return nil }
        guard keeper.isInstalled else {
            return DoctorCheck(
                name: "localsend", ok: false, findings: [.init(.localsendMissing)], advice: [.init(.installLocalsend)])
        }
        return DoctorCheck(
            name: "localsend", ok: false,
            findings: [.init(.localsendFails, ["detail": .string(problem ?? "it has not begun yet")])])
    }

    // MARK: What the bridge says

    private func heard(_ report: BridgeReport) {
        switch report {
        case .ready, .failed: break
        case .echoed, .reached: examination.heard(report)
        case .devices(let known):
            nearby = known
            changed()
        case .offered(let number, let device, let items, let text): offered(number, device, items, text)
        case .over(let number, let ending):
            table.isOver(number, ending, now: environment.clocks.now)
            settle()
            told()
            changed()
        case .begins(let ticket, let offer, let item): begins(ticket, offer: offer, item: item)
        case .came(let number, let bytes): came(bytes, of: number)
        case .ends(let ticket, let outcome): ends(ticket, outcome)
        }
    }

    /// The bridge has ended, and all that it had begun.
    private func bridgeEnded() {
        nearby = []
        scans.stop()
        table.bridgeEnded(now: environment.clocks.now)
        for ticket in tickets.values { drop(ticket.file) }
        tickets = [:]
        settle()
        told()
    }

    private var policy: FilePolicy {
        let settings = environment.settings
        return FilePolicy(
            types: FileTypes(settings[SettingsCatalogue.filesAllowedTypes]), maxSend: 0,
            maxReceive: UInt64(clamping: settings[SettingsCatalogue.filesMaxReceiveBytes]),
            freeSpaceReserve: UInt64(clamping: settings[SettingsCatalogue.filesFreeSpaceReserveBytes]),
            downloads: DownloadPolicy(
                from: .never, kinds: [], maximum: 0, onMetered: false,
                directory: settings[SettingsCatalogue.filesDownloadDirectory]))
    }

    private func offered(_ number: Int, _ device: BridgeReport.Device, _ items: [BridgeReport.Item], _ text: String?) {
        let now = environment.clocks.now
        let words = text.map { Self.clean($0) }
        guard allOffers.acquire(now: now), words?.allSatisfy(\.isWhitespace) != true else {
            return keeper.say(.answer(number, taking: nil))
        }
        let policy = policy
        var random = SodiumGenerator()
        let wall = environment.clocks.wallTime
        let id = UUIDv7(at: wall, using: &random)
        let names = OfferedName.all(items.map(\.name))
        let shown = items.indices.map { place in
            let (item, name) = (items[place], names[place])
            return GuestOffer.Item(
                number: Int64(place), name: name.name, folder: name.folder, size: item.size,
                refusal: policy.objection(toReceiving: name.name, size: UInt64(clamping: item.size))?.reason)
        }
        let offer = GuestOffer(
            id: id.description, device: GuestDevice(device), text: words, items: shown,
            size: OfferTable.bytes(of: shown),
            cameAt: wall.milliseconds, until: (wall + LocalSendLimits.patience).milliseconds)
        guard table.add(offer, id: id, number: number, names: names) else {
            return keeper.distrust("it let too many offers in")
        }
        _ = table.forget(now: now)
        news(.offered(offer))
        changed()
    }

    /// A text that came from elsewhere, as a message may have it.
    private static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars
        where !ForeignText.isHostile(scalar, multiline: true) || ForeignText.isWritten(scalar) {
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private func begins(_ number: Int, offer: Int, item: Int) {
        guard tickets.count < LocalSendLimits.atOnce, tickets[number] == nil else {
            return keeper.distrust("it let too many files in")
        }
        guard let found = table.begin(item, of: offer) else { return keeper.say(.refuse(number, .declined)) }
        tickets[number] = Ticket(offer: offer, item: found)
        lastFile += 1
        let (directory, owner, name, run) = (directory, owner, lastFile, keeper.run)
        let reserve = policy.freeSpaceReserve
        Reactor.shared.task { [self] in
            do {
                let file = try await environment.workers.uploads.run {
                    try Self.make(in: directory, owner: owner, number: name, size: found.size, reserve: reserve)
                }
                guard run == keeper.run, tickets[number] != nil else { return drop(file) }
                let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else {
                    let code = errno
                    drop(file)
                    throw FileError("open", code)
                }
                tickets[number]?.file = file
                keeper.say(.write(number), with: Descriptor(adopting: copy))
            } catch {
                guard run == keeper.run, tickets.removeValue(forKey: number) != nil else { return }
                let isFull = (error as? FileError)?.isNoSpace == true
                keeper.say(.refuse(number, isFull ? .noRoom : .failed))
                lose(
                    item, of: offer,
                    .init(
                        isFull ? .noSpace : (error as? FileError)?.reason ?? .internal,
                        isFull ? "there is not enough free space for it" : "\(error)"))
            }
        }
    }

    private nonisolated static func make(
        in directory: String, owner: String, number: UInt64, size: Int64, reserve: UInt64
    ) throws -> ArrivingFile {
        try Paths.makeDirectory(directory, mode: 0o777 & ~mode_t(UserMask.bits))
        let file = try ArrivingFile(in: directory, owner: owner, number: number)
        do {
            let free = try SystemFiles().freeBytes(file.descriptor)
            let (needed, overflow) = UInt64(clamping: size).addingReportingOverflow(reserve)
            guard !overflow, free == .max || free >= needed else { throw FileError("write", ENOSPC) }
        } catch {
            file.remove()
            throw error
        }
        return file
    }

    /// Where a file of the offer that is coming in belongs; nil if it is in no folder.
    private func place(of item: GuestOffer.Item, of offer: Int) -> Place? {
        guard let root = table.root(of: Int(item.number), of: offer), let path = item.folder else { return nil }
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard let name = names.first else { return nil }
        let folder = folders[root] ?? ArrivingFolder(name)
        folders[root] = folder
        return Place(root: folder, below: Array(names.dropFirst()))
    }

    private func drop(_ file: ArrivingFile?) {
        guard let file else { return }
        environment.workers.uploads.submit { file.remove() }
    }

    private func lose(_ item: Int, of offer: Int, _ lost: OfferTable.LostFile) {
        table.ended(item, of: offer, .failure(lost))
        settle()
        changed()
    }

    private func came(_ bytes: Int64, of number: Int) {
        guard let offer = table.came(bytes, of: number) else { return }
        guard let rate = meter.note(offer.bytesDone, now: environment.clocks.now) else { return }
        news(.progress(offer, rate: rate))
    }

    private func ends(_ number: Int, _ outcome: BridgeReport.Outcome) {
        guard let ticket = tickets.removeValue(forKey: number) else { return }
        let (offer, item, run) = (ticket.offer, Int(ticket.item.number), keeper.run)
        guard outcome == .whole, let file = ticket.file, table.finish(item, of: offer) else {
            drop(ticket.file)
            if outcome == .whole { keeper.say(.kept(number, false)) }
            return lose(
                item, of: offer,
                outcome == .full ? .init(.noSpace, "the disk is full") : .init(.cancelled, "it broke off"))
        }
        let (wanted, media, policy, mask) = (ticket.item, media, policy, UserMask.bits)
        let place = place(of: wanted, of: offer)
        Reactor.shared.task { [self] in
            let result: Result<String, OfferTable.LostFile>
            do {
                result = try await environment.workers.uploads.run {
                    Self.finish(
                        file, wanted, in: place, TypeInspector(types: policy.types, media: media, origin: .guest),
                        reserve: policy.freeSpaceReserve, mask: mask)
                }
            } catch {
                result = .failure(.init(.internal, "\(error)"))
            }
            table.ended(item, of: offer, result)
            if run == keeper.run, case .success = result {
                keeper.say(.kept(number, true))
            } else {
                keeper.say(.kept(number, false))
            }
            settle()
            changed()
        }
    }

    /// Looks at a file that has come, and gives it its name. Blocking.
    /// - Parameter place: nil for a file in no folder.
    /// - Returns: the path of the file, or of the outermost folder with it.
    private nonisolated static func finish(
        _ file: ArrivingFile, _ item: GuestOffer.Item, in place: Place?, _ inspector: TypeInspector, reserve: UInt64,
        mask: UInt16
    ) -> Result<String, OfferTable.LostFile> {
        func refuse(_ reason: Reason, _ detail: String) -> Result<String, OfferTable.LostFile> {
            file.remove()
            return .failure(.init(reason, detail))
        }
        do throws(FileError) { try file.seal(size: item.size, reserve: reserve) } catch {
            guard error.code != ESTALE else { return refuse(.cancelled, "it broke off") }
            return refuse(error.reason, error.isNoSpace ? "there is not enough free space for it" : "\(error)")
        }
        guard inspector.takes(file.descriptor, name: item.name) else {
            return refuse(.typeNotAllowed, "what is in it is not what its name says")
        }
        do throws(FileError) {
            let mode = 0o644 & ~mask | 0o600
            guard let place else { return .success(try file.finish(as: item.name, mode: mode)) }
            return .success(
                try file.finish(
                    as: item.name, mode: mode, in: place.root, below: place.below,
                    directoryMode: 0o755 & ~mask | 0o700))
        } catch {
            return refuse(error.reason, error.isNoSpace ? "the disk is full" : "\(error)")
        }
    }

    // MARK: The user's word

    /// All offers, the oldest first.
    package var offers: [GuestOffer] {
        _ = table.forget(now: environment.clocks.now)
        return table.offers
    }

    /// Asks all devices who they are.
    package func announce() { keeper.say(.announce) }

    /// Asks each address of the networks in use whether a device is there.
    /// - Parameter address: the only one that is asked.
    /// - Returns: how many addresses were asked, and how many devices have answered.
    /// - Throws: a refusal.
    package func scan(address: String?) async throws -> (asked: Int, found: Int) {
        try await scans.scan(address: address)
    }

    /// Takes an offer.
    /// - Parameter items: the places of the files that are wanted; nil for all that may be taken.
    /// - Throws: a refusal.
    package func take(_ id: UUIDv7, items: [Int]?) async throws {
        let offer = try table.waiting(id)
        if let text = offer.text {
            guard texts.insert(id).inserted else { throw ControlError(.busy, "the text is being kept already") }
            defer { texts.remove(id) }
            try await note(
                Note(text: text, paths: [], sources: [], guest: offer.device.name, givenTo: nil, key: "guest-\(id)"))
            if let number = table.textIsKept(id, now: environment.clocks.now) {
                keeper.say(.answer(number, taking: []))
            }
        } else {
            let wanted = try OfferTable.wanted(items, of: offer)
            let size = UInt64(clamping: OfferTable.bytes(of: wanted.map { offer.items[$0] }))
            let directory = environment.settings[SettingsCatalogue.filesDownloadDirectory]
            let destination = await withCheckedContinuation { continuation in
                look(directory) { continuation.resume(returning: $0) }
            }
            guard destination.isWritable else {
                throw ControlError(
                    .notAllowed, "no files can be put into \(ForeignText.escaped(directory))",
                    parameters: ["path": .string(directory)])
            }
            if let free = destination.freeBytes, free != .max, !policy.fits(size, in: free, promised: 0) {
                throw ControlError(.noSpace, "there is not enough free space for it")
            }
            let (number, places) = try table.take(id, items: items)
            (self.directory, folders, meter) = (directory, [:], ProgressMeter())
            keeper.say(.answer(number, taking: places))
        }
        told()
        changed()
    }

    /// What this user gives to devices, the oldest first.
    package var given: [GuestOffer] { givings.offers }

    /// The devices that are near, by name.
    package var devices: [GuestDevice] { nearby.map { shown($0) } }

    /// A device as clients see it.
    private func shown(_ device: BridgeReport.Device) -> GuestDevice {
        let (isKnown, hasNamesake) = givings.acquaintance(with: device)
        return GuestDevice(device, known: isKnown, namesake: hasNamesake)
    }

    /// Offers files or a text to a device.
    /// - Parameters:
    ///   - device: its `id`.
    ///   - text: nil for files.
    ///   - pin: what the device asks for.
    /// - Throws: a refusal.
    package func give(
        to device: String, text: String?, paths: [NamedPath], anyType: Bool, pin: String?
    ) async throws -> GuestOffer {
        guard let found = nearby.first(where: { GuestDevice.id(of: $0) == device }) else {
            throw ControlError(
                .notFound,
                isOn ? "there is no such device nearby now" : "LocalSend is off here", field: "device")
        }
        return try await givings.give(
            found, as: shown(found), text: text, paths: paths, anyType: anyType, pin: pin)
    }

    /// Declines an offer, ends one whose files come, or takes one back that goes out.
    /// - Throws: a refusal of kind `not_found`.
    package func decline(_ id: UUIDv7) throws {
        if givings.withdraw(id) { return changed() }
        let (number, waited) = try table.decline(id, now: environment.clocks.now)
        keeper.say(waited ? .answer(number, taking: nil) : .stop(number))
        settle()
        told()
        changed()
    }

    // MARK: The end of an offer

    /// Writes the notes of an offer that has no open files any more.
    private func settle() {
        guard let settled = table.settled(), settling.insert(settled.id).inserted else { return }
        let directory = directory
        Reactor.shared.task { [self] in
            var problem: OfferTable.LostFile?
            do {
                for (part, start) in stride(from: 0, to: settled.paths.count, by: SharedLimits.attachments).enumerated()
                {
                    let paths = settled.paths[start..<min(start + SharedLimits.attachments, settled.paths.count)]
                    try await note(
                        Note(
                            text: "", paths: Array(paths), sources: [], guest: settled.device, givenTo: nil,
                            key: "guest-\(settled.id)-\(part)"))
                }
            } catch {
                problem = .init(
                    (error as? ControlError)?.kind ?? .internal,
                    "what came is in \(directory), and not all of it in the notes: \(error)")
            }
            settling.remove(settled.id)
            table.settle(settled.id, problem: problem, now: environment.clocks.now)
            changed()
            keeper.mayRestartNow()
        }
    }

    private func told() { if table.waiting == 0 { news(.noneWaits) } }

    private func changed() {
        guard change == nil else { return }
        change = Reactor.shared.schedule(at: environment.clocks.now + GuestLimits.changePause) { [weak self] in
            guard let self else { return }
            change = nil
            news(.changed(devices: nearby.count, waiting: table.waiting))
        }
    }
}

extension GuestDevice {
    fileprivate init(_ device: BridgeReport.Device, known: Bool = false, namesake: Bool = false) {
        self.init(
            id: Self.id(of: device), name: device.info.alias, model: device.info.model,
            kind: Kind(rawValue: device.info.kind.rawValue) ?? .desktop,
            address: device.address.description, encrypted: device.info.isEncrypted, known: known, namesake: namesake)
    }

    /// What names a device to clients: it depends on its certificate and its address.
    fileprivate static func id(of device: BridgeReport.Device) -> String {
        Hex.encode(Blake2b.hash(Array("\(device.info.fingerprint) \(device.address)".utf8), length: 8))
    }
}
