import Basics
import ControlProtocol
import Crypto
import Glibc
import LocalSend
import Media
import Messaging
import Network
import Reactor
import Runtime
import Store
import Transfer
import Vocabulary

/// Gives files and texts to devices that are no peers. A process of its own talks with each device; this service opens the files
/// for it, and writes into the notes what was given.
@ReactorActor final class GivingService {
    /// A file that is given, and where it is.
    private struct File {
        let source: Int
        let index: Int
        let item: GiveOrder.Item
    }

    /// What is given.
    private struct Gift {
        let text: String?
        let sources: [PreparedSource]
        let files: [File]
        let device: BridgeReport.Device
        let hadPIN: Bool
        let errand: Errand
        /// The uploads that are kept for it.
        let uploads: [UUIDv7]
        /// The places of the files that the process has got.
        var opened: Set<Int> = []
        var isStopped = false
        var rate = ProgressMeter()
    }

    /// What its owner says and hears.
    struct Owner {
        /// Looks at files, by the settings for files that are sent.
        let scan: @ReactorActor ([NamedPath], _ anyType: Bool) async throws -> [PreparedSource]
        let note: @ReactorActor (GuestService.Note) async throws -> Void
        let hold: @ReactorActor ([String]) -> [UUIDv7]
        let release: @ReactorActor ([UUIDv7], _ isSent: Bool) -> Void
        let changed: @ReactorActor () -> Void
        let progressed: @ReactorActor (GuestOffer, _ rate: Int64) -> Void
    }

    private let environment: Environment
    private let choice: InterfaceChoice
    private let keeper: BridgeKeeper
    private let owner: Owner
    private let log: Logger
    private var table = GivingTable()
    private var gifts: [UUIDv7: Gift] = [:]
    /// Those that are being prepared.
    private var preparing = 0
    /// The devices to which something was given: what each called itself, by its fingerprint.
    private var known: [[UInt8]: String] = [:] {
        didSet { owners = Dictionary(grouping: known.keys) { Self.folded(known[$0] ?? "") } }
    }
    /// The fingerprints of those by their folded names.
    private var owners: [String: [[UInt8]]] = [:]

    init(environment: Environment, interfaces: [String]?, keeper: BridgeKeeper, owner: Owner) {
        self.environment = environment
        choice = InterfaceChoice(names: interfaces)
        self.keeper = keeper
        self.owner = owner
        log = environment.log.labelled("guests")
    }

    /// Reads which devices are known. The account is open.
    func start() {
        Reactor.shared.task { [self] in
            do {
                let stored = try await environment.store.read { try GuestDevices.all($0) }
                known = stored.merging(known) { _, later in later }
            } catch {
                // Devices are only not marked.
                log.warning("the devices that are known can't be read", [("error", "\(error)")])
            }
            owner.changed()
        }
    }

    /// Ends all: LocalSend is off, or the account is locked.
    func stop() { for id in gifts.keys { _ = withdraw(id) } }

    /// What goes out, the oldest first.
    var offers: [GuestOffer] {
        table.forget(now: environment.clocks.now)
        return table.offers
    }

    // MARK: The user's word

    /// Offers something to a device.
    /// - Parameters:
    ///   - text: nil for files.
    ///   - pin: what the device asks for.
    /// - Throws: a refusal.
    func give(
        _ device: BridgeReport.Device, as shown: GuestDevice, text: String?, paths: [NamedPath], anyType: Bool,
        pin: String?
    ) async throws -> GuestOffer {
        _ = try admitted(device, shown)
        guard table.open + preparing < LocalSendLimits.givings else {
            throw ControlError(
                .busy, "\(LocalSendLimits.givings) offers to devices are under way already", hint: .tryInAMoment)
        }
        if let text, text.allSatisfy(\.isWhitespace) {
            throw ControlError(.invalid, "there is nothing to give", hint: .giveContent, field: "text")
        }
        preparing += 1
        defer { preparing -= 1 }
        let sources = paths.isEmpty ? [] : try await owner.scan(paths, anyType)
        // Much may have changed while the disk was searched.
        let (program, own) = try admitted(device, shown)
        let files = try Self.files(of: sources)
        let order = GiveOrder.Errand(
            info: own.info, certificate: own.identity?.certificate, key: own.identity?.key, device: device, pin: pin,
            items: files.map(\.item), text: text)
        guard Handover.offer(order).count <= LocalSendLimits.bodyBytes else { throw Self.tooMuch }
        var random = SodiumGenerator()
        let wall = environment.clocks.wallTime
        let id = UUIDv7(at: wall, using: &random)
        let items = files.enumerated().map { place, file in
            let name = OfferedName(file.item.name)
            return GuestOffer.Item(
                number: Int64(place), name: name.name, folder: name.folder, size: file.item.size, refusal: nil)
        }
        let offer = GuestOffer(
            id: id.description, device: shown, text: text, items: items, size: OfferTable.bytes(of: items),
            cameAt: wall.milliseconds, until: (wall + .seconds(LocalSendLimits.answerSeconds)).milliseconds)
        table.add(offer, id: id)
        let (choice, address) = (choice, SocketAddress(device.address, port: device.info.port))
        let errand = Errand(
            program, order, way: { choice.way(to: address) }, heard: { [weak self] in self?.heard($0, of: id) },
            ended: { [weak self] in self?.ended($0, of: id) })
        gifts[id] = Gift(
            text: text, sources: sources, files: files, device: device, hadPIN: pin != nil, errand: errand,
            uploads: owner.hold(sources.map(\.path)))
        table.forget(now: environment.clocks.now)
        owner.changed()
        return offer
    }

