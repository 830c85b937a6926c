import Glibc

/// The files of the page, read before confinement: `index.html`, and `assets/` beside it.
struct Assets {
    /// One file, ready to be sent.
    struct Asset {
        let type: String
        let bytes: [UInt8]
    }

    private(set) var page: Asset?
    private(set) var files: [String: Asset] = [:]

    /// Where the page lies if no directory is named: `share/kibo/web` beside the program, or where it is installed.
    static func directory(beside program: String) -> String? {
        guard let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        let places = ["/share/kibo/web", "/../share/kibo/web", "/../../share/kibo/web"]
        return places.map { folder + $0 }.first { access($0 + "/index.html", R_OK) == 0 }
    }

    /// - Parameter directory: nil: there is no page.
    init(directory: String?) {
        guard let directory, let index = Self.read(directory + "/index.html", limit: WebLimits.assetBytes) else {
            return
        }
        page = Asset(type: "text/html; charset=utf-8", bytes: index)
        var left = WebLimits.assetBytes - index.count
        for name in Self.names(in: directory + "/assets").sorted().prefix(WebLimits.assetFiles) {
            guard Route.isAssetName(name), let type = Self.type(of: name),
                let bytes = Self.read(directory + "/assets/" + name, limit: left)
            else { continue }
            left -= bytes.count
            files[name] = Asset(type: type, bytes: bytes)
        }
    }

    /// What is shown where no page is installed. It has no script, so that the policy needs no exception.
    static let missing = Asset(
        type: "text/html; charset=utf-8",
        bytes: Array(
            """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Kibo</title>
            <h1>The page of Kibo is not installed</h1>
            <p>The gateway runs, but the files of the page are missing. They belong into share/kibo/web beside the programs;
            scripts/build and scripts/install put them there.</p></html>

            """.utf8))

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "txt": "text/plain; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "wasm": "application/wasm"
        default: nil
        }
    }

    private static func names(in directory: String) -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else { return nil }
        return FileBytes.all(of: file, limit: limit)
    }
}

/// Whole files.
enum FileBytes {
    /// Nil if it can't be read or is longer than the limit.
    static func all(of file: CInt, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = pread(file, &buffer, buffer.count, off_t(bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }
}
