import ControlProtocol
import Messaging
import Store

extension TransactionSettings {
    /// The choices as the settings say.
    package static let stored = TransactionSettings(
        files: { try FilePolicy(in: $0) },
        contacts: { try $0.setting(SettingsCatalogue.contactsPolicy) },
        freeSpaceReserve: { UInt64(clamping: try $0.setting(SettingsCatalogue.filesFreeSpaceReserveBytes)) },
        wordsADay: { try $0.setting(SettingsCatalogue.messagesDailyBytes) },
        courier: {
            CourierPolicy(
                carries: try $0.setting(SettingsCatalogue.courierCarry) == .friends,
                days: Int(clamping: try $0.setting(SettingsCatalogue.courierKeepDays)),
                quota: try $0.setting(SettingsCatalogue.courierQuotaBytes),
                file: try $0.setting(SettingsCatalogue.courierFileBytes))
        })
}

extension FilePolicy {
    package init(in transaction: ReadTransaction) throws {
        self.init(
            types: FileTypes(try transaction.setting(SettingsCatalogue.filesAllowedTypes)),
            maxSend: UInt64(clamping: try transaction.setting(SettingsCatalogue.filesMaxSendBytes)),
            maxReceive: UInt64(clamping: try transaction.setting(SettingsCatalogue.filesMaxReceiveBytes)),
            freeSpaceReserve: UInt64(clamping: try transaction.setting(SettingsCatalogue.filesFreeSpaceReserveBytes)),
            downloads: try DownloadPolicy(in: transaction))
    }
}

extension DownloadPolicy {
    package init(in transaction: ReadTransaction) throws {
        let kinds = try transaction.setting(SettingsCatalogue.filesAutoDownloadKinds)
        self.init(
            from: try transaction.setting(SettingsCatalogue.filesAutoDownload),
            kinds: Set(kinds),
            maximum: UInt64(clamping: try transaction.setting(SettingsCatalogue.filesAutoDownloadMaxBytes)),
            daily: UInt64(clamping: try transaction.setting(SettingsCatalogue.filesAutoDownloadDailyBytes)),
            onMetered: try transaction.setting(SettingsCatalogue.filesAutoDownloadOnMetered),
            directory: try transaction.setting(SettingsCatalogue.filesDownloadDirectory))
        for rule in try transaction.setting(SettingsCatalogue.filesFolders).compactMap(FolderRule.init) {
            if let account = rule.account { folders[account] = rule.folder } else { folderForAll = rule.folder }
        }
    }
}
