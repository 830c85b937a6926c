import Basics
import Glibc

/// The user's folders as xdg-user-dirs keeps them, in `user-dirs.dirs`. The file is a list of assignments that a shell
/// could read; only lines that xdg-user-dir itself understands count.
enum UserDirectories {
    /// Bytes of the file that are read: it has eight lines.
    private static let most = 64 << 10

    /// The folder for downloads; nil if the file is missing or names none.
    static func downloads(inFile path: String, home: String) -> String? {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < most {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(validating: bytes, as: UTF8.self).flatMap { downloads(in: $0, home: home) }
    }

    /// Reads the text as xdg-user-dir does: `XDG_DOWNLOAD_DIR="/path"` or `"$HOME/path"`, where a backslash takes the
    /// next character as it is; the last such line counts. If the folder is the home itself, that counts too, as in
    /// other programs.
    static func downloads(in text: String, home: String) -> String? {
        text.split(whereSeparator: \.isNewline).lazy.compactMap { folder(in: $0, home: home) }.last
    }

    private static func folder(in line: Substring, home: String) -> String? {
        var rest = line.drop { $0 == " " || $0 == "\t" }
        for word in ["XDG_DOWNLOAD_DIR", "=", "\""] {
            guard rest.hasPrefix(word) else { return nil }
            rest = rest.dropFirst(word.count)
            if word != "\"" { rest = rest.drop { $0 == " " || $0 == "\t" } }
        }
        var folder = ""
        if rest.hasPrefix("$HOME/") || rest.hasPrefix("$HOME\"") {
            rest = rest.dropFirst("$HOME".count)
            folder = home
        } else if !rest.hasPrefix("/") {
            return nil
        }
        while let sign = rest.popFirst(), sign != "\"" {
            let isEscape = sign == "\\" && !rest.isEmpty
            folder.append(isEscape ? rest.removeFirst() : sign)
        }
        return folder.isEmpty || folder.contains("\0") ? nil : folder
    }
}
