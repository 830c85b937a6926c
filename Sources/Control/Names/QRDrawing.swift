import CQREncode
import ControlProtocol

/// QR codes (ISO/IEC 18004) as text: half blocks, with two rows of a code in each line, and the white rim of four that
/// scanners need. Filled blocks are dark, which is right for dark letters on a light ground.
enum QRDrawing {
    private static let rim = 4

    /// A link as a code that fits a terminal. If necessary it loses its name, and then its further addresses.
    static func text(of link: ContactLink) throws -> String {
        var link = link
        while true {
            if let modules = modules(of: link.text), modules.count + 2 * rim <= ControlLimits.codeColumns {
                return draw(modules)
            }
            if link.name != nil {
                link.name = nil
            } else if !link.addresses.isEmpty {
                link.addresses.removeLast()
            } else {
                throw ControlError(.internal, "the code can't be drawn")
            }
        }
    }

    /// A short text as a code that stands on paper for years.
    static func text(ofCode text: String) throws -> String {
        // A code with upper case and digits only is smaller, so that there is room for a level of repair that paper needs.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1), let modules = modules(of: code)
        else { throw ControlError(.internal, "the code can't be drawn") }
        return draw(modules)
    }

    /// The rows of a code, true for dark; nil if there is no memory or the text is too long for any code.
    static func modules(of text: String) -> [[Bool]]? {
        let bytes = Array(text.utf8)
        guard let count = CInt(exactly: bytes.count), let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L) else {
            return nil
        }
        return modules(of: code)
    }

    /// Frees the code.
    private static func modules(of code: UnsafeMutablePointer<QRcode>) -> [[Bool]]? {
        defer { QRcode_free(code) }
        guard let data = code.pointee.data, let width = Int(exactly: code.pointee.width) else { return nil }
        // The lowest bit of each byte says whether the module is dark (qrencode.h).
        return (0..<width).map { row in (0..<width).map { data[row * width + $0] & 1 == 1 } }
    }

    static func draw(_ modules: [[Bool]]) -> String {
        let width = modules.count + 2 * rim
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - rim, column - rim)
            guard modules.indices.contains(row), modules[row].indices.contains(column) else { return false }
            return modules[row][column]
        }
        return stride(from: 0, to: width, by: 2).map { row in
            String(
                (0..<width).map { column -> Character in
                    switch (isDark(row, column), isDark(row + 1, column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }.joined(separator: "\n")
    }
}
