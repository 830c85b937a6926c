import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Vocabulary

/// What couriers have to do with an item that waits for a friend: who keeps it, or why nobody does. A part of the answer of
/// `message.why`.
struct CourierStory: Sendable {
    private struct Person: Sendable {
        let account: AccountID
        let name: String
    }

    /// A parcel with the item in it that was given to a courier.
    private struct Given: Sendable {
        let row: SentParcelRow
        let courier: Person
        /// Why the courier could not take it at the last attempt, if it hasn't got it.
        let reason: Reason?
    }

    private let recipient: String
    private let given: [Given]
    /// The friends who may keep it: those that the recipient has named and who keep messages.
    private let named: [Person]
    /// The other friends that the recipient has named: those who keep nothing for others, and those who haven't said.
    private let refusing: [Person]
    private let unknown: [Person]
    /// A file of the message that isn't there yet.
    private struct File: Sendable {
        let name: String
        /// The couriers that may have it, and whether they have all of it; those that have it first.
        let couriers: [(courier: Person, hasAll: Bool)]
        /// Whether couriers may be given it.
        let mayGo: Bool
    }

    private let files: [File]

    /// - Parameter recipient: what the recipient is called here.
    /// - Returns: nil if no courier can have it, because the user wants no couriers, the recipient's key is in doubt, or
    ///   nothing is known of who may keep it; and if it belongs to a group, whose members hand it on, and no courier has it.
    static func load(
        _ item: OutboxRow, for recipient: String, in transaction: ReadTransaction
    ) throws -> CourierStory? {
        guard ParcelContent.kinds.contains(FrameKind(rawValue: item.kind)),
            let contact = try transaction.contact(item.account), contact.trust != .changed
        else { return nil }
        let parcels = try SentParcels.all(to: item.account, in: item.group, transaction)
        let given = try parcels.filter { $0.places.contains(item.seq) }.map {
            let waiting = try transaction.outboxItem($0.id, for: $0.courier)
            return Given(
                row: $0, courier: try person($0.courier, transaction),
                reason: $0.state == .onItsWay ? waiting?.reason : nil)
        }
        let notes = try notes(of: item.account, transaction)
        if given.isEmpty {
            guard item.group == nil, !notes.isEmpty, try transaction.setting(SettingsCatalogue.courierSend) else {
                return nil
            }
        }
        var (named, refusing, unknown): ([Person], [Person], [Person]) = ([], [], [])
        for account in Set(notes.flatMap(\.couriers)).sorted() {
            guard let contact = try transaction.contact(account), contact.relation == .friend,
                contact.trust != .changed
            else { continue }
            let person = Person(account: account, name: contact.shownName)
            let said = try self.notes(of: account, transaction)
            if said.isEmpty {
                unknown.append(person)
            } else if said.contains(where: \.carries) {
                named.append(person)
            } else {
                refusing.append(person)
            }
        }
        return CourierStory(
            recipient: recipient, given: given, named: named, refusing: refusing, unknown: unknown,
            files: try files(of: item.message, transaction))
    }

    private static func files(of message: UUIDv7?, _ transaction: ReadTransaction) throws -> [File] {
        guard let message else { return [] }
        let most = try transaction.setting(SettingsCatalogue.courierSendFileBytes)
        return try transaction.transfers(of: message).filter { !$0.state.isOver && $0.life.pausedBy == nil }.map {
            row in
            let couriers = try SealedFiles.couriers(of: row.id, transaction)
            return File(
                name: row.name, couriers: try couriers.map { (try person($0.courier, transaction), $0.hasAll) },
                mayGo: row.mayGoWithParcels(maximum: most))
        }
    }

    private static func person(_ account: AccountID, _ transaction: ReadTransaction) throws -> Person {
        let name = try transaction.contact(account)?.shownName ?? Names.placeholder(for: account)
        return Person(account: account, name: name)
    }

