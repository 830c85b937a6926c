import Basics
import Testing

@testable import Crypto

/// Goal: a certificate that was made is the same one when it is read again, and nothing else is taken for one.
@Suite("Certificates for TLS")
struct SelfSignedCertificateTests {
    @Test("Each has a key of its own, and is read again with the same fingerprint")
    func again() throws {
        let (first, second) = (try SelfSignedCertificate(name: "Kibo"), try SelfSignedCertificate(name: "Kibo"))
        #expect(first.fingerprint.count == 32 && first.fingerprint != second.fingerprint)
        #expect(first.certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(first.key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        // RFC 5280: a year before 2050 is written with two digits, as UTCTime.
        let lines = first.certificate.split(separator: "\n").dropFirst().dropLast()
        let der = try #require(Base64.decode(lines.joined()))
        let begin = [0x17, 13] + Array("200101000000Z".utf8)
        #expect(der.indices.contains { der[$0...].starts(with: begin) })
        let read = try SelfSignedCertificate(certificate: first.certificate, key: first.key)
        #expect(read.fingerprint == first.fingerprint)
        #expect(throws: CryptoError.certificate) {
            try SelfSignedCertificate(certificate: first.certificate, key: second.key)
        }
    }

    @Test("What is cut, empty, another thing or far too long is none")
    func others() throws {
        let made = try SelfSignedCertificate(name: "Anna Berg’s computer")
        let half = String(made.certificate.prefix(made.certificate.count / 2))
        for text in ["", "x", half, made.key, String(repeating: "A", count: 1 << 20)] {
            #expect(throws: CryptoError.certificate) { try SelfSignedCertificate(certificate: text, key: made.key) }
            guard text != made.key else { continue }
            #expect(throws: CryptoError.certificate) {
                try SelfSignedCertificate(certificate: made.certificate, key: text)
            }
        }
        // The name may have up to 64 characters.
        #expect(throws: CryptoError.certificate) { try SelfSignedCertificate(name: String(repeating: "n", count: 65)) }
    }
}
