import ControlProtocol

/// Says what to do about a refusal, in the words of the command line: each hint has the command to type, where there is
/// one.
enum HintWords {
    static func text(of error: RPCError) -> String {
        guard let hint = error.hint else { return "" }
        return text(hint, Values(error.parameters))
    }

    /// The same in `kibo chat`, where some of it has a command of its own.
    static func chatText(of error: RPCError) -> String {
        switch error.hint {
        case .seeAllowedTypes: "To send it anyway: /file --any-type PATH"
        case .takeAnyway: "To take it anyway: /get --any-type"
        case .acceptOffer: "To accept it: /get"
        case .declineOffer: "To refuse it: /decline"
        case .takeOfferBack: "To take the offer back: /cancel"
        case .resumeTransfer: "To try it again: /resume"
        case .cancelTransfer: "To end a transfer: /cancel"
        default: text(of: error)
        }
    }

    /// The parameters of a refusal, fit to be typed.
    struct Values {
        let parameters: JSONObject

        init(_ parameters: JSONObject) { self.parameters = parameters }

        /// As it is; empty where there is none.
        subscript(name: String) -> String {
            parameters[name].map { $0.string ?? $0.integer.map { "\($0)" } ?? "" } ?? ""
        }

        /// A list of words, separated by commas.
        func list(_ name: String) -> String {
            (parameters[name]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        }

        /// The same, to be typed as one word.
        func words(_ name: String) -> String {
            Shell.quoted((parameters[name]?.array ?? []).compactMap(\.string).joined(separator: ","))
        }

        /// The person to name.
        var who: String { typed("word", "name", or: "WHO") }
        var group: String { parameters["group"]?.string.map { Shell.quoted(NameSign.group + $0) } ?? "GROUP" }
        var id: String { typed("id", or: "ID") }
        var path: String { typed("path", or: "PATH") }

        private func typed(_ names: String..., or placeholder: String) -> String {
            names.lazy.compactMap { parameters[$0]?.string }.first { !$0.isEmpty }.map(Shell.quoted) ?? placeholder
        }
    }

    private static let avatarCommands = "kibo profile --avatar FILE; kibo group avatar GROUP FILE"

    private static func letThrough(_ p: Values) -> String {
        p.list("types").isEmpty
            ? "To see or change the types that are sent without asking: kibo settings files.allowedTypes"
            : "To always allow such files: kibo settings files.allowedTypes +\(p.words("types"))"
    }

