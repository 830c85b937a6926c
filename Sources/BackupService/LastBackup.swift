import Basics
import ControlProtocol
import Runtime

/// What is kept of the last backup, in the file `last-backup` of the data directory: an object of JSON. It is not in the
/// database, so that a full disk or a locked account changes nothing, and so that it is not in backups.
struct LastBackup: Hashable {
    var account: String
    var last: BackupStatus.Last

    /// Bytes of the file: a path may have 4,096, each escaped.
    private static let fileBytes = 32 << 10

    private static func path(in directory: String) -> String { directory + "/last-backup" }

    init(account: String, last: BackupStatus.Last) {
        self.account = account
        self.last = last
    }

    /// What a backup is that was just made, or just restored.
    init(_ summary: BackupSummary) {
        account = summary.account
        last = BackupStatus.Last()
        last.madeAt = summary.madeAt
        last.path = summary.path
        last.name = ForeignText.escaped(String(summary.path.split(separator: "/").last ?? ""))
        last.bytes = summary.bytes
        last.takesPassphrase = summary.takesPassphrase
        last.takesCode = summary.takesCode
    }

    /// The one of this account; nil where none is known. It blocks.
    static func read(of account: String, in directory: String) -> BackupStatus.Last? {
        guard let bytes = try? Paths.readFile(path(in: directory), limit: fileBytes),
            let json = try? JSONParser.parse(bytes, maximumBytes: fileBytes), json["account"]?.string == account,
            let last = json["last"]
        else { return nil }
        return try? BackupStatus.Last(json: last)
    }

    /// It blocks.
    func write(in directory: String) throws(StartError) {
        let json: JSONValue = ["account": .string(account), "last": last.json]
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        try AtomicFile.write(bytes, to: Self.path(in: directory))
    }
}