    /// Makes sure that something may be given to a device now.
    /// - Throws: a refusal.
    private func admitted(
        _ device: BridgeReport.Device, _ shown: GuestDevice
    ) throws(ControlError) -> (program: String, own: BridgeKeeper.Own) {
        guard let program = keeper.program, let own = keeper.own else {
            throw ControlError(.offline, "LocalSend doesn't work here now: \(keeper.problem ?? "it begins")")
        }
        // Anybody can forge an announcement.
        guard keeper.neighbourhood.contains(device.address) else {
            throw ControlError(.notAllowed, "\(device.address) is not on this network")
        }
        guard device.info.isEncrypted || environment.settings[SettingsCatalogue.localSendPlain] else {
            throw ControlError(
                .notAllowed,
                "\(ForeignText.escaped(shown.name)) speaks without encryption, and the setting localsend.plain doesn't allow that",
                parameters: ["name": .string(shown.name)])
        }
        guard !device.info.isEncrypted || Self.fingerprint(of: device) != nil else {
            throw ControlError(.unsupported, "\(ForeignText.escaped(shown.name)) doesn't say which certificate it has")
        }
        return (program, own)
    }

    /// Takes an offer back, or ends one whose files go out.
    /// - Returns: false if there is none that is under way.
    func withdraw(_ id: UUIDv7) -> Bool {
        guard let gift = gifts[id], table.isOpen(id) else { return false }
        // A second word would end the telling of the device.
        guard !gift.isStopped else { return true }
        gifts[id]?.isStopped = true
        gifts[id]?.errand.stop()
        return true
    }

    // MARK: Files

    private static let tooMuch = ControlError(
        .tooLarge, "more than \(LocalSendLimits.files) files, or names too long, can't be given at once",
        hint: .sendInParts, field: "files")

    /// All files of what was scanned, with the names under which the device gets them.
    private static func files(of sources: [PreparedSource]) throws(ControlError) -> [File] {
        var files: [File] = []
        for (number, source) in sources.enumerated() {
            let (scanned, list) = (source.scanned, source.scanned.source)
            for index in 0..<list.count where list.manifest.kind(index) == .file {
                guard files.count < LocalSendLimits.files else { throw tooMuch }
                let name =
                    scanned.kind == .file ? scanned.name : "\(scanned.name)/\(list.manifest.path(index))"
                guard name.utf8.count <= LocalSendLimits.nameBytes else { throw tooMuch }
                files.append(
                    File(
                        source: number, index: index,
                        item: GiveOrder.Item(
                            name: name, size: Int64(clamping: list.manifest.size(index)),
                            type: MediaType(ofName: name).name)))
            }
            // A folder without files is nothing to a device.
            guard files.last?.source == number else {
                throw ControlError(
                    .invalid, "\(ForeignText.escaped(source.path)) has no files in it",
                    parameters: ["path": .string(source.path)], field: "files")
            }
        }
        return files
    }

