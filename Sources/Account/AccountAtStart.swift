import Basics
import Messaging
import Runtime
import Store
import Threads

/// The account as the daemon finds it on the disk at its start.
package struct AccountAtStart: Sendable {
    /// Nil while there is no account, and while it is locked.
    package let account: LocalAccount?
    /// Nil without a passphrase.
    let sealed: SealedKeys?

    package init(account: LocalAccount? = nil) {
        self.init(account: account, sealed: nil)
    }

    private init(account: LocalAccount?, sealed: SealedKeys?) {
        self.account = account
        self.sealed = sealed
    }

    /// Opens the account's keys if they need no passphrase, or if the right one is remembered.
    package static func open(
        _ keys: StoredKeys?, of row: AccountRow?, in directory: String, log: Logger
    ) async throws -> AccountAtStart {
        guard let row else {
            // A crash has left the keys of an account that no user was told of, or the database of these keys is lost.
            if keys != nil {
                log.warning(
                    "\(directory)/keys is there, but the database knows of no account: put the database back that "
                        + "belongs to it; kibo setup makes another account, and keeps these keys beside the new ones")
            }
            return AccountAtStart()
        }
        guard let keys else {
            throw StartError.unusable(
                "\(directory)/keys is missing; put back a copy of it: without it this account can't be used")
        }
        guard keys.certificate.account == row.account, keys.certificate.device == row.device else {
            throw StartError.unusable(
                "\(directory)/keys belongs to another account than the messages beside it; put back the one that belongs to them"
            )
        }
        switch keys {
        case .plain(let account): return AccountAtStart(account: account)
        case .sealed(let sealed):
            let remembered = RememberedPassphrase(directory: directory)
            let log = log.labelled("account")
            let account = try await PlatformThread.run(name: "passphrase") {
                remembered.open(sealed) { log.warning($0) }
            }
            log.notice(account == nil ? "locked; kibo unlock opens it" : "unlocked with the remembered passphrase")
            return AccountAtStart(account: account, sealed: sealed)
        }
    }
}
