import Control
import ControlProtocol
import Crypto
import Reactor
import Runtime

/// The methods of backups.
@ReactorActor package struct BackupHandlers: MethodArea {
    package let base: MethodBase
    package let needsAccount = false
    private let backups: BackupService

    package init(base: MethodBase, backups: BackupService) {
        self.base = base
        self.backups = backups
    }

    package var methods: [String: Method] {
        [
            "backup.create": { parameters, _ in
                _ = try requireAccount()
                return try await backups.create(parameters.string("path"), try newPassphrase(parameters)).json
            },
            "backup.rotate": { parameters, _ in
                _ = try requireAccount()
                let (summary, removed) = try await backups.rotate(
                    parameters.string("directory"), keep: Int(clamping: parameters.integer("keep")))
                return ["backup": summary.json, "removed": .integer(Int64(removed))]
            },
            "backup.status": { _, _ in try await backups.status().json },
            "backup.check": { parameters, _ in
                try await backups.check(parameters.string("path"), try opening(parameters)).json
            },
            "backup.restore": { parameters, _ in
                try await backups.restore(
                    parameters.string("path"), try opening(parameters), evenIfCut: parameters.bool("evenIfCut")
                ).json
            },
        ]
    }

    /// What somebody has typed who wants to open a backup: its passphrase, or the account's recovery code. The request keeps its
    /// own copy of the text, which can't be erased (decision 0018).
    private func opening(_ parameters: Parameters) throws -> BackupOpening {
        let text = try text(parameters)
        guard RecoveryCode.isMeant(text) else { return .passphrase(Passphrase(text)) }
        do { return .code(try RecoveryCode.key(text)) } catch {
            throw ControlError(
                recoveryCode: error, field: "passphrase", ["path": .string(parameters.string("path"))])
        }
    }

    private func newPassphrase(_ parameters: Parameters) throws -> Passphrase {
        let text = try text(parameters)
        guard !RecoveryCode.isMeant(text) else {
            throw ControlError(
                .invalid, "a recovery code can't be a backup's passphrase: choose another one", field: "passphrase")
        }
        return Passphrase(text)
    }

    private func text(_ parameters: Parameters) throws -> String {
        let text = parameters.string("passphrase")
        guard !text.isEmpty else {
            throw ControlError(.invalid, "the passphrase is empty", hint: .givePassphrase, field: "passphrase")
        }
        return text
    }
}
