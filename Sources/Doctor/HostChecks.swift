import Basics
import ControlProtocol
import Messaging
import Reactor
import Runtime
import Store

/// What this host has for Kibo: room on its disks, the database, the modes of files.
@ReactorActor struct HostChecks {
    let environment: Environment
    let socketPath: String

    func disks() async -> [DoctorCheck] {
        let data = environment.directory
        let downloads = environment.settings[SettingsCatalogue.filesDownloadDirectory]
        let reserve = UInt64(clamping: environment.settings[SettingsCatalogue.filesFreeSpaceReserveBytes])
        let folders = environment.settings[SettingsCatalogue.filesFolders].compactMap { FolderRule($0)?.folder }
        let destinations = try? await environment.workers.files.run {
            (
                Destination(at: data), Destination(at: downloads),
                folders.map(Destination.init(ofFolder:))
            )
        }
        guard let (own, received, others) = destinations else { return [] }
        func check(
            _ name: String, _ what: String, _ path: String, _ destination: Destination, atLeast reserve: UInt64
        ) -> DoctorCheck {
            var about: JSONObject = ["what": .string(what), "path": .string(path)]
            guard destination.isWritable else { return .bad(name, .notWritable, about, .seeOwner) }
            guard let free = destination.freeBytes else { return .good(name, .freeUnknown, about) }
            about["bytes"] = .integer(Int64(clamping: free))
            if free >= reserve { return .good(name, .free, about) }
            return .bad(name, .free, about, .freeSome, ["bytes": .integer(Int64(clamping: reserve))])
        }
        let path: JSONObject = ["path": .string(data)]
        return [
            environment.store.isFull
                ? .bad("disk", .diskFull, path, .freeDisk, path)
                : check("disk", "messages", data, own, atLeast: DoctorLimits.wantedDataBytes),
            check("downloads", "files", downloads, received, atLeast: reserve),
        ]
            // Of the other folders only those are told that keep files waiting.
            + zip(folders, others).map { check("downloads", "files", $0, $1, atLeast: reserve) }.filter { !$0.ok }
    }

    /// Whether the account would survive its disk. Only the user can tell whether the code is still on paper, so this is
    /// a hint, and nothing is wrong.
    func recovery() async -> DoctorCheck {
        if let shown = try? await environment.store.read({ try RecoveryRows.codeShown(in: $0) }) {
            return .good("recovery", .recoveryCodeShown, ["at": .integer(shown.milliseconds)])
        }
        return DoctorCheck(
            name: "recovery", ok: true, findings: [.init(.recoveryCodeUnseen, [:])],
            advice: [.init(.writeCodeDown, [:])])
    }

    /// Whether somebody's words are put off.
    func intake() async -> DoctorCheck {
        let entries = environment.putOff.current
        guard !entries.isEmpty else { return .good("intake", .nobodyPutOff) }
        let named = try? await environment.store.read { transaction in
            try entries.map { entry in
                (
                    entry.reason,
                    try transaction.contact(entry.account)?.shownName ?? Names.placeholder(for: entry.account)
                )
            }
        }
        var check = DoctorCheck(name: "intake", ok: false, findings: [])
        for (reason, finding) in [(PutOffReason.day, DoctorFinding.putOffDay), (.room, .putOffRoom)] {
            let names = (named ?? []).filter { $0.0 == reason }.map { JSONValue.string($0.1) }
            if !names.isEmpty { check.findings.append(.init(finding, ["names": .array(names)])) }
        }
        if entries.contains(where: { $0.reason == .day }) { check.advice.append(.init(.waitOrAllowMore)) }
        if entries.contains(where: { $0.reason == .room }) {
            check.advice.append(.init(.freeDisk, ["path": .string(environment.directory)]))
        }
        return check
    }

    func database() async -> DoctorCheck {
        let directory = environment.directory
        let began = environment.clocks.now
        let isAlone = environment.store.isAlone
        let health = try? await environment.workers.imports.run {
            Store.examine(
                directory: directory, within: DoctorLimits.databaseCheck, clocks: SystemClocks(), isAlone: isAlone)
        }
        let bytes = JSONValue.integer(environment.store.databaseBytes)
        switch health {
        case .sound?:
            let time = (environment.clocks.now - began).milliseconds
            return .good("database", .databaseSound, ["bytes": bytes, "milliseconds": .integer(time)])
        case .damaged(let lines)?:
            return .bad(
                "database", .databaseDamaged, ["detail": .string(lines.joined(separator: "; "))], .recoverDatabase,
                ["path": .string(directory)])
        case .notFinished?:
            return .good(
                "database", .databaseNotFinished,
                ["bytes": bytes, "seconds": .integer(DoctorLimits.databaseCheck.components.seconds)])
        case .failed(let why)?:
            return .bad("database", .databaseUnreadable, ["detail": .string("\(why)")], .examineDisk)
        case nil: return .good("database", .databaseNotChecked)
        }
    }

    func permissions() async -> DoctorCheck {
        let (data, socket) = (environment.directory, socketPath)
        let clock = try? await environment.workers.files.run {
            PermissionCheck.problems([data, data + "/keys", data + "/kibo.sqlite", socket])
        }
        guard let problems = clock, let first = problems.first else { return .good("permissions", .permissionsFine) }
        return DoctorCheck(
            name: "permissions", ok: false, findings: problems.map(\.finding), advice: [first.advice])
    }
}
