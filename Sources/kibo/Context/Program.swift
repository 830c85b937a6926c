import CLinux
import Glibc

/// Runs other programs.
enum Program {
    /// The first of these programs that is there.
    /// - Parameter places: paths from the folder of this program.
    static func find(_ places: [String]) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return places.map { folder + "/" + $0 }.first { access($0, X_OK) == 0 }
    }

    /// Runs a program on this terminal to its end: its exit status, or minus the error number.
    static func run(_ program: String, _ words: [String]) -> CInt {
        with([program] + words) { kibo_run_in_foreground(program, $0) }
    }

    /// Starts a program that lives on: whether it was started.
    static func detach(_ program: String, _ words: [String]) -> Bool {
        with([program] + words) { kibo_spawn_detached(program, $0) > 0 }
    }

    private static func with<Result>(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) }
        arguments.append(nil)
        defer { for text in arguments { free(text) } }
        return body(arguments)
    }
}
