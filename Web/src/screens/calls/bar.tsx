// The bar of a group's call that goes on without the user: it says which members are in it, and lets the user join.
import { activeCall } from "../../call/activeCall";
import { peopleOf } from "../../call/people";
import type { Call } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { refused } from "../../store/notices";
import { t } from "../../text/t";
import { Ends, useHere, useNames, useParty } from "./parts";

export function Join({ call, look }: { call: Call; look: "quiet" | "primary" }) {
  const here = useHere();
  return <Button look={look} onClick={() => void activeCall.accept(call, "audio").catch(refused)}>{t(here === undefined ? "call.join" : "call.join.ends.audio")}</Button>;
}

/** The bar above the chat of the group. */
export default function CallBar({ call }: { call: Call }) {
  const { group } = useParty(call);
  const names = useNames(group);
  const here = useHere();
  return (
    <section className="call-bar" aria-label={t("call.people")}>
      <Icon name={call.media === "video" ? "video" : "call"} size={18} />
      <div className="grow">
        <p className="wrap">{t("call.bar", { names: names.all(peopleOf(call)) })}</p>
        {here !== undefined && <Ends call={here} words="call.join.ends" />}
      </div>
      <Join call={call} look="primary" />
      <IconButton icon="video" label={t(here === undefined ? "call.join.video" : "call.join.ends.video")} onClick={() => void activeCall.accept(call, "video").catch(refused)} />
    </section>
  );
}
