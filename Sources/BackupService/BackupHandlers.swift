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
                return try await backups.create(parameters.string("path"), try opening(parameters)).json
            },
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

    /// The request keeps its own copy of the text, which can't be erased (decision 0018).
    private func opening(_ parameters: Parameters) throws -> BackupOpening {
        let text = parameters.string("passphrase")
        guard !text.isEmpty else {
            throw ControlError(.invalid, "the passphrase is empty", hint: .givePassphrase, field: "passphrase")
        }
        return .passphrase(Passphrase(text))
    }
}
