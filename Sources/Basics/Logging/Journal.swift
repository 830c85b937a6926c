import Glibc

/// The journal of systemd as the reader of standard error.
public enum Journal {
    /// Whether what is written to this descriptor goes into the journal. `JOURNAL_STREAM` names its device and inode
    /// (systemd.exec(5)). The variable alone says nothing: a program that a unit has started may write elsewhere.
    public static func reads(_ descriptor: CInt) -> Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }
}

extension LogLevel {
    /// The beginning of a line that gives it this priority in the journal, such as `<4>` (sd-daemon(3)).
    public var journalPrefix: String {
        switch self {
        case .error: "<3>"
        case .warning: "<4>"
        case .notice: "<5>"
        case .info: "<6>"
        case .debug, .trace: "<7>"
        }
    }
}
