// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.
import type {
  AttachmentKind,
} from "./codes";

export interface Settings {
  /** who becomes a friend by asking: `ask` (whom you accept), `everyone` (at once) or `nobody` (who asks is told that no requests are taken) */
  "contacts.policy": "ask" | "everyone" | "nobody";
  /** how messages are ordered: `sent` (by the clock of the sender) or `arrival` (as they came; nothing ever moves) */
  "messages.order": "sent" | "arrival";
  /** tell friends that their messages were read */
  "messages.readReceipts": boolean;
  /** remove messages that are older, in days, but no notes to oneself; 0 keeps them */
  "messages.keepDays": number;
  /** how much one contact may write in a day, in bytes of the database: some 200,000 short messages; what is more waits at their end until the day is over */
  "messages.dailyBytes": number;
  /** tell friends when you are typing, and see when they are; without it neither */
  "presence.typing": boolean;
  /** `open` (everybody on the network sees you), `contacts` (friends see you; nobody else learns from announcements who is here, nor gets an answer) or `silent` (nothing is announced; friends are called where they were last or where they announce themselves, strangers never, and nobody else gets an answer) */
  "discovery.mode": "open" | "contacts" | "silent";
  /** whether contacts, messages and transfers can be read while the account is locked */
  "privacy.historyWhileLocked": boolean;
  /** whether the daemon shows notifications while no other program does: `auto` (where there is a desktop), `on` (the same, and the doctor tells where there is none) or `off` */
  "notifications.desktop": "auto" | "on" | "off";
  /** what notifications and the hook command tell: `all` the words, the `name` of who wrote and where, or `none` of it */
  "notifications.show": "all" | "name" | "none";
  /** the program that is run, without a shell, for each message that others write and each request to be your friend; its standard input is a JSON object */
  "notifications.hook": string;
  /** who sees your e-mail address: `everyone` on the network, your `friends`, or `nobody` */
  "privacy.showEmail": "everyone" | "friends" | "nobody";
  /** who sees your telephone number: `everyone` on the network, your `friends`, or `nobody` */
  "privacy.showPhone": "everyone" | "friends" | "nobody";
  /** which files are sent and received: extensions without dot, told by name and by content; `*` is anything */
  "files.allowedTypes": Array<string>;
  /** the largest file or folder that is sent, in bytes */
  "files.maxSendBytes": number;
  /** the largest file or folder that is received, in bytes; what is larger is refused */
  "files.maxReceiveBytes": number;
  /** whose files are taken without asking: `never` anybody's, those of `verified` friends, of all `friends` */
  "files.autoDownload": "never" | "verified" | "friends";
  /** what is taken without asking */
  "files.autoDownloadKinds": Array<AttachmentKind>;
  /** how large it may be to be taken without asking, in bytes */
  "files.autoDownloadMaxBytes": number;
  /** how much is taken without asking from one contact in a day, in bytes; further files wait until you take them */
  "files.autoDownloadDailyBytes": number;
  /** take files without asking also where NetworkManager calls the link metered */
  "files.autoDownloadOnMetered": boolean;
  /** where files go when nobody says otherwise */
  "files.downloadDirectory": null;
  /** whose files are all taken without asking, and into which folder: `WHO=/FOLDER`, where WHO is a friend's account id, or `*` for every friend without a line of their own; of several for one the last counts. It goes before `files.autoDownload` and its limits, but not before a contact's `never`. A folder that isn't there is not made: offers wait */
  "files.folders": null;
  /** how much of a disk stays free, in bytes: no file is received beyond it */
  "files.freeSpaceFloorBytes": number;
  /** remove what was received into the download directory and nobody has opened for so many days, and keep the messages; 0 keeps it */
  "files.keepDays": number;
  /** remove the daemon's copy of a file that was sent from a browser so many days after its last transfer has ended, but not while a note to oneself names it; 0 keeps it as long as its message */
  "files.keepSentDays": number;
  /** whose calls ring: those of `friends`, of friends whose keys you have compared (`verified`), or of `nobody` */
  "calls.allow": "friends" | "verified" | "nobody";
  /** how long your calls ring at others, in seconds */
  "calls.ringSeconds": number;
  /** what a call does while you are in another one: `ring` softly, or `decline` */
  "calls.whileBusy": "ring" | "decline";
  /** whether calls ring of groups of at most eight people; those of others never do */
  "calls.ringGroups": boolean;
  /** whose messages are kept here for somebody who is away: those of `friends` for friends who have named you, or `off` */
  "courier.carry": "friends" | "off";
  /** leave messages for a friend who is away, sealed, with a friend that they have named as their courier */
  "courier.send": boolean;
  /** how much is kept for others, in bytes; an eighth of it for one pair of friends */
  "courier.quotaBytes": number;
  /** for how many days it is kept */
  "courier.keepDays": number;
  /** the largest file that is kept for others, in bytes; all that is kept for one pair of friends has an eighth of `courier.quotaBytes` */
  "courier.fileBytes": number;
  /** the largest file that is left with couriers, in bytes; larger ones wait until the two of you meet */
  "courier.sendFileBytes": number;
  /** take part in LocalSend, so that phones and other devices on this network see this host by your name and can offer it files; everything they offer waits for you */
  "localsend.enabled": boolean;
  /** what devices must say before they can offer anything; empty: nothing */
  "localsend.pin": string;
  /** speak without encryption, for devices that don't speak TLS: anybody on the network can then read along */
  "localsend.plain": boolean;
  /** what an invitation says; {name} is who is invited, {me} your name, {link} your link, {package} the address of the package */
  "invite.text": string;
  /** where Kibo's package can be had, such as a page or a shared folder of your network; invitations name it */
  "invite.packageAddress": string;
  /** the program that sends invitations by e-mail, run without a shell, such as `sendmail -t`; its standard input is a whole message, or the text alone if {subject} is among its arguments; {email} and {name} are filled in */
  "invite.emailCommand": string;
  /** the program that sends invitations as short messages, run without a shell, such as `gammu sendsms TEXT {phone}`; its standard input is the text; {phone}, {name} and {text} are filled in */
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
