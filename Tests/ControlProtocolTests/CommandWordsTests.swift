import ControlProtocol
import Testing

@Suite("Commands in settings")
struct CommandWordsTests {
    @Test("Quotes hold words together as in a shell; no other sign of a shell has a meaning")
    func split() throws {
        for (text, words): (String, [String]) in [
            ("", []), ("  ", []), ("sendmail -t", ["sendmail", "-t"]), ("a  'b c' \"d e\"", ["a", "b c", "d e"]),
            ("a 'b'\"c\"d ''", ["a", "bcd", ""]), (#"a\ b "c\"d\\e\f" 'g\h'"#, ["a b", #"c"d\e\f"#, #"g\h"#]),
            ("a $HOME `id` | b > c; d &", ["a", "$HOME", "`id`", "|", "b", ">", "c;", "d", "&"]),
        ] { #expect(try CommandWords.split(text) == words) }
        for text in ["a 'b", "a \"b", "a\\"] {
            #expect(throws: CommandWords.Problem.self) { try CommandWords.split(text) }
        }
    }

    @Test("A setting takes a command with its placeholders, each of which is one argument, and says what is wrong")
    func setting() throws {
        for (key, text, problem): (String, String, String?) in [
            ("invite.emailCommand", "", nil), ("invite.emailCommand", "sendmail -t", nil),
            ("invite.emailCommand", "mail -s {subject} {email}", nil),
            ("invite.smsCommand", "gammu sendsms TEXT {phone}", nil),
            ("invite.smsCommand", "sms {phone} {text} {name}", nil),
            ("invite.smsCommand", "sms", "{phone} is missing"), ("invite.smsCommand", "sms --to={phone}", "of its own"),
            ("invite.emailCommand", "mail {phone}", "{phone} is not one of {email}, {name}, {subject}"),
            ("invite.emailCommand", "{email}", "names no program"), ("invite.emailCommand", "'' a", "names no program"),
            ("invite.emailCommand", "mail 'x", "a quote is not closed"),
            ("invite.emailCommand", "mail\nx", "control characters"),
        ] {
            let found = try SettingsCatalogue.setting(key).problem(with: .string(text))
            if let problem {
                #expect(found?.message.contains(problem) == true && found?.message.hasPrefix(key) == true, "\(text)")
                #expect(found?.kind == .invalid && found?.field == "value")
            } else {
                #expect(found == nil, "\(text)")
            }
        }
        let long = "a" + String(repeating: "b", count: ProtocolLimits.commandCharacters)
        #expect(try SettingsCatalogue.setting("invite.emailCommand").problem(with: .string(long)) != nil)
        #expect(try SettingsCatalogue.setting("invite.emailCommand").problem(with: 1) != nil)
        let text = try SettingsCatalogue.setting("invite.text")
        #expect(text.problem(with: .string(String(repeating: "ä", count: ProtocolLimits.inviteCharacters))) == nil)
        #expect(text.problem(with: .string(String(repeating: "ä", count: ProtocolLimits.inviteCharacters + 1))) != nil)
        for placeholder in ["{name}", "{me}", "{link}", "{package}"] {
            #expect(SettingsCatalogue.inviteText.standard.contains(placeholder))
        }
    }
}
