import Basics
import ControlProtocol
import Crypto

/// A roster as the text of a file: JSON that people can read, with the signature as hex digits.
extension Roster {
    /// Why the text of a file is no roster, for the user.
    package struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        package let message: String

        package var description: String { message }
    }

    /// The text of a file.
    package var text: String {
        let lines = members.map { member in
            let json: JSONObject = ["account": .string("\(member.account)"), "name": .string(member.name)]
            return "    " + JSONValue.object(json).text
        }
        return """
            {
              "kiboRoster": 1,
              "version": \(version),
              "members": [
            \(lines.joined(separator: ",\n"))
              ],
              "signer": "\(signer)",
              "signature": "\(Hex.encode(signature))"
            }

            """
    }

    /// Reads the text of a file, and checks the signature.
    /// - Parameter signer: the account that must have signed it; nil for the one that it names.
    package init(text: [UInt8], signer: AccountID? = nil) throws(Unreadable) {
        let json: JSONValue
        do { json = try JSONParser.parse(text) } catch { throw Unreadable(message: "not valid JSON: \(error)") }
        guard json["kiboRoster"]?.integer == 1 else { throw Unreadable(message: "this is no roster of version 1") }
        guard let named = json["signer"]?.string.flatMap({ AccountID($0) }) else {
            throw Unreadable(message: "signer is no account")
        }
        if let signer, named != signer {
            throw Unreadable(message: "it is signed by \(named), and the configuration names \(signer)")
        }
        guard let version = json["version"]?.integer, let list = json["members"]?.array,
            let signature = json["signature"]?.string.flatMap({ Hex.decode($0) })
        else { throw Unreadable(message: "version, members or signature are missing") }
        var members: [Member] = []
        for (index, member) in list.enumerated() {
            guard let account = member["account"]?.string.flatMap({ AccountID($0) }), let name = member["name"]?.string
            else { throw Unreadable(message: "member \(index + 1) has no account or no name") }
            members.append(Member(account: account, name: name))
        }
        do {
            try self.init(version: version, members: members, signer: named, signature: signature)
        } catch {
            throw Unreadable(message: error.message)
        }
    }
}

extension Roster.Failure {
    /// The failure in words for the user.
    package var message: String {
        switch self {
        case .size: "a roster has 1 to \(CryptoLimits.rosterMembers) members"
        case .twice(let account): "\(account) stands in it twice"
        case .invalidName(let account): "the name of \(account) can't be used"
        case .forged: "the signature is not right: the file was changed after it was made"
        }
    }
}
