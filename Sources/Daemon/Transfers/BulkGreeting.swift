import Basics
import Store
import Transfer

/// What somebody who dialled a bulk connection wants. Blocking, on the transfer's thread.
enum BulkGreeting {
    /// Reads the request and looks whether the account may have what it asks for; says why not, if not.
    static func read(
        _ connection: BulkConnection, from account: AccountID, store: Store
    ) throws -> (request: OpenRequest, plan: SendPlan) {
        guard case .open(let request) = try connection.receiveGreeting() else {
            connection.reject(.unsupported, detail: "this version fetches by itself")
            throw TransferFailure.invalid("a greeting that this version doesn't serve")
        }
        do {
            let plan = try TransferRecords.sendPlan(request.transfer, to: account, from: store)
            return (request, plan)
        } catch {
            let failure = error as? TransferFailure
            connection.reject(failure?.reason ?? .internalError, detail: failure?.detail ?? "")
            throw error
        }
    }
}