    private static func notes(of account: AccountID, _ transaction: ReadTransaction) throws -> [MailNote] {
        try MailNotes.of(account, limit: PeerLimits.parcelDevices, transaction)
            .compactMap { try? MailNote(trusting: $0) }
    }

    /// Those who may keep it.
    var candidates: [AccountID] { named.map(\.account) }

    private func about(_ courier: Person) -> JSONObject {
        ["name": .string(recipient), "courier": .string(courier.name)]
    }

    private func about(_ couriers: [Person]) -> JSONObject {
        ["name": .string(recipient), "couriers": .strings(couriers.map(\.name))]
    }

    /// When couriers got it.
    var steps: [(at: WallTime, what: Remark<StoryStep>)] {
        given.filter { $0.row.state != .onItsWay }.map { given in
            let kept = Duration.seconds(given.row.days * 24 * 3600)
            return (given.row.until + (.zero - kept), Remark(.deposited, about(given.courier)))
        }
    }

    /// Who keeps it, or will; or why nobody does.
    /// - Parameters:
    ///   - isGivenUp: whether couriers have lost so much for the recipient that they are given nothing.
    ///   - isHere: whether an account is connected.
    func states(isGivenUp: Bool, _ isHere: (AccountID) -> Bool) -> [Remark<StoryState>] {
        holders(isGivenUp: isGivenUp, isHere) + fileStates
    }

    /// Where the files are, those together that are in the same place. Nothing is said of a file that goes as its message
    /// does.
    private var fileStates: [Remark<StoryState>] {
        var states: [(code: StoryState, about: JSONObject, files: [String])] = []
        for file in files {
            guard let (code, about) = state(file) else { continue }
            if let index = states.firstIndex(where: { $0.code == code && $0.about == about }) {
                states[index].files.append(file.name)
            } else {
                states.append((code, about, [file.name]))
            }
        }
        return states.map { state in
            var about = state.about
            about["files"] = .strings(state.files)
            return Remark(state.code, about)
        }
    }

    private func state(_ file: File) -> (StoryState, JSONObject)? {
        if let best = file.couriers.first {
            let those = file.couriers.filter { $0.hasAll == best.hasAll }.map(\.courier)
            return (best.hasAll ? .fileHeld : .fileGoesToCourier, about(those))
        }
        guard !file.mayGo || given.contains(where: { $0.row.state != .onItsWay }) else { return nil }
        return (.fileWaitsForBoth, ["name": .string(recipient)])
    }

    private func holders(isGivenUp: Bool, _ isHere: (AccountID) -> Bool) -> [Remark<StoryState>] {
        let taken = given.filter { $0.row.state != .onItsWay }
        if !taken.isEmpty { return taken.map(state) }
        if !given.isEmpty { return given.map(state) }
        if isGivenUp { return [Remark(.couriersGivenUp, ["name": .string(recipient)])] }
        guard !named.isEmpty else { return nobody }
        if let courier = named.first(where: { isHere($0.account) }) {
            return [Remark(.goesToCourier, about(courier))]
        }
        return [Remark(.couriersAway, about(named))]
    }

    /// Why none of those that the recipient has named may keep it.
    private var nobody: [Remark<StoryState>] {
        var states: [Remark<StoryState>] = []
        if !refusing.isEmpty { states.append(Remark(.couriersRefuse, about(refusing))) }
        if !unknown.isEmpty { states.append(Remark(.couriersUnknown, about(unknown))) }
        return states.isEmpty ? [Remark(.noCourier, ["name": .string(recipient)])] : states
    }

    private func state(_ given: Given) -> Remark<StoryState> {
        var about = about(given.courier)
        switch given.row.state {
        case .kept:
            about["until"] = .integer(given.row.until.milliseconds)
            return Remark(.held, about)
        case .handedOver: return Remark(.broughtOver, about)
        case .onItsWay: return Remark(given.reason == .noSpace ? .courierFull : .goesToCourier, about)
        }
    }
}
