import Basics

/// Asks a friend for the avatar that their card names. CBOR `{1: digest}`. Needs no receipt.
public struct AvatarRequestBody: WireBody {
    /// BLAKE2b-256 of the avatar's file.
    public let digest: [UInt8]

    public init(digest: [UInt8]) { self.digest = digest }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        digest = try BodyReader(bytes).avatarDigest(1)
    }

    /// - Throws: `.invalid` for a digest that is none.
    public func encoded() throws(WireError) -> [UInt8] {
        CBOR.map([1: .bytes(try AvatarRules.checked(digest))]).encoded()
    }
}

/// The avatar that was asked for. CBOR `{1: digest, 2: file?}`. Needs no receipt.
public struct AvatarBody: WireBody {
    /// The digest from the request.
    public let digest: [UInt8]
    /// 1 to ``PeerLimits/avatarBytes`` bytes; nil where it is not there (any more). The receiver compares it with the
    /// digest, and gives it only to a decoder that can bear a hostile picture.
    public let file: [UInt8]?

    public init(digest: [UInt8], file: [UInt8]?) {
        self.digest = digest
        self.file = file
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        digest = try body.avatarDigest(1)
        file = try body.optionalBytes(2, "file", maximum: PeerLimits.avatarBytes)
        if file?.isEmpty == true { throw .invalid(field: "file") }
    }

    /// - Throws: `.tooLong`, or `.invalid` for an empty file or a digest that is none.
    public func encoded() throws(WireError) -> [UInt8] {
        var map: CBORMap = [1: .bytes(try AvatarRules.checked(digest))]
        if let file {
            try FieldRules.bytes(file.count, "file", maximum: PeerLimits.avatarBytes)
            if file.isEmpty { throw .invalid(field: "file") }
            map[2] = .bytes(file)
        }
        return CBOR.map(map).encoded()
    }
}

private enum AvatarRules {
    static func checked(_ digest: [UInt8]) throws(WireError) -> [UInt8] {
        guard digest.count == PeerLimits.avatarDigestBytes else { throw .invalid(field: "digest") }
        return digest
    }
}

extension BodyReader {
    fileprivate func avatarDigest(_ key: UInt64) throws(WireError) -> [UInt8] {
        try AvatarRules.checked(try bytes(key, "digest", maximum: PeerLimits.avatarDigestBytes))
    }
}
