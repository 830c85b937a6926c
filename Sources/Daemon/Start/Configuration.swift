import Basics
import FoundationEssentials
import Messaging
import Network
import Runtime

/// What one source (command line or file) says; nil where it says nothing.
public struct ConfigurationLayer: Sendable, Equatable {
    public var listen: SocketAddress?
    public var discoveryPort: UInt16?
    public var interfaces: [String]?
    public var peers: [PeerAddress]?
    public var discovery: Bool?
    public var realmKeyFile: String?
    public var logLevel: LogLevel?
    public var logFormat: LogFormat?

    public init() {}

    /// This layer where it says something, else the one below.
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
        return result
    }
}

/// A configuration file that can't be used, in words for a person.
public struct ConfigurationError: Error, Equatable {
    public let message: String
}

extension ConfigurationLayer {
    /// The names that the file may hold.
    private struct File: Decodable {
        var listen: String?
        var discoveryPort: Int?
        var interfaces: [String]?
        var peers: [String]?
        var discovery: Bool?
        var realmKeyFile: String?
        var logLevel: String?
        var logFormat: String?
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Names: Decodable {
        var names: [String]
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        }
    }

    static let known: Set<String> = [
        "listen", "discoveryPort", "interfaces", "peers", "discovery", "realmKeyFile", "logLevel", "logFormat",
    ]

    /// Reads JSON5: JSON with comments, trailing commas and bare keys. A misspelt key is an error, not a surprise.
    public init(json5 bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.init()
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let data = Data(bytes)
        let content: File
        do {
            let names = try decoder.decode(Names.self, from: data).names
            if let unknown = names.sorted().first(where: { !Self.known.contains($0) }) {
                throw ConfigurationError(
                    message: "\(file): unknown key \(unknown); known are \(Self.known.sorted().joined(separator: ", "))"
                )
            }
            content = try decoder.decode(File.self, from: data)
        } catch let error as ConfigurationError {
            throw error
        } catch DecodingError.typeMismatch(_, let context) {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw ConfigurationError(message: "\(file): \(path) has a value of the wrong type")
        } catch {
            throw ConfigurationError(message: "\(file): not valid JSON5")
        }
        func invalid(_ key: String, _ value: String) -> ConfigurationError {
            ConfigurationError(message: "\(file): \(key): \(value) is not valid")
        }
        if let text = content.listen {
            guard let address = SocketAddress(text) else { throw invalid("listen", text) }
            listen = address
        }
        if let texts = content.peers {
            var parsed: [PeerAddress] = []
            for text in texts {
                guard let address = PeerAddress(text) else {
                    throw ConfigurationError(
                        message: "\(file): peers: \(text) is not ADDRESS:PORT; the port is 15426 mostly")
                }
                parsed.append(address)
            }
            peers = parsed
        }
        if let text = content.logLevel {
            guard let level = LogLevel(rawValue: text) else { throw invalid("logLevel", text) }
            logLevel = level
        }
        if let text = content.logFormat {
            guard let format = LogFormat(rawValue: text) else { throw invalid("logFormat", text) }
            logFormat = format
        }
        if let number = content.discoveryPort {
            guard let port = UInt16(exactly: number), port > 0 else { throw invalid("discoveryPort", "\(number)") }
            discoveryPort = port
        }
        if content.interfaces == [] { throw invalid("interfaces", "an empty list") }
        interfaces = content.interfaces
        discovery = content.discovery
        realmKeyFile = content.realmKeyFile
    }
}