    private func open(_ item: Int, of id: UUIDv7) {
        guard let gift = gifts[id], table.wants(item, of: id), !gift.opened.contains(item) else {
            gifts[id]?.errand.end()
            return
        }
        gifts[id]?.opened.insert(item)
        let file = gift.files[item]
        let (list, path) = (gift.sources[file.source].scanned.source, gift.sources[file.source].path)
        Reactor.shared.task { [self] in
            let descriptor = try? await environment.workers.files.run {
                Descriptor(adopting: try list.open(file.index, at: path))
            }
            if let descriptor {
                gift.errand.say(.file(item), with: descriptor)
            } else {
                gift.errand.say(.changed(item))
            }
        }
    }

    // MARK: What the process says

    private func heard(_ report: GiveReport, of id: UUIDv7) {
        guard let gift = gifts[id] else { return }
        switch report {
        case .dial, .met: break
        case .takes(let items):
            guard table.takes(items, of: id) else { return gift.errand.end() }
            owner.changed()
        case .wants(let item): open(item, of: id)
        case .gave(let item):
            table.gave(item, of: id)
            owner.changed()
        case .went(let bytes):
            guard let offer = table.went(bytes, of: id),
                let rate = gifts[id]?.rate.note(offer.bytesDone, now: environment.clocks.now)
            else { return }
            owner.progressed(offer, rate)
        case .over(let ending, let status):
            let (state, lost) = ending.shown(status: status, hadPIN: gift.hadPIN)
            settle(id, state, lost)
        }
    }

    /// The process has ended; that is the end, if it has not said so.
    private func ended(_ why: String, of id: UUIDv7) {
        guard let gift = gifts[id], table.isOpen(id) else { return }
        if gift.isStopped { return settle(id, .withdrawn, nil) }
        settle(id, .failed, .init(.internal, "kibo-localsend failed: \(why)"))
    }

    private func settle(_ id: UUIDv7, _ state: GuestOffer.State, _ lost: OfferTable.LostFile?) {
        guard let gift = gifts[id], let given = table.isOver(id) else { return }
        gift.errand.end()
        // If the device took some of a folder, the note has the whole folder.
        let places = Set(given.map { gift.files[$0].source })
        let sources = gift.sources.enumerated().filter { places.contains($0.offset) }.map(\.element)
        let isGiven = gift.text == nil ? !sources.isEmpty : state == .taken
        Reactor.shared.task { [self] in
            var (state, lost, isNoted) = (state, lost, false)
            if isGiven {
                do {
                    try await owner.note(
                        .init(
                            text: gift.text ?? "", paths: [], sources: sources, guest: nil,
                            givenTo: gift.device.info.alias,
                            key: "given-\(id)"))
                    isNoted = true
                } catch {
                    (state, lost) = (
                        .failed,
                        lost
                            ?? .init(
                                (error as? ControlError)?.kind ?? .internal,
                                "it was given, but is not in the notes: \(error)")
                    )
                }
                await remember(gift.device)
            }
            owner.release(gift.uploads, isNoted)
            table.end(id, state, lost, now: environment.clocks.now)
            gifts[id] = nil
            owner.changed()
        }
    }

    // MARK: Known devices

    /// Whether something was given to a device before, and whether its name is one that another such device had, and it had not.
    func acquaintance(with device: BridgeReport.Device) -> (isKnown: Bool, hasNamesake: Bool) {
        let (fingerprint, name) = (Self.fingerprint(of: device), Self.folded(device.info.alias))
        let last = fingerprint.flatMap { known[$0] }
        let isOwn = last.map { Self.folded($0) == name } ?? false
        return (last != nil, !isOwn && owners[name]?.contains { $0 != fingerprint } == true)
    }

    /// A name without what is not seen at a glance: the size of letters, and how many spaces there are.
    private static func folded(_ alias: String) -> String {
        alias.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }

    /// The SHA-256 of a device's certificate; nil if it names none.
    private static func fingerprint(of device: BridgeReport.Device) -> [UInt8]? {
        guard device.info.isEncrypted, let bytes = Hex.decode(device.info.fingerprint), bytes.count == 32 else {
            return nil
        }
        return bytes
    }

    /// Remembers a device whose certificate was checked.
    private func remember(_ device: BridgeReport.Device) async {
        guard let fingerprint = Self.fingerprint(of: device) else { return }
        let alias = device.info.alias
        known[fingerprint] = alias
        do {
            try await environment.store.commit { try GuestDevices.note(fingerprint, alias: alias, in: $0) }
        } catch {
            log.warning("a device can't be remembered", [("error", "\(error)")])
        }
    }
}
