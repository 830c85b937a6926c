import Basics
import Glibc

/// How a name is spelled on a disk that doesn't take it as it is.
///
/// FAT, exFAT and Windows shares take none of `: ? * " < > |`, no dot at the end, and no `CON` or `NUL`; those signs are
/// percent-encoded as in a link (`Part 1%3A The Test.txt`), which people can read and programs can turn back. eCryptfs
/// takes 143 bytes at most; a longer name is cut before its extension.
package enum DiskName {
    /// Bytes of the longest name that every common file system takes: that of eCryptfs.
    static let shortBytes = 143

    /// The spellings to try one after the other where a disk doesn't take the name; none if there is nothing to change.
    static func substitutes(_ name: String, isFolder: Bool) -> [String] {
        let encoded = encode(name)
        var names: [String] = []
        if encoded != name, encoded.utf8.count <= TransferLimits.nameBytes { names.append(encoded) }
        if encoded.utf8.count > shortBytes { names.append(shortened(encoded, isFolder: isFolder)) }
        return names
    }

    /// Whether some disk may refuse the name.
    static func isDoubtful(_ name: String) -> Bool { name.utf8.count > shortBytes || needsEncoding(name) }

    /// Whether an error may say that the disk doesn't take the name: each file system has its own.
    static func mayRefuse(_ error: FileError) -> Bool {
        ![EEXIST, ENOTEMPTY, ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE, ENOMEM, ESTALE].contains(error.code)
    }

    private static let refused: Set<UInt8> = Set(#":?*"<>|\"#.utf8)
    private static let devices: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + ["COM", "LPT"].flatMap { port in (1...9).map { "\(port)\($0)" } })

    private static func needsEncoding(_ name: String) -> Bool {
        name.utf8.contains { refused.contains($0) || $0 < 0x20 } || name.utf8.last.map(isLoose) ?? false
            || isDevice(name)
    }

    /// A dot or blank, which those disks drop at the end.
    private static func isLoose(_ byte: UInt8) -> Bool { byte == 0x2E || byte == 0x20 }

    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }
        return stem.utf8.count <= 4 && devices.contains(stem.uppercased())
    }

    /// The percent sign is encoded too, so that decoding gives the name back.
    private static func encode(_ name: String) -> String {
        guard needsEncoding(name) else { return name }
        let bytes = Array(name.utf8)
        let end = bytes.count - bytes.reversed().prefix(while: isLoose).count
        let isDevice = isDevice(name)
        var out: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isChanged =
                refused.contains(byte) || byte < 0x20 || byte == 0x25 || index >= end || isDevice && index == 0
            if isChanged { out += Array("%".utf8) + Hex.encode([byte]).uppercased().utf8 } else { out.append(byte) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Cuts a name between whole characters, and never within a percent code.
    private static func shortened(_ name: String, isFolder: Bool) -> String {
        let (stem, ext) = isFolder ? (name, "") : SafeName.split(name)
        var kept = SafeName.prefix(stem, bytes: shortBytes - ext.utf8.count)
        if let code = kept.suffix(2).lastIndex(of: "%") { kept = String(kept[..<code]) }
        // The disk may drop dots and blanks that stand at the end now.
        while let last = kept.utf8.last, isLoose(last) { kept.removeLast() }
        return (kept.isEmpty ? "_" : kept) + ext
    }
}
