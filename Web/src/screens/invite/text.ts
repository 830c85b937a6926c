// The words of an invitation.
import { useStore } from "../../base/store";
import { settings } from "../../store/settings";
import { t } from "../../text/t";

/** What stands for the names and the link in a text: the daemon fills them in. */
export const places = { name: "{name}", me: "{me}", link: "{link}", package: "{package}" };

/** The text of the settings, or this page's own in the user's language where nobody has set one. */
export function useInviteText(): string {
  const setting = useStore(settings, (table) => table.get("invite.text"));
  const hasPackage = useStore(settings, (table) => (table.get("invite.packageAddress")?.value ?? "") !== "");
  if (setting !== undefined && setting.value !== setting.default && typeof setting.value === "string") return setting.value;
  return t("invite.text.usual", hasPackage ? places : { ...places, package: t("invite.ask") });
}
