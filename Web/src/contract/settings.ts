// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.
import type {
  AttachmentKind,
} from "./codes";

export interface Settings {
  /** who becomes a friend by asking: `ask` (those you accept), `everyone` (at once) or `nobody` (they are told that you take no requests) */
  "contacts.policy": "ask" | "everyone" | "nobody";
  /** how messages are ordered: `sent` (by the sender's clock) or `arrival` (as they came; nothing ever moves) */
  "messages.order": "sent" | "arrival";
  /** tell friends that their messages were read */
  "messages.readReceipts": boolean;
  /** remove messages that are older than this many days, but not notes to yourself; 0 keeps them */
  "messages.keepDays": number;
  /** how much one contact may write per day, in bytes of the database (the default is some 200,000 short messages); anything more waits on their side until the day is over */
  "messages.dailyBytes": number;
  /** tell friends when you are typing, and see when they are; if off, neither */
  "presence.typing": boolean;
  /** who sees you on the network: with `open`, everybody; with `contacts`, only friends: your announcements tell nobody else who is here, and nobody else gets an answer; with `silent`, nothing is announced: Kibo calls friends where they were last or where they announce themselves, never strangers, and answers nobody else */
  "discovery.mode": "open" | "contacts" | "silent";
  /** whether contacts, messages and transfers can be read while the account is locked */
  "privacy.historyWhileLocked": boolean;
  /** whether the daemon shows notifications while no other program does: `auto` (if there is a desktop), `on` (the same, and the doctor reports it if there is none) or `off` */
  "notifications.desktop": "auto" | "on" | "off";
  /** what notifications and the hook command contain: `all` of the text, only the `name` of who wrote and where, or `none` of it */
  "notifications.show": "all" | "name" | "none";
  /** the program to run, without a shell, for each message from others and each friend request; its standard input is a JSON object */
  "notifications.hook": string;
  /** who sees your e-mail address: `everyone` on the network, your `friends`, or `nobody` */
  "privacy.showEmail": "everyone" | "friends" | "nobody";
  /** who sees your telephone number: `everyone` on the network, your `friends`, or `nobody` */
  "privacy.showPhone": "everyone" | "friends" | "nobody";
  /** which files are sent and received: extensions without the dot, judged by name and by content; `*` is any file */
  "files.allowedTypes": Array<string>;
  /** the largest file or folder that is sent, in bytes */
  "files.maxSendBytes": number;
  /** the largest file or folder that is received, in bytes; larger ones are refused */
  "files.maxReceiveBytes": number;
  /** whose files are taken without asking: nobody's (`never`), those of `verified` friends, or those of all `friends` */
  "files.autoDownload": "never" | "verified" | "friends";
  /** which kinds of files are taken without asking */
  "files.autoDownloadKinds": Array<AttachmentKind>;
  /** the largest file or folder that is taken without asking, in bytes */
  "files.autoDownloadMaxBytes": number;
  /** how much is taken from one contact per day without asking, in bytes; further files wait until you take them */
  "files.autoDownloadDailyBytes": number;
  /** take files without asking even when NetworkManager says that the connection is metered */
  "files.autoDownloadOnMetered": boolean;
  /** where received files go unless you choose another folder */
  "files.downloadDirectory": null;
  /** friends whose files are all taken without asking, and the folder they go to: `WHO=/FOLDER`, where WHO is a friend's account id, or `*` for every friend without a line of their own; if a friend has several lines, the last one counts. This overrides `files.autoDownload` and its limits, but not a contact's `never`. A missing folder is not created: offers wait */
  "files.folders": null;
  /** how much of a disk must stay free, in bytes: files that would need that space are not received */
  "files.freeSpaceFloorBytes": number;
  /** remove received files from the download directory when nobody has opened them for this many days; their messages stay; 0 keeps the files */
  "files.keepDays": number;
  /** remove the daemon's copy of a file that was sent from a browser this many days after its last transfer ended, but not while a note to yourself has it; 0 keeps it as long as its message */
  "files.keepSentDays": number;
  /** whose calls ring: those of all `friends`, only of friends whose keys you have compared (`verified`), or of `nobody` */
  "calls.allow": "friends" | "verified" | "nobody";
  /** how long your calls ring on the other side, in seconds */
  "calls.ringSeconds": number;
  /** what happens to a new call while you are in another one: `ring` softly, or `decline` */
  "calls.whileBusy": "ring" | "decline";
  /** whether calls in groups of at most eight people ring; calls in larger groups never do */
  "calls.ringGroups": boolean;
  /** whose messages are kept here for somebody who is away: those of `friends`, for friends who have named you as a courier, or nobody's (`off`) */
  "courier.carry": "friends" | "off";
  /** leave messages for a friend who is away, sealed, with a friend that they have named as their courier */
  "courier.send": boolean;
  /** how much is kept for others, in bytes: at most half of it for one friend, a quarter from one friend, and an eighth from one for another */
  "courier.quotaBytes": number;
  /** how many days messages are kept for others */
  "courier.keepDays": number;
  /** the largest file that is kept for others, in bytes; everything kept for one pair of friends gets at most an eighth of `courier.quotaBytes` */
  "courier.fileBytes": number;
  /** the largest file that is left with couriers, in bytes; larger ones wait until the two of you meet */
  "courier.sendFileBytes": number;
  /** take part in LocalSend, so that phones and other devices on this network see this host under your name and can offer it files; everything they offer waits until you take it */
  "localsend.enabled": boolean;
  /** the PIN that devices need before they can offer anything; empty: none */
  "localsend.pin": string;
  /** speak without encryption, for devices that don't speak TLS: anybody on the network can then read along */
  "localsend.plain": boolean;
  /** the text of an invitation; {name} is the invited person's name, {me} yours, {link} your link, {package} the address of the package */
  "invite.text": string;
  /** where people can get Kibo's package, such as a page or a shared folder on your network; invitations mention it */
  "invite.packageAddress": string;
  /** the program that sends invitations by e-mail, run without a shell, such as `sendmail -t`; its standard input is a complete message, or only the text if {subject} is among its arguments; {email} and {name} are filled in */
  "invite.emailCommand": string;
  /** the program that sends invitations by SMS, run without a shell, such as `gammu sendsms TEXT {phone}`; its standard input is the text; {phone}, {name} and {text} are filled in */
  "invite.smsCommand": string;
}

export type SettingKey = keyof Settings;
export const settingKeys: readonly SettingKey[] = [
  "contacts.policy", "messages.order", "messages.readReceipts", "messages.keepDays", "messages.dailyBytes",
  "presence.typing", "discovery.mode", "privacy.historyWhileLocked", "notifications.desktop", "notifications.show",
  "notifications.hook", "privacy.showEmail", "privacy.showPhone", "files.allowedTypes", "files.maxSendBytes",
  "files.maxReceiveBytes", "files.autoDownload", "files.autoDownloadKinds", "files.autoDownloadMaxBytes",
  "files.autoDownloadDailyBytes", "files.autoDownloadOnMetered", "files.downloadDirectory", "files.folders",
  "files.freeSpaceFloorBytes", "files.keepDays", "files.keepSentDays", "calls.allow", "calls.ringSeconds",
  "calls.whileBusy", "calls.ringGroups", "courier.carry", "courier.send", "courier.quotaBytes", "courier.keepDays",
  "courier.fileBytes", "courier.sendFileBytes", "localsend.enabled", "localsend.pin", "localsend.plain",
  "invite.text", "invite.packageAddress", "invite.emailCommand", "invite.smsCommand",
];
