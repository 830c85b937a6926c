// The icons of kinds of files and devices.
import type { GuestDevice, Message } from "../contract/types";
import type { IconName } from "./icon";

export const kindIcon = (kind: Message["attachments"][number]["kind"]): IconName =>
  kind === "image" ? "image" : kind === "video" ? "video" : kind === "audio" ? "sound" : kind === "folder" ? "folder" : "file";

/** The icon of a device by what it says it is. */
export const deviceIcon = (kind: GuestDevice["kind"]): IconName => (kind === "mobile" ? "phone" : kind === "web" ? "open" : "screen");

/** The icon before a preview of a message with a file. */
export const previewIcon = (message: Message): IconName | null =>
  !message.deleted && message.attachments[0] !== undefined ? kindIcon(message.attachments[0].kind) : null;
