import Glibc

/// The paths of the built programs.
public enum ProgramPaths {
    /// `$KIBO_BIN_DIR`, else the directory of the running program, since SwiftPM builds all programs into one
    /// directory.
    public static var directory: String {
        if let directory = getenv("KIBO_BIN_DIR") { return String(cString: directory) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
    }

    /// The daemon's path.
    public static var kibod: String { directory + "/kibod" }
    /// The path of the program that reads media files for the daemon.
    public static var media: String { directory + "/kibo-media" }
    /// The command line's path.
    public static var kibo: String { directory + "/kibo" }
}
