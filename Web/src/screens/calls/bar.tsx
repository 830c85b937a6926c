// The bar of a group's call that goes on without the user: it says which members are in it, and lets the user join.
import { accept } from "../../call/desk";
import { peopleOf } from "../../call/people";
import type { Call } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { refused } from "../../parts/notice";
import { t } from "../../text/t";
import { useNames, useParty } from "./parts";

export const Join = ({ call, look }: { call: Call; look: "quiet" | "primary" }) =>
  <Button look={look} onClick={() => void accept(call, "sound").catch(refused)}>{t("call.join")}</Button>;

/** The bar above the chat of the group. */
export default function CallBar({ call }: { call: Call }) {
  const { group } = useParty(call);
  const names = useNames(group);
  return (
    <section className="call-bar" aria-label={t("call.people")}>
      <Icon name={call.media === "picture" ? "video" : "call"} size={18} />
      <p className="grow wrap">{t("call.bar", { names: names.all(peopleOf(call)) })}</p>
      <Join call={call} look="primary" />
      <IconButton icon="video" label={t("call.join.picture")} onClick={() => void accept(call, "picture").catch(refused)} />
    </section>
  );
}
