import Glibc
import Vocabulary

/// The settings of files: which go and come, which are taken without asking, and where they lie.
extension SettingsCatalogue {
    public static let filesAllowedTypes = SettingKey<[String]>(
        "files.allowedTypes", each: .fileType, maximum: ProtocolLimits.fileTypes,
        [
            "doc", "docx", "xls", "xlsx", "ppt", "pptx", "pdf", "txt", "png", "jpg", "gif", "mp3", "wav", "mp4",
            "odt", "ods", "odp", "rtf", "csv", "md", "webp", "avif", "heic", "bmp", "tif", "m4a", "ogg", "opus", "mov",
            "webm",
        ],
        "which files are sent and received: extensions without the dot, judged by name and by content; `*` is any file")
    public static let filesMaxSendBytes = SettingKey<Int64>(
        "files.maxSendBytes", 4 << 30, in: 0...ProtocolLimits.transferBytes,
        "the largest file or folder that is sent, in bytes"
    )
    public static let filesMaxReceiveBytes = SettingKey<Int64>(
        "files.maxReceiveBytes", 4 << 30, in: 0...ProtocolLimits.transferBytes,
        "the largest file or folder that is received, in bytes; larger ones are refused")
    public static let filesAutoDownload = SettingKey<DownloadSenders>(
        "files.autoDownload", .friends,
        "whose files are taken without asking: nobody's (`never`), those of `verified` friends, or those of all "
            + "`friends`")
    public static let filesAutoDownloadKinds = SettingKey<[AttachmentKind]>(
        "files.autoDownloadKinds", [.image, .audio, .document], "which kinds of files are taken without asking")
    public static let filesAutoDownloadMaxBytes = SettingKey<Int64>(
        "files.autoDownloadMaxBytes", 16 << 20, in: 0...ProtocolLimits.transferBytes,
        "the largest file or folder that is taken without asking, in bytes")
    public static let filesAutoDownloadDailyBytes = SettingKey<Int64>(
        "files.autoDownloadDailyBytes", 256 << 20, in: 0...ProtocolLimits.transferBytes,
        "how much is taken from one contact per day without asking, in bytes; further files wait until you take them")
    public static let filesAutoDownloadOnMetered = SettingKey<Bool>(
        "files.autoDownloadOnMetered", false,
        "take files without asking even when NetworkManager says that the connection is metered")
    public static let filesDownloadDirectory = SettingKey<String>(
        "files.downloadDirectory", .path, usualDownloadDirectory,
        note: "Kibo in the user's folder for downloads (XDG_DOWNLOAD_DIR, user-dirs.dirs), else ~/Downloads/Kibo",
        "where received files go unless you choose another folder")
    public static let filesFolders = SettingKey<[String]>(
        "files.folders", each: .folderRule, maximum: ProtocolLimits.folderRules, [],
        "friends whose files are all taken without asking, and the folder they go to: `WHO=/FOLDER`, where WHO is a "
            + "friend's account id, or `*` for every friend without a line of their own; if a friend has several "
            + "lines, the last one counts. This overrides `files.autoDownload` and its limits, but not a contact's "
            + "`never`. A missing folder is not created: offers wait")
    public static let filesFreeSpaceReserveBytes = SettingKey<Int64>(
        "files.freeSpaceFloorBytes", 256 << 20, in: 0...ProtocolLimits.transferBytes,
        "how much of a disk must stay free, in bytes: files that would need that space are not received")

    public static let filesKeepDays = SettingKey<Int64>(
        "files.keepDays", 0, in: 0...ProtocolLimits.keepDays,
        "remove received files from the download directory when nobody has opened them for this many days; their "
            + "messages stay; 0 keeps the files")

    public static let filesKeepSentDays = SettingKey<Int64>(
        "files.keepSentDays", 30, in: 0...ProtocolLimits.keepDays,
        "remove the daemon's copy of a file that was sent from a browser this many days after its last transfer ended, "
            + "but not while a note to yourself has it; 0 keeps it as long as its message")

    static let files: [SettingSpec] = [
        filesAllowedTypes.spec, filesMaxSendBytes.spec, filesMaxReceiveBytes.spec, filesAutoDownload.spec,
        filesAutoDownloadKinds.spec, filesAutoDownloadMaxBytes.spec, filesAutoDownloadDailyBytes.spec,
        filesAutoDownloadOnMetered.spec,
        filesDownloadDirectory.spec, filesFolders.spec, filesFreeSpaceReserveBytes.spec, filesKeepDays.spec,
        filesKeepSentDays.spec,
    ]

    /// The usual directory by the daemon's environment, then by the file of xdg-user-dirs, as all programs find it.
    /// Relative paths don't count.
    private static var usualDownloadDirectory: String {
        let home = home
        let named = path("XDG_DOWNLOAD_DIR")
        let file = (path("XDG_CONFIG_HOME") ?? home + "/.config") + "/user-dirs.dirs"
        let folder = named ?? UserDirectories.downloads(inFile: file, home: home) ?? home + "/Downloads"
        return (folder.hasSuffix("/") ? String(folder.dropLast()) : folder) + "/Kibo"
    }

    private static func path(_ variable: String) -> String? {
        environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static var home: String {
        if let home = environment("HOME"), home.hasPrefix("/") { return home == "/" ? "" : home }
        guard let entry = getpwuid(getuid()) else { return "" }
        return String(cString: entry.pointee.pw_dir)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}
