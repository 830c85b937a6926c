import Basics
import ControlProtocol

/// JSON for `--json`.
enum JSONOutput {
    /// One line. Characters that could play with a terminal (C1 controls, bidirectional controls) are written as
    /// `\uXXXX`, which means the same to a parser.
    static func text(_ value: JSONValue) -> String {
        let text = value.text
        guard text.unicodeScalars.contains(where: { ForeignText.isHostile($0, multiline: false) }) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            if ForeignText.isHostile(scalar, multiline: false) {
                for unit in String(scalar).utf16 {
                    let hex = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
