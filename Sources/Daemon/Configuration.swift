import Basics
import ControlProtocol
import Network
import Runtime
import Store

/// The values from one source (command line or file); nil where it gives none.
public struct ConfigurationLayer: Sendable, Equatable {
    package var listen: ListenPlace?
    public var discoveryPort: UInt16?
    public var interfaces: [String]?
    public var peers: [PeerAddress]?
    public var discovery: Bool?
    public var realmKeyFile: String?
    public var logLevel: LogLevel?
    public var logFormat: LogFormat?
    /// The values that the file gives settings; the command line gives them none.
    package var hostSettings: [HostSettingRow] = []
    /// Where the roster of the office is; only the file says that.
    public var roster: RosterSource?

    public init() {}

    /// The values of this layer, and those of the layer below where this one has none.
    public func over(_ below: ConfigurationLayer) -> ConfigurationLayer {
        var result = below
        result.listen = listen ?? below.listen
        result.discoveryPort = discoveryPort ?? below.discoveryPort
        result.interfaces = interfaces ?? below.interfaces
        result.peers = peers ?? below.peers
        result.discovery = discovery ?? below.discovery
        result.realmKeyFile = realmKeyFile ?? below.realmKeyFile
        result.logLevel = logLevel ?? below.logLevel
        result.logFormat = logFormat ?? below.logFormat
        result.roster = roster ?? below.roster
        // What the host forces counts, whatever the user's file says; for the rest the user's file does.
        let below = below.hostSettings.filter { row in
            row.isForced || !hostSettings.contains { $0.name == row.name }
        }
        result.hostSettings = below + hostSettings.filter { row in !below.contains { $0.name == row.name } }
        return result
    }

    /// This layer as the host's, for each of its users.
    var forAllUsers: ConfigurationLayer {
        var result = self
        result.listen = listen?.forAllUsers
        return result
    }

    /// The settings that this layer forces.
    var forced: Set<String> { Set(hostSettings.filter(\.isForced).map(\.name)) }
}

/// Why a configuration file can't be used, for the user.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

extension ConfigurationLayer {
    static let known: Set<String> = [
        "listen", "discoveryPort", "interfaces", "peers", "discovery", "realmKeyFile", "logLevel", "logFormat",
        "settings", "forced", "roster",
    ]

    /// Reads JSON with comments, trailing commas, names without quotes and single quotes. A misspelt name is an error.
    ///
    /// - Parameters:
    ///   - file: the path, for errors.
    ///   - existing: the network interfaces that this host has; without them, their names are not checked.
    ///   - takesFiles: whether received files can be put into a directory.
    /// - Throws: what is wrong, with the file, the line and the column.
    public init(
        json5 bytes: [UInt8], file: String, existing: Set<String>? = nil,
        takesFiles: (String) -> Bool = { _ in true }
    ) throws(ConfigurationError) {
        self.init()
        let reader = try ConfigurationReader(bytes, file: file)
        try reader.check(Self.known)
        if let text = try reader.read("listen", "an address, such as \"192.0.2.7:15426\"", \.string) {
            guard let place = ListenPlace(text) else {
                throw reader.error("listen", "\"\(text)\" is not an address, such as 192.0.2.7:15426 or 192.0.2.7")
            }
            listen = place
        }
        if let texts = try reader.read("peers", "a list such as [\"192.0.2.7:15426\"]", Self.strings) {
            peers = try texts.map { text throws(ConfigurationError) in
                guard let address = PeerAddress(text) else {
                    throw reader.error("peers", "\"\(text)\" is not ADDRESS:PORT; the port is 15426 mostly")
                }
                return address
            }
        }
        logLevel = try reader.word("logLevel")
        logFormat = try reader.word("logFormat")
        discoveryPort = try reader.read("discoveryPort", "a port from 1 to 65535") {
            $0.integer.flatMap(UInt16.init(exactly:)).flatMap { $0 > 0 ? $0 : nil }
        }
        interfaces = try reader.read("interfaces", "a list of names such as [\"eth0\"]") {
            Self.strings($0).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let existing, let unknown = interfaces?.first(where: { !existing.contains($0) }) {
            throw reader.error("interfaces", Self.unknown(unknown, existing))
        }
        discovery = try reader.read("discovery", "true or false", \.bool)
        realmKeyFile = try reader.read("realmKeyFile", "the path of a file", \.string)
        hostSettings = try reader.settings(takesFiles)
        roster = try reader.read("roster", "an object such as { file: \"PATH\", signer: \"kibo1…\" }") {
            guard let object = $0.object, Set(object.names) == ["file", "signer"], let file = object["file"]?.string,
                let signer = object["signer"]?.string.flatMap({ AccountID($0) })
            else { return nil }
            return RosterSource(file: file, signer: signer)
        }
    }

    /// Why a network interface can't be used, for the user.
    static func unknown(_ name: String, _ existing: Set<String>) -> String {
        "there is no network interface \(name) here; there are \(existing.sorted().joined(separator: ", "))"
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard case .array(let values) = value else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }
}

/// Reads one configuration file, and can tell where in it a mistake is.
private struct ConfigurationReader {
    private let file: String
    private let text: JSON5
    private let content: JSONObject

