import Crypto
import Glibc
import Messaging
import Runtime

/// The passphrase that the daemon finds by itself when it starts: a systemd credential, or the file `passphrase` in the data
/// directory (0600; one line, as a person could write it too).
struct RememberedPassphrase: Sendable {
    /// Where one may lie.
    enum Source: CaseIterable {
        /// `$CREDENTIALS_DIRECTORY/kibo-passphrase`, which systemd puts there (systemd.exec(5), LoadCredential and its kin).
        case credential
        case file
        /// Written before the keys were sealed again, so that a crash in between leaves one that fits.
        case next
    }

    private static let credential = "the systemd credential kibo-passphrase"

    let directory: String
    let credentials: String?

    init(directory: String, credentials: String? = Paths.environment("CREDENTIALS_DIRECTORY")) {
        self.directory = directory
        self.credentials = credentials
    }

    /// The path of a source; nil for the credential if systemd has given this process none.
    func path(_ source: Source) -> String? {
        switch source {
        case .credential: credentials.map { $0 + "/kibo-passphrase" }
        case .file: directory + "/passphrase"
        case .next: directory + "/passphrase.next"
        }
    }

    /// Nil if there is none.
    func read(_ source: Source) throws(SecretFile.Problem) -> Passphrase? {
        // systemd decides which users may read a credential; its mode may show the mask of an access list.
        guard let path = path(source),
            let bytes = try SecretFile.read(
                path, limit: CryptoLimits.passphraseBytes + 1, isOurs: source != .credential)
        else { return nil }
        // An editor ends the line.
        let hasNewline = bytes.withUnsafeBytes { $0.last == UInt8(ascii: "\n") }
        let text = bytes.withUnsafeBytes {
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast(hasNewline ? 1 : 0)))
        }
        return text.count > 0 ? Passphrase(text) : nil
    }

    /// Whether the daemon will find one at its next start.
    var isThere: Bool {
        [Source.credential, .file].contains { source in
            path(source).map { access($0, R_OK) == 0 } ?? false
        }
    }

    var hasFile: Bool { path(.file).map { access($0, F_OK) == 0 } ?? false }

    /// It blocks.
    func write(_ passphrase: Passphrase, as source: Source = .file) throws(StartError) {
        guard let path = path(source) else { return }
        let line = passphrase.withUnsafeBytes { text in
            SecretBytes(count: text.count + 1) { line in
                line.copyMemory(from: text)
                line[text.count] = UInt8(ascii: "\n")
            }
        }
        try line.withUnsafeBytes { (line) throws(StartError) in try AtomicFile.write(line, to: path) }
    }

    /// Puts the passphrase that was written before the keys in place of the old one. It blocks.
    func adoptNext() throws(StartError) {
        guard let next = path(.next), let file = path(.file) else { return }
        try AtomicFile.move(next, to: file)
    }

    func removeNext() {
        if let next = path(.next) { AtomicFile.remove(next) }
    }

    /// Removes the file. A credential belongs to systemd and stays. It blocks.
    func forget() {
        if let file = path(.file) { AtomicFile.remove(file) }
        removeNext()
    }

    /// Tries each remembered passphrase on the keys. It takes about a second for each, so call it on a thread that may
    /// block.
    /// - Parameter report: gets a sentence for each passphrase that doesn't open them.
    func open(_ keys: SealedKeys, report: (String) -> Void) -> LocalAccount? {
        for source in Source.allCases {
            guard let path = path(source) else { continue }
            do {
                guard let passphrase = try read(source) else {
                    if source == .credential, access(path, F_OK) == 0 { report("\(Self.credential) is empty") }
                    continue
                }
                let account = try keys.open(with: passphrase)
                if source == .next { try? adoptNext() }
                if source == .file { removeNext() }
                return account
            } catch let problem as SecretFile.Problem {
                report("\(path) is not used: \(problem.text)")
            } catch Keystore.Failure.wrongPassphrase {
                // Only the maker of the credential can replace it; the daemon's own file goes beside it.
                report(
                    source == .credential
                        ? "\(Self.credential) is not the passphrase of this account: seal the right one with systemd-creds, or "
                            + "let kibo unlock --remember keep it in a file"
                        : "the passphrase in \(path) is not that of this account; kibo unlock --remember replaces it")
            } catch Keystore.Failure.outOfMemory {
                report(
                    "there is not enough memory to unlock the account: it takes \(keys.keystore.cost.kibibytes >> 10) MiB"
                )
            } catch {
                report("the account can't be unlocked: \(error)")
            }
        }
        return nil
    }
}
