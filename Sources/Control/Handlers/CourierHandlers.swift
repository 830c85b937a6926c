import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// The methods that list, name and remove couriers, and that list and drop the parcels this account keeps for friends.
@ReactorActor package struct CourierHandlers: MethodArea {
    package let base: MethodBase
    private let network: any NetworkAccess

    package init(base: MethodBase, network: any NetworkAccess) {
        self.base = base
        self.network = network
    }

    package var methods: [String: Method] {
        [
            "courier.list": { _, _ in try await list() },
            "courier.add": { parameters, _ in try await add(account("contact", parameters)).json },
            "courier.remove": { parameters, _ in try await remove(account("contact", parameters)) },
            "courier.parcels": { _, _ in try await parcels() },
            "courier.drop": { parameters, _ in try await drop(account("contact", parameters)) },
        ]
    }

    private func list() async throws -> JSONValue {
        let own = try requireAccount().id
        return try await store.read { transaction in
            let left = try Self.outstaying(transaction)
            let named = try MailNotes.couriers(transaction).map { try Self.courier($0, left, in: transaction) }
            let namers = try MailNotes.all(transaction).compactMap { try? MailNote(trusting: $0) }
                .filter { $0.couriers.contains(own) }.map(\.account)
            let carried = try Set(namers).map { try Self.courier($0, left, in: transaction) }
            return [
                "couriers": .array(named.map(\.json)),
                "carriedFor": .array(carried.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.map(\.json)),
            ]
        }
    }

    /// For each recipient, the number of parcels that were handed over and still have files to be taken.
    private nonisolated static func outstaying(_ transaction: ReadTransaction) throws -> [AccountID: Int] {
        let rows = try SealedFiles.outstaying(limit: Int(MessagingLimits.parcels), transaction)
        return Dictionary(grouping: rows, by: \.recipient).mapValues(\.count)
    }

    private nonisolated static func courier(
        _ account: AccountID, _ left: [AccountID: Int], in transaction: ReadTransaction
    ) throws -> Courier {
        let notes = try MailNotes.of(account, limit: PeerLimits.parcelDevices, transaction)
            .compactMap { try? MailNote(trusting: $0) }
        let kept = try Parcels.kept(ofOrFor: account, transaction).filter { $0.recipient == account }
        let files = try SealedFiles.bytes(for: account, transaction)
        return Courier(
            id: account.description, name: try name(of: account, in: transaction),
            carries: notes.isEmpty ? nil : notes.contains(where: \.carries),
            parcels: Int64(kept.count + left[account, default: 0]),
            bytes: kept.reduce(files) { $0 + $1.bytes })
    }

    private nonisolated static func name(of account: AccountID, in transaction: ReadTransaction) throws -> String {
        try transaction.contact(account)?.shownName ?? Names.placeholder(for: account)
    }

    private func add(_ account: AccountID) async throws -> Courier {
        let own = try requireAccount().id
        guard account != own else { throw ControlError(.invalid, "that is this account itself", field: "contact") }
        let courier = try await store.commit { transaction in
            guard let row = try transaction.contact(account) else {
                throw ControlError(.notFound, "there is no such contact", field: "contact")
            }
            guard row.relation == .friend else { throw MessagingError.notFriend(name: row.shownName) }
            guard
                try MailNotes.couriers(transaction).count < PeerLimits.couriers
                    || MailNotes.isCourier(account, transaction)
            else {
                throw ControlError(
                    .invalid, "there are \(PeerLimits.couriers) couriers already; take one back first",
                    field: "contact")
            }
            guard try MailNotes.name(account, in: transaction) else {
                throw ControlError(.alreadyExists, "\(row.shownName) is a courier of yours already", field: "contact")
            }
            return try Self.courier(account, Self.outstaying(transaction), in: transaction)
        }
        network.open?.couriersChanged()
        return courier
    }

    private func remove(_ account: AccountID) async throws -> JSONValue {
        _ = try requireAccount()
        try await store.commit { transaction in
            guard try MailNotes.unname(account, in: transaction) else {
                throw ControlError(
                    .notFound, "\(try Self.name(of: account, in: transaction)) is no courier of yours", field: "contact"
                )
            }
        }
        network.open?.couriersChanged()
        return [:]
    }

    private func parcels() async throws -> JSONValue {
        _ = try requireAccount()
        return try await store.read { transaction in
            let limit = ControlLimits.parcels
            let rows = try Parcels.kept(limit: limit, transaction) + SealedFiles.outstaying(limit: limit, transaction)
            let parcels = try rows.prefix(limit).map { row in
                Parcel(
                    id: row.id.description, from: row.depositor.description,
                    fromName: try Self.name(of: row.depositor, in: transaction), to: row.recipient.description,
                    toName: try Self.name(of: row.recipient, in: transaction), cameAt: row.cameAt.milliseconds,
                    until: (row.cameAt + .seconds(row.days * 24 * 3600)).milliseconds,
                    bytes: row.bytes + (try SealedFiles.bytes(of: row, transaction)))
            }
            return [
                "parcels": .array(parcels.map(\.json)), "bytes": .integer(try Parcels.sum(transaction).bytes),
            ]
        }
    }

    private func drop(_ account: AccountID) async throws -> JSONValue {
        _ = try requireAccount()
        let count = try await store.commit { transaction in
            guard try transaction.contact(account) != nil else {
                throw ControlError(.notFound, "there is no such contact", field: "contact")
            }
            return try ParcelRecords(transaction: transaction).dropAll(ofOrFor: account)
        }
        return ["dropped": .integer(Int64(count))]
    }
}
