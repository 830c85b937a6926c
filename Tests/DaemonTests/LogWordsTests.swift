import Basics
import Crypto
import PeerProtocol
import Runtime
import Testing
import Transfer
import Vocabulary

@testable import Messaging

/// Goal: what a log says of an error or a change are words, not the spelling of the code.
@Suite("Words of logs")
struct LogWordsTests {
    @Test("Changes that wait for the disk are named in words")
    func changes() throws {
        let id = try #require(UUIDv7("019ac0de-0000-7000-8000-000000000001"))
        let account = try #require(AccountID(bytes: [UInt8](repeating: 1, count: 32)))
        for (key, words) in [
            (RetriedCommits.Key.transfer(id), "how transfer \(id) stands"), (.roster, "the friends of the roster"),
            (.answered(account, [id]), "what \(account) has answered for one item"),
            (.seen(account, hasAddress: true), "when \(account) was seen"),
        ] {
            #expect("\(key)" == words)
        }
    }

    @Test("Errors within errors are words to the end")
    func errors() {
        let errors: [(any Error, String)] = [
            (
                ChannelError.identity(.malformed(.cbor(.truncated))), "the identity: the CBOR is cut off"
            ),
            (ChannelError.handshake(.lowOrderPoint), "the handshake: the public key is of small order"),
            (TransferFailure.noSpace, "not enough free space at the destination"),
            (
                ReceiverMachine.Violation.manifest(.name(index: 3, .reserved)),
                "the list of files: entry 3: the name is . or .."
            ),
            (MessagingError.notFriend(name: "Anna\u{1B}"), "Anna\\u{1b} is no friend"),
            (CryptoError.keyLength(expected: 32, actual: 3), "the key has 3 bytes, and 32 are needed"),
        ]
        for (error, words) in errors { #expect("\(error)" == words) }
    }
}
