import Foundation

@testable import Transfer

/// A folder with typical content: empty files and folders, nested ones, small and larger files.
func makeTree(_ folder: TemporaryFolder, _ name: String) throws -> String {
    let root = try folder.folder(name)
    try folder.folder(name + "/empty")
    try folder.write(name + "/nothing", [])
    try folder.write(name + "/sub/deep/er/leaf.txt", content(10, seed: 1))
    try folder.write(name + "/sub/large.bin", content(3 * TransferLimits.chunkBytes + 5, seed: 2))
    for index in 0..<30 { try folder.write(name + "/many/file \(index)", content(index * 97, seed: UInt64(index))) }
    chmod(root + "/many/file 3", 0o444)
    chmod(root + "/many/file 4", 0o000)
    chmod(root + "/empty", 0o500)
    chmod(root + "/many/file 4", 0o200)
    return root
}

/// Every path below a folder with kind, whether it is executable, time and content, for comparison.
func snapshot(_ root: String) throws -> [String: [String]] {
    var out: [String: [String]] = [:]
    let names = [""] + (try FileManager.default.subpathsOfDirectory(atPath: root))
    for name in names {
        let path = name.isEmpty ? root : root + "/" + name
        guard let status = try SystemFiles().status(path, in: AT_FDCWD) else { continue }
        // The only part of a file's mode that is transferred is whether it is executable.
        let mode = status.kind == .folder || status.mode & 0o100 != 0 ? "755" : "644"
        var line = ["\(status.kind)", mode, "\(status.modified)"]
        if status.kind == .file {
            let bytes = FileManager.default.contents(atPath: path)
            line.append(
                "\(bytes?.count ?? -1) \(bytes.map { [UInt8]($0).withUnsafeBytes { Checksum(of: $0) } } as Any)")
        }
        out[name] = line
    }
    return out
}
