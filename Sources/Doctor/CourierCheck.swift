import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store

/// Whether friends keep messages for this account while it is away, and whether any would for friends of its own.
struct CourierCheck: Sendable {
    let own: AccountID
    let store: Store

    /// What is known of couriers.
    struct Found: Sendable {
        /// The couriers of this account: those that keep messages, that don't, and that haven't said.
        var keep: [String] = []
        var refuse: [String] = []
        var unknown: [String] = []
        /// Friends who have named couriers. None of these couriers is both a friend of ours and ready to keep messages.
        var without: [String] = []
    }

    func look() async -> DoctorCheck {
        let own = own
        let check = try? await store.read { Self.check(try Self.find(own: own, in: $0)) }
        return check ?? .good("couriers", .couriersNone)
    }

    static func find(own: AccountID, in transaction: ReadTransaction) throws -> Found {
        var notes: [AccountID: [MailNote]] = [:]
        for bytes in try MailNotes.all(transaction) {
            guard let note = try? MailNote(trusting: bytes) else { continue }
            notes[note.account, default: []].append(note)
        }
        func carries(_ account: AccountID) -> Bool { notes[account]?.contains(where: \.carries) == true }
        func name(_ account: AccountID) throws -> String {
            try transaction.contact(account)?.shownName ?? Names.placeholder(for: account)
        }
        var found = Found()
        for courier in try MailNotes.couriers(transaction) {
            let called = try name(courier)
            if notes[courier] == nil {
                found.unknown.append(called)
            } else if carries(courier) {
                found.keep.append(called)
            } else {
                found.refuse.append(called)
            }
        }
        for (friend, said) in notes {
            let couriers = Set(said.flatMap(\.couriers)).subtracting([own])
            guard !couriers.isEmpty,
                try !couriers.contains(where: { courier in
                    try carries(courier) && transaction.contact(courier)?.relation == .friend
                })
            else { continue }
            found.without.append(try name(friend))
        }
        found.without.sort()
        return found
    }

    static func check(_ found: Found) -> DoctorCheck {
        var check = DoctorCheck(name: "couriers", ok: found.refuse.isEmpty, findings: [])
        func add(_ finding: DoctorFinding, _ names: [String]) {
            guard !names.isEmpty else { return }
            check.findings.append(.init(finding, ["names": .strings(Array(names.prefix(DoctorLimits.shownNames)))]))
        }
        add(.couriersKeep, found.keep)
        add(.couriersRefuse, found.refuse)
        add(.couriersUnknown, found.unknown)
        if check.findings.isEmpty { check.findings.append(.init(.couriersNone)) }
        add(.friendsWithoutCourier, found.without)
        if !check.ok { check.advice.append(.init(.nameCourier)) }
        return check
    }
}
