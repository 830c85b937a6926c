import Crypto
import Store

/// Puts in order what is known of people where rows are lost: in a damaged database, and in a backup that is cut.
package enum RepairedPeople {
    /// Makes the account's row again, and gives contacts without a name the one that they have until they say theirs.
    /// - Parameter certificate: says whose data these are; nil where nobody knows it any more.
    package static func mend(
        _ certificate: DeviceCertificate?, in transaction: WriteTransaction, _ report: inout RepairReport
    ) throws {
        if let certificate, try transaction.ownAccount() == nil {
            try transaction.saveOwnAccount(
                AccountRow(
                    account: certificate.account, device: certificate.device, deviceName: certificate.name,
                    displayName: certificate.name, cardVersion: transaction.wallTime.milliseconds,
                    createdAt: certificate.created))
            report.isAccountRebuilt = true
        }
        for var contact in try transaction.contacts() where contact.displayName.isEmpty {
            contact.displayName = Names.placeholder(for: contact.account)
            try transaction.save(contact)
        }
    }
}
