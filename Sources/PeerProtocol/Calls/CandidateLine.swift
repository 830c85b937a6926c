import Basics

/// A line of a browser that begins with `candidate:`, by what it can be used for.
public enum CandidateLine: Hashable, Sendable {
    /// An address of this host.
    case usable(CallCandidate)
    /// A name that only multicast DNS knows: the browser hides the address.
    case hidden(priority: UInt32, port: UInt16)
    /// Another component, TCP, another type, or the empty line that ends a list: nothing is lost without it.
    case dropped

    /// Reads a line.
    /// - Parameter text: the line, with or without `a=` before it.
    /// - Returns: nil for a line that doesn't keep to the grammar of RFC 8839 §5.1.
    public init?(_ text: String) {
        guard text.utf8.count <= 512, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        var line = text[...]
        if line.hasPrefix("a=") { line = line.dropFirst(2) }
        if line.isEmpty || line == "candidate:" || line == "end-of-candidates" {
            self = .dropped
            return
        }
        guard line.hasPrefix("candidate:") else { return nil }
        let words = line.dropFirst("candidate:".count).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 8, words.count <= 40, words.allSatisfy({ !$0.isEmpty }),
            1...32 ~= words[0].utf8.count, words[0].utf8.allSatisfy(CallFingerprint.isICECharacter),
            let component = Self.number(words[1], 1...256), let priority = Self.number(words[3], 0...4_294_967_295),
            let port = Self.number(words[5], 0...65_535), words[6] == "typ"
        else { return nil }
        guard component == 1, words[2].lowercased() == "udp", words[7] == "host", let port = UInt16(exactly: port),
            port > 0, let priority = UInt32(exactly: priority)
        else {
            self = .dropped
            return
        }
        if let address = IPAddress(String(words[4])) {
            self = .usable(CallCandidate(priority: priority, address: address, port: port))
        } else if words[4].hasSuffix(".local"), words[4].utf8.allSatisfy(Self.isNameCharacter) {
            self = .hidden(priority: priority, port: port)
        } else {
            return nil
        }
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard 1...10 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text),
            range ~= number
        else { return nil }
        return number
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}

extension CallCandidate {
    /// The line for a browser, written again from its fields: nothing that a peer has written gets there.
    public var line: String {
        let host = "\(address.withoutScope)"
        return "candidate:1 1 udp \(priority) \(host) \(port) typ host"
    }
}

/// The addresses that a call may use: those that the daemons know, so that no peer can make a browser send anything elsewhere.
public struct CallAddresses: Sendable {
    /// The addresses of the interfaces that are in use here.
    public var own: Set<IPAddress>
    /// This host's address in the session with the device; nil without one.
    public var local: IPAddress?
    /// The addresses at which this daemon knows the device: the session's other end, and those where it was before.
    public var known: Set<IPAddress>
    /// Whether an address is in the subnet of this host's end of the session.
    public var isNear: @Sendable (IPAddress) -> Bool

    public init(
        own: Set<IPAddress> = [], local: IPAddress? = nil, known: Set<IPAddress> = [],
        isNear: @escaping @Sendable (IPAddress) -> Bool = { _ in false }
    ) {
        self.own = Set(own.map(\.withoutScope))
        self.local = local?.withoutScope
        self.known = Set(known.map(\.withoutScope))
        self.isNear = isNear
    }

    /// Returns those candidates among a window's lines that are sent to the device.
    public func sent(_ lines: [CandidateLine]) -> [CallCandidate] {
        var chosen: [CallCandidate] = []
        for line in lines {
            switch line {
            case .usable(let candidate):
                guard own.contains(candidate.address.withoutScope) else { continue }
                chosen.append(candidate)
            case .hidden(let priority, let port):
                // The window may not name its address; the session shows it to this device already.
                guard let local else { continue }
                chosen.append(CallCandidate(priority: priority, address: local, port: port))
            case .dropped: continue
            }
        }
        return Array(chosen.prefix(PeerLimits.callCandidates))
    }

    /// Returns those candidates of a device that are given to the window.
    /// - Parameter places: those of the call at which nobody knows the device, which are counted.
    func accepted(_ candidates: [CallCandidate], of account: AccountID, _ places: inout CallPlaces) -> [CallCandidate] {
        let familiar = candidates.filter { known.contains($0.address.withoutScope) }
        if !familiar.isEmpty { return familiar }
        return candidates.filter {
            isNear($0.address) && !$0.address.isLoopback && places.accept($0, of: account)
        }
    }
}
