import Account
import Backup
import Basics
import Crypto
import Glibc
import Runtime

/// A folder in which a daemon keeps the newest backups of its account. A file there is this daemon's if its name says so and
/// its head is that of a backup; nothing else is ever touched.
///
///     kibo1qy3zyg3zyg3zyg3z-desk-20261128T033000Z.kibo
final class BackupFolder {
    private static let suffix = ".kibo"
    /// Characters of the account that are in a name: no two accounts have the same ones by chance.
    private static let accountCharacters = 21
    private static let hostCharacters = 32
    private static let secondsTried = 60

    let path: String
    private let folder: CInt
    /// Account and host, with which all names begin.
    private let prefix: String

    /// Opens a folder.
    /// - Throws: ``FolderProblem``.
    init(path: String, account: AccountID, host: String = AccountKeeper.deviceName()) throws {
        // With a slash behind it a link would be followed.
        let path = path.count > 1 ? String(path.reversed().drop { $0 == "/" }.reversed()) : path
        folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            var status = stat()
            let code = errno
            let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
            throw isLink ? FolderProblem.link(path) : .refused(path, code)
        }
        self.path = path
        prefix = Self.prefix(account, host)
        guard faccessat(folder, ".", W_OK | X_OK, 0) == 0 else { throw FolderProblem.refused(path, errno) }
    }

    deinit { close(folder) }

    static func prefix(_ account: AccountID, _ host: String) -> String {
        let letters = host.lowercased().unicodeScalars.map { scalar -> Character in
            scalar.isASCII && scalar.properties.isAlphabetic || "0"..."9" ~= scalar ? Character(scalar) : "-"
        }
        return "\(account.description.prefix(accountCharacters))-\(String(letters.prefix(hostCharacters)))-"
    }

    /// A name that no file here has: that of this second, or of one of the next.
    func newPath(at time: WallTime) throws -> String {
        for second in 0..<Self.secondsTried {
            let name = prefix + Self.stamp(time, plus: second) + Self.suffix
            var status = stat()
            if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT { return path + "/" + name }
        }
        throw FileProblem(EEXIST)
    }

    private static func stamp(_ time: WallTime, plus seconds: Int) -> String {
        var clock = time_t(time.milliseconds / 1000) + seconds
        var parts = tm()
        gmtime_r(&clock, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the oldest backups of this daemon, and what a daemon has left that was killed while it made one.
    /// - Parameters:
    ///   - new: stays, whatever the clock said when it was made.
    ///   - keep: how many stay, the new one among them.
    /// - Returns: how many are gone.
    func prune(keep: Int, new: String) -> Int {
        let names = self.names()
        let newName = new.split(separator: "/").last.map(String.init)
        for part in names where part.hasSuffix(".part") && isOurs(String(part.dropLast(5))) && isBackup(part) {
            unlinkat(folder, part, 0)
        }
        let others = names.filter { $0 != newName && isOurs($0) && isBackup($0) }.sorted(by: >)
        return others.dropFirst(keep - 1).reduce(0) { $0 + (unlinkat(folder, $1, 0) == 0 ? 1 : 0) }
    }

    private func names() -> [String] {
        let again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard again >= 0 else { return [] }
        guard let list = fdopendir(again) else {
            close(again)
            return []
        }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(validatingCString: $0) }
            }
            if let name { names.append(name) }
        }
        return names
    }

    /// Whether a name is one that this daemon gives.
    private func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
        let stamp = Array(name.utf8.dropFirst(prefix.utf8.count).dropLast(Self.suffix.utf8.count))
        return stamp.count == 16
            && stamp.enumerated().allSatisfy { place, byte in
                switch place {
                case 8: byte == UInt8(ascii: "T")
                case 15: byte == UInt8(ascii: "Z")
                default: UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                }
            }
    }

    /// Whether a name leads to a file that begins as a backup does, or to an empty one.
    private func isBackup(_ name: String) -> Bool {
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return false }
        defer { close(file) }
        return BackupFile.mayBeReplaced(file)
    }
}
