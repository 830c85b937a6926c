import ControlProtocol
import Vocabulary

/// Bytes of a terminal in, keys out. However the bytes are cut, the keys are the same; bytes that make no sense are
/// dropped.
///
/// Sequences are those of ECMA-48 as xterm uses them, and those of rxvt, the Linux console and terminals with
/// modifyOtherKeys that differ.
struct KeyDecoder {
    private enum State: Equatable {
        case ground
        /// Behind ESC; twice: Alt with a key that is a sequence itself.
        case escape(isAlt: Bool)
        /// Behind ESC [, with the parameters so far.
        case sequence([UInt8], isAlt: Bool)
        /// Behind ESC O.
        case function(isAlt: Bool)
        /// Behind ESC [ [, as the Linux console begins its function keys.
        case console
        case paste
    }

    /// A longer sequence is noise.
    private static let sequenceBytes = 32
    /// More than this of one paste is left out: it would not fit a message.
    static let pasteBytes = SharedLimits.textBytes * 2
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var state = State.ground
    private var utf8: [UInt8] = []
    private var text = ""
    private var pasted: [UInt8] = []
    /// The last bytes of a paste, in which its end is looked for.
    private var tail: [UInt8] = []
    private var keys: [Keystroke] = []

    /// Whether the bytes so far may be the beginning of something: if no more come soon, ``flush()``.
    var isWaiting: Bool { (state != .ground && state != .paste) || !utf8.isEmpty }

    /// Whether a paste has begun and not ended.
    var isPasting: Bool { state == .paste }

    /// Takes bytes in.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Keystroke] {
        for byte in bytes { ingest(byte) }
        return drain()
    }

    /// Nothing has come for a while: a lone ESC was the Escape key, and a paste whose end got lost is over.
    mutating func flush() -> [Keystroke] {
        utf8 = []
        switch state {
        case .escape: emit(.escape)
        case .paste: endPaste(removing: 0)
        case .ground, .sequence, .function, .console: break
        }
        state = .ground
        return drain()
    }

    private mutating func drain() -> [Keystroke] {
        endText()
        defer { keys = [] }
        return keys
    }

    private mutating func emit(_ key: Keystroke) {
        endText()
        keys.append(key)
    }

    private mutating func endText() {
        if text.isEmpty { return }
        keys.append(.text(text))
        text = ""
    }

    private mutating func ingest(_ byte: UInt8) {
        switch state {
        case .ground: ground(byte)
        case .escape(let isAlt): escape(byte, isAlt)
        case .sequence(let parameters, let isAlt): sequence(byte, parameters, isAlt)
        case .function(let isAlt):
            state = .ground
            if let key = KeySequence.function(byte, isAlt: isAlt) { emit(key) }
        case .console: state = .ground
        case .paste: paste(byte)
        }
    }

    private mutating func ground(_ byte: UInt8) {
        if byte >= 0x80 {
            character(byte)
            return
        }
        utf8 = []
        switch byte {
        case 0x1B: state = .escape(isAlt: false)
        case 0x0D: emit(.enter)
        case 0x0A: emit(.newline)
        case 0x09: emit(.tab)
        case 0x08, 0x7F: emit(.backspace)
        case 0x01...0x1A: emit(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
        default: break
        }
    }

    /// A byte of a character beyond ASCII.
    private mutating func character(_ byte: UInt8) {
        if byte >= 0xC0 { utf8 = [] }
        utf8.append(byte)
        let length = utf8[0] >= 0xF0 ? 4 : utf8[0] >= 0xE0 ? 3 : utf8[0] >= 0xC0 ? 2 : 0
        if utf8.count < length { return }
        // C1 controls are no characters that people type.
        if let whole = String(validating: utf8, as: UTF8.self), length > 0,
            whole.unicodeScalars.allSatisfy({ $0.value > 0x9F })
        {
            text += whole
        }
        utf8 = []
    }

    private mutating func escape(_ byte: UInt8, _ isAlt: Bool) {
        state = .ground
        switch byte {
        case 0x1B:
            // Three in a row: the first was a key of its own.
            if isAlt { emit(.escape) }
            state = .escape(isAlt: true)
        case UInt8(ascii: "["): state = .sequence([], isAlt: isAlt)
        case UInt8(ascii: "O"): state = .function(isAlt: isAlt)
        case 0x0D, 0x0A: emit(.newline)
        case 0x08, 0x7F: emit(.alt("\u{7F}"))
        case 0x20...0x7E where KeySequence.alt.contains(byte): emit(.alt(Character(Unicode.Scalar(byte))))
        case 0x80...: ground(byte)
        // Escape, and then something quick: a letter of the next word must not get lost.
        default:
            emit(.escape)
            ground(byte)
        }
    }

    private mutating func sequence(_ byte: UInt8, _ parameters: [UInt8], _ isAlt: Bool) {
        switch byte {
        case 0x20...0x3F:
            state = parameters.count < Self.sequenceBytes ? .sequence(parameters + [byte], isAlt: isAlt) : .ground
        case UInt8(ascii: "[") where parameters.isEmpty: state = .console
        case 0x40...0x7E:
            state = .ground
            let numbers = KeySequence.numbers(parameters)
            if byte == UInt8(ascii: "~"), numbers.first == 200 {
                state = .paste
                endText()
            } else if let key = KeySequence.key(byte, numbers, isAlt: isAlt) {
                emit(key)
            }
        default:
            // Not part of any sequence: it stands for itself.
            state = .ground
            ground(byte)
        }
    }

    private mutating func paste(_ byte: UInt8) {
        if pasted.count < Self.pasteBytes + Self.pasteEnd.count { pasted.append(byte) }
        tail.append(byte)
        if tail.count > Self.pasteEnd.count { tail.removeFirst() }
        guard tail == Self.pasteEnd else { return }
        endPaste(removing: Self.pasteEnd.count)
        state = .ground
    }

    private mutating func endPaste(removing count: Int) {
        let isWhole = pasted.count < Self.pasteBytes + Self.pasteEnd.count
        let bytes = isWhole ? pasted.dropLast(count) : pasted.prefix(Self.pasteBytes)
        emit(.paste(String(decoding: bytes, as: UTF8.self)))
        pasted = []
        tail = []
    }
}
