import Testing

@testable import Basics

/// Goal: one rule for addresses, by which no text carries more than an address into a program for mail.
@Suite("E-mail addresses")
struct EmailAddressTests {
    @Test("An address is words, a sign and a domain, of any script")
    func good() {
        for text in [
            "anna@example.org", "a@b", "o'brien+news@mail.example.org", "jürgen@müller.example", "用户@例子.example",
            "a.b.c@x-y.example", "unlikely?address@example.com", "gorby%kremvax@example.com",
            String(repeating: "a", count: 64) + "@example.org",
            "a@" + String(repeating: "b", count: 63) + ".example",
        ] {
            #expect(EmailAddress.isOne(text), "\(text)")
            #expect(EmailAddress.checked(text) == text)
        }
    }

    @Test("What carries more than an address is none")
    func bad() {
        for text in [
            "", "a", "@b", "a@", "a@b@c", "a b@c", "boss@example.org?subject=x&attach=/etc/passwd",
            "boss@example.org#x",
            "boss@example.org%0d%0abcc", "a@b/c", "a@b,c@d", "a@b;c", "a@[127.0.0.1]", "<a@b>", "Anna <a@b>",
            "\"a b\"@c", "a@b\r\nBcc: c@d", "a\n@b", "a@b\u{202E}", "a\u{200B}@b", "a@b\u{FF1F}subject", "a@b.", "a@.b",
            "a@b..c", ".a@b", "a.@b", "a..b@c", "a@-b", "a@b-", "-attach@b",
            String(repeating: "a", count: 65) + "@example.org",
            "a@" + String(repeating: "b", count: 64) + ".example", "a@" + String(repeating: "b.", count: 127) + "b",
            "a@b\u{3164}", "(a)@b", "a@b_c", "a@b\0", "a@\u{301}?b",
        ] {
            #expect(!EmailAddress.isOne(text), "\(text)")
            #expect(EmailAddress.checked(text) == nil)
        }
        #expect(EmailAddress.checked(nil) == nil)
    }
}
