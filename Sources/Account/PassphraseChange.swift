import Crypto
import Runtime

/// The change from one passphrase (or none) to another (or none), in steps. Each step leaves a state that the next start
/// understands: the keys open with the old or the new passphrase, and the remembered passphrase fits the keys.
struct PassphraseChange: Sendable {
    enum Step: CaseIterable {
        /// Writes the new remembered passphrase beside the old one.
        case prepareRemembered
        /// From this moment on the new passphrase is valid.
        case replaceKeys
        case finishRemembered
    }

    let directory: String
    let remembered: RememberedPassphrase
    /// The keys under the new passphrase.
    let keys: StoredKeys
    /// Nil for none.
    let passphrase: Passphrase?
    let isRemembered: Bool

    init(to keys: StoredKeys, _ passphrase: Passphrase?, in directory: String, remembered: RememberedPassphrase) {
        self.directory = directory
        self.remembered = remembered
        self.keys = keys
        self.passphrase = passphrase
        isRemembered = remembered.hasFile
    }

    /// Takes all steps. It blocks.
    /// - Throws: what went wrong before the keys were replaced; then nothing has changed.
    /// - Returns: what went wrong after the keys were replaced, in words; nil if nothing did. Either way the new
    ///   passphrase is valid, and the next start finishes the change.
    func run() throws(StartError) -> String? {
        do {
            try perform(.prepareRemembered)
            try perform(.replaceKeys)
        } catch {
            if isRemembered { remembered.removeNext() }
            throw error
        }
        do { try perform(.finishRemembered) } catch { return error.message }
        return nil
    }

    func perform(_ step: Step) throws(StartError) {
        switch step {
        case .prepareRemembered:
            if isRemembered, let passphrase { try remembered.write(passphrase, as: .next) }
        case .replaceKeys: try KeyFile.save(keys, in: directory)
        case .finishRemembered:
            if passphrase == nil { remembered.forget() } else if isRemembered { try remembered.adoptNext() }
        }
    }
}