    private static func text(_ hint: HintCode, _ p: Values) -> String {
        switch hint {
        case .makeAccount: "Make one: kibo setup"
        case .unlock: "Unlock it: kibo unlock"
        case .seeStatus: "See: kibo status"
        case .listenElsewhere:
            "Kibo tries again every few seconds. Or start kibod with other --listen or --interface options; what is wrong: kibo doctor"
        case .setPassphrase: "Set one: kibo passphrase"
        case .waitBeforeTrying:
            "Try again in \(p["seconds"]) s. Each wrong passphrase makes the wait longer."
        case .rememberPassphrase:
            "Try again: kibo unlock. Only the passphrase opens the keys; there is no other way."
        case .leaveOldOut: "Leave the old one out: kibo passphrase"
        case .givePassphraseToRemember: "Give a passphrase, or leave out --remember: kibo setup"
        case .givePassphrase: "For no passphrase, leave it out; otherwise give at least one character: kibo passphrase"
        case .freeMemory: "Close another program, then try again; to see how much is free: free -h"
        case .freeSpace: "Nothing was changed. Free some space, then try again; kibo doctor says how much is free."
        case .seeLog: "The daemon's log says why: \(DaemonUnit.own.log)"
        case .retypeName:
            "It contains characters that can't be seen, so two names could look the same. Type it again: kibo profile --name NAME"
        case .retypeCode:
            RecoveryWords.mend(p.parameters["places"]?.array?.compactMap(\.integer) ?? [])
                + (p.parameters["path"] == nil ? " Then: kibo recover" : " Then try again.")
        case .giveEmail: "Write it as anna@example.org, or leave it empty for none: kibo profile --email ''"
        case .givePhone:
            "Write it with the country code, as +49 30 123456, or leave it empty for none: kibo profile --phone ''"
        case .givePhoneDigits:
            "A number has \(p["least"]) to \(p["most"]) digits, and its country code does not begin with 0: kibo profile --phone '+49 30 123456'"
        case .askAdministrator:
            "Only the administrator of this computer can change it, in kibod.json5. To see its value: kibo settings"
        case .installMedia: "The program kibo-media belongs beside kibod; scripts/install puts it there."
        case .givePicture: "Give a PNG, JPEG, GIF or WebP: \(avatarCommands)"
        case .shrinkPicture: "Make it smaller, then: \(avatarCommands)"
        case .resavePicture: "Save it as PNG or JPEG, then: \(avatarCommands)"
        case .makeReadable: "The daemon must be able to read it: chmod o+r \(p.path)"
        case .addContact: "Ask them to be your friend first: kibo add \(p.who)"
        case .seeContacts: "See who you know: kibo contacts"
        case .seeRequests: "See the requests: kibo requests; or ask: kibo add WHO"
        case .awaitAnswer: "Wait for the answer; to see it: kibo requests"
        case .answerRequest: "To answer: kibo accept \(p.who)"
        case .unblock: "To unblock them: kibo unblock \(p.who)"
        case .examineKey:
            "Ask them in another way if they have a new device. If so: kibo trust \(p.who); if not: kibo verify \(p.who), and kibo block the other account."
        case .compareKey: "There is no new key to trust. To compare the present one: kibo verify \(p.who)"
        case .addAnother: "Add another person: kibo add WHO"
        case .giveLink: "A link looks like kibo:kibo1…?name=…&addr=…; yours: kibo link"
        case .askForLink:
            "Ask them for a new link (kibo link, there), or, if you mean the person at that address: kibo add ADDRESS"
        case .checkAddress: "Check the address, and that kibod runs there and its port is open: kibo doctor, there"
        case .giveVisibleAlias: "To remove an alias: kibo alias --remove WHO"
        case .giveOtherAlias:
            "It can't look like an e-mail address or a telephone number either. Choose another: kibo alias WHO NAME"
        case .scanTheirLink: "Scan or paste the one that they see when they run kibo verify."
        case .giveSafetyNumber: "Give the whole number, or the link that you scanned: kibo verify WHO NUMBER"
        case .compareAgain:
            "Compare again: kibo verify \(p.who). If it stays different, another person sits between you, or it is another account: don't send anything secret, and talk to them in person."
        case .nearestName: "Did you mean \(p["name"])? Then say \(p.who). To see who you know: kibo contacts"
        case .chooseCandidate:
            "Say which by its word: an alias, the beginning of an id, or the name of a group after a colon. To see them: kibo contacts; kibo group list"
        case .nameByWord: "Say who by their word, or give them an alias: kibo alias WORD NAME"
        case .seeChatsAndPeople: "See: kibo chats; kibo contacts; kibo group list"
        case .seeContactsAndRequests: "See who you know: kibo contacts; kibo requests"
        case .seeContactsAndPeers: "See who you know: kibo contacts; who is there: kibo peers"
        case .seeOpenRequests: "See: kibo requests"
        case .seeBlocked: "See who is blocked: kibo contacts"
        case .seeOrMakeGroups: "See: kibo group list. To make one: kibo group create NAME WHO…"
        case .seeGroupMembers: "See who is a member: kibo group show \(p.group)"
        case .seeChats: "See: kibo chats"
        case .seeMessages: "To see messages with their ids: kibo read CHAT --ids"
        case .deleteInstead: "To take it back: kibo delete ID"
        case .askWhy: "To see its state: kibo why \(p.id)"
        case .sendAnew: "Send a new one: kibo send WHO TEXT"
        case .deleteForMe: "For yourself alone: kibo delete \(p.id) --for me"
        case .answerOrReact: "You can answer it or react to it: kibo react \(p.id) 👍"
        case .checkDatabase: "To check the database: kibo doctor"
        case .giveNext: "Use `next` of the previous page: kibo rpc METHOD '{\"after\": \"NEXT\"}'"
        case .givePosition: "Use the `position` of a message: kibo read CHAT --before POS"
        case .beginAgain: "The setting messages.order was changed: start again without a position: kibo read CHAT"
        case .exportAgain: "Export again: kibo export"
        case .giveOtherPath: "Choose another file: kibo export CHAT FILE"
        case .giveContent: "Give a text, files, or both: kibo send WHO TEXT"
        case .giveLongerID: "Give eight letters or more of it; to see ids: kibo read CHAT --ids"
        case .chooseMessage: "\(p["ids"])\nTo see them: kibo read CHAT --ids"
        case .giveWord: "Give letters or digits to look for: kibo search WORD"
        case .searchLess: "Search for something rarer, or in one conversation: kibo search WORD --chat WHO"
        case .seeGroups: "See your groups: kibo group list"
        case .askAdmin: "An owner or admin of the group can add you again: kibo group add \(p.group) WHO, there"
        case .tryInAMoment: "Try again in a moment."
        case .awaitMeeting: "Try again after they have been online once; who is there: kibo peers"
        case .leaveInstead: "To leave: kibo group leave \(p.group)"
        case .seeGroupLimits: "For the rules of groups: kibo help group"
        case .askOwner: "Owners and admins can; who they are: kibo group show \(p.group)"
        case .seeGroupRoles: "To see the roles: kibo group show \(p.group)"
        case .giveGroupChange: "Give a name, a description, a picture or a history: kibo help group"
        case .seeTransfers: "See: kibo transfers"
        case .declineOffer: "To refuse it: kibo decline \(p.id)"
        case .takeOfferBack: "To take the offer back: kibo cancel \(p.id)"
        case .acceptOffer: "To accept it: kibo get \(p.id)"
        case .awaitReceiver: "The receiver has to accept it with kibo get"
        case .askToSendAgain: "Ask for it to be sent again: kibo send WHO TEXT"
        case .askForNewVersion: "The file there now is a different one. Ask them to send it again: kibo send WHO TEXT"
        case .sendAgain: "Send it again: kibo send \(p.who) FILE"
        case .awaitResume: "It continues when they resume it with kibo resume"
        case .resumeTransfer: "To try it again: kibo resume \(p.id)"
        case .cancelTransfer: "To end a transfer: kibo cancel \(p.id)"
        case .giveOtherFolder: "Name another folder: kibo get \(p.id) --to FOLDER"
        case .makeFolder: "Make it first: mkdir \(p.path); or name another: kibo get \(p.id) --to FOLDER"
        case .freeSpaceOrOtherFolder:
            "Free some space; or name another folder: kibo get \(p.id) --to FOLDER; or keep less free: kibo settings files.freeSpaceFloorBytes BYTES"
        case .seeAllowedTypes:
            "To send it anyway: kibo send --any-type …; the receiver decides whether to take it.\n\(letThrough(p))"
        case .takeAnyway:
            "To take it anyway: kibo get --any-type \(p.id)\n\(letThrough(p))"
        case .seeLargestSent: "To change that: kibo settings files.maxSendBytes BYTES"
        case .givePathFromRoot: "Give an absolute path, beginning with /; to see it: realpath FILE"
        case .checkPath: "Check that it is there and that you may read it: ls -l \(p.path)"
        case .sendTarget: "Send the file or folder itself: realpath \(p.path) shows which one that is."
        case .renameFile: "Give it another name first: mv \(p.path) NAME"
        case .sendInParts: "Send it in parts, or as an archive: tar -cf ARCHIVE.tar \(p.path)"
        case .sendWhenQuiet: "When no program is writing to it and all of it can be read: kibo send WHO \(p.path)"
        case .giveCards: "Export your contacts as vCard (.vcf), not as CSV: kibo addressbook import FILE.vcf"
        case .exportWithoutPictures: "Export without pictures, or in parts, then: kibo addressbook import FILE.vcf"
        case .exportFewer: "Export fewer people at a time, then: kibo addressbook import FILE.vcf"
        case .exportWhole: "Export it again, whole, then: kibo addressbook import FILE.vcf"
        case .removeEntries:
            "Remove some: kibo addressbook remove; or replace all: kibo addressbook import --replace FILE"
        case .giveCountry: "Write it as DE, +49 or Germany; to see them: kibo addressbook countries"
        case .separateOrNameless: "Leave {name} out of the text, or leave out --together: kibo invite WHO… --text TEXT"
        case .setInviteCommand:
            "Set one, such as: kibo settings \(p["key"]) '\(p["example"])'; or use the links that kibo invite prints without --send."
        case .giveInviteText: "Give one with --text, or: kibo settings invite.text --reset"
        case .nearestSetting: "Did you mean: kibo settings \(p["nearest"])"
        case .seeSettings: "To see them: kibo settings"
        case .giveAllowedValue:
            "It is a program with its arguments, of which these are filled in: \(p.list("placeholders")). To see it: kibo settings \(p["key"])"
        case .useDefault: "The default is \(p["default"]); to go back to it: kibo settings \(p["key"]) --reset"
        case .giveDirectory:
            "Give a directory that you can write to, or that can be created: kibo settings files.downloadDirectory DIRECTORY"
        case .giveExtension: "Give an extension such as pdf, jpg or zip: kibo settings files.allowedTypes +pdf"
        case .giveAccountID: "Account ids begin with kibo1 and end in a checksum: kibo contacts"
        case .giveAddress: "Write it as 192.0.2.1:15425 or [2001:db8::1]:15425: kibo add ADDRESS"
        case .giveSinceWithEpoch:
            "An older copy of the database was restored. Start again: kibo watch"
        }
    }
}