    init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.file = file
        text = JSON5(bytes)
        let value: JSONValue
        do { value = try JSONParser.parse(text.json) } catch {
            var (position, why) = ("1:1", "\(error)")
            if case .malformed(let text, let byte, _) = error {
                // The parser reads on until it knows that something is wrong, so the mistake is one byte back.
                (position, why) = (self.text.position(ofByte: byte - 1), text)
            }
            throw ConfigurationError(message: "\(file):\(position): not valid JSON5: \(why)")
        }
        guard case .object(let object) = value else {
            throw ConfigurationError(message: "\(file):1:1: an object is expected, between { and }")
        }
        content = object
    }

    /// An error at a name.
    func error(_ path: String..., text message: String) -> ConfigurationError {
        ConfigurationError(message: "\(file):\(text.position(ofName: path)): \(path.last ?? ""): \(message)")
    }

    func error(_ name: String, _ message: String) -> ConfigurationError { error(name, text: message) }

    /// Refuses names that are not known.
    func check(_ known: Set<String>) throws(ConfigurationError) {
        guard let unknown = content.names.sorted().first(where: { !known.contains($0) }) else { return }
        throw error(unknown, "there is no such name; known are \(known.sorted().joined(separator: ", "))")
    }

    /// Nil if the file says nothing, or null.
    func read<Value>(
        _ name: String, _ expected: String, _ meaning: (JSONValue) -> Value?
    ) throws(ConfigurationError) -> Value? {
        guard let value = content[name], !value.isNull else { return nil }
        guard let result = meaning(value) else {
            throw error(name, "\(expected) is expected, not \(value.text.prefix(64))")
        }
        return result
    }

    /// A word that names a case of an enumeration.
    func word<Word: CaseIterable & RawRepresentable<String>>(_ name: String) throws(ConfigurationError) -> Word? {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        return try read(name, "one of \(words)") { $0.string.flatMap(Word.init) }
    }

    /// The values of `settings` (defaults) and `forced`.
    func settings(_ takesFiles: (String) -> Bool) throws(ConfigurationError) -> [HostSettingRow] {
        var rows: [HostSettingRow] = []
        for (section, isForced) in [("settings", false), ("forced", true)] {
            let example = "{ \"messages.keepDays\": 30 }"
            guard let values = try read(section, "an object such as \(example)", \.object) else { continue }
            for field in values.fields.sorted(by: { $0.name < $1.name }) {
                let spec: SettingSpec
                do { spec = try SettingsCatalogue.setting(field.name) } catch {
                    throw self.error(section, field.name, text: "there is no such setting; kibo settings lists them")
                }
                if let problem = spec.problem(with: field.value) {
                    throw error(section, field.name, text: problem.message)
                }
                if spec == SettingsCatalogue.filesDownloadDirectory.spec, let path = field.value.string,
                    !takesFiles(path)
                {
                    throw error(
                        section, field.name,
                        text: "no files can be put into \(ForeignText.escaped(path)); name a directory that may be "
                            + "written to, or that can be made")
                }
                guard !rows.contains(where: { $0.name == field.name }) else {
                    throw error(section, field.name, text: "it stands under settings and under forced")
                }
                rows.append(HostSettingRow(name: field.name, value: field.value.text, isForced: isForced))
            }
        }
        return rows
    }
}
