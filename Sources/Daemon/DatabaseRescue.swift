import Account
import Basics
import Messaging
import Network
import Runtime
import Store
import Vocabulary

/// `kibod --repair`: saves what can be read of a damaged database, and tells the user what became of it.
struct DatabaseRescue {
    let directory: DataDirectory

    /// What to tell the user.
    struct Outcome {
        var text: String
        /// Whether a daemon can go on with the data.
        var isUsable: Bool
    }

    /// Blocks for as long as it takes.
    func run() throws(StartError) -> Outcome {
        let keys: Result<StoredKeys?, StartError>
        do throws(StartError) { keys = .success(try KeyFile.load(from: directory.path)) } catch {
            keys = .failure(error)
        }
        let certificate = (try? keys.get())??.certificate
        let report: RepairReport?
        do {
            report = try Store.repair(directory: directory.path, clocks: SystemClocks()) { transaction, report in
                try RepairedPeople.mend(certificate, in: transaction, &report)
                try transaction.messageOrderChanged()
                if let own = try transaction.ownAccount()?.account {
                    try RepairedGroups(own: own, choices: .stored, transaction).mend(&report)
                }
            }
        } catch StoreError.full {
            throw .failed(
                "there is no room for a new database beside the damaged one; free about as many bytes as \(directory.path)/\(Store.fileName) has, and begin again. Nothing was changed"
            )
        } catch StoreError.corrupt(let detail) {
            throw .failed(
                "nothing can be saved of \(directory.path)/\(Store.fileName): \(detail). It was not changed; the way back is a copy of the data"
            )
        } catch {
            throw .failed("the repair did not come to its end, and nothing was changed: \(error)")
        }
        var outcome = Outcome(
            text: report.map { RescueWords.text($0) } ?? "The database is sound: there is nothing to repair.\n",
            isUsable: true)
        switch keys {
        case .success(nil):
            outcome.text +=
                "\nThe file of keys is missing: \(directory.path)/keys. Without it this account can't be used; put back a copy of it.\n"
            outcome.isUsable = false
        case .failure(let error):
            outcome.text += "\nThe keys of this account can't be read: \(error.message).\n"
            outcome.isUsable = false
        case .success: break
        }
        return outcome
    }
}
