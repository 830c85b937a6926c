import { useEffect, useState } from "react";
import { useStore } from "../../base/store";
import type { MessageState } from "../../contract/codes";
import type { Result } from "../../contract/methods";
import type { Message } from "../../contract/types";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Fold } from "../../parts/fold";
import { Name, Note, Spinner } from "../../parts/small";
import { StateTick, heldText } from "../../parts/state";
import { contacts } from "../../store/contacts";
import { histories } from "../../store/messages";
import { refused } from "../../store/notices";
import { personName } from "../../store/people";
import { reasonText, wording } from "../../text/errors";
import { clockTime, fullTime, shortTime } from "../../text/format";
import { storyStateText, storyStepText } from "../../text/story";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { call, callIn } from "../../wire/rpc";
import { useDoing } from "./doing";

/** How many pending things, steps and recipients are shown at first for a message to a large group. */
const AT_FIRST = { now: 4, steps: 12, recipients: 8 };

/** What needs attention comes first. */
const states: readonly MessageState[] = ["failed", "read", "delivered", "sent", "queued", "received"];

/** What has happened to a message, its state for each recipient, and what it waits for. The state stays current while the user reads. */
export default function Story({ title, message: opened, onClose }: { title: string; message: Message; onClose: () => void }) {
  const message = useStore(histories, (all) => all.get(opened.conversation)?.rows.find(({ id }) => id === opened.id)) ?? opened;
  const doing = useDoing();
  const known = useStore(contacts, (table) => table);
  const [why, setWhy] = useState<Result<"message.why"> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let ended = false;
    call("message.why", { id: message.id }).then(
      (answer) => ended || setWhy(answer),
      (error: unknown) => ended || setProblem(wording(asRefused(error))),
    );
    return () => {
      ended = true;
    };
  }, [message]);
  const canRetry = message.sender === doing.own && (message.state === "failed" || message.state === "queued");
  const recipients = [...message.recipients].sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
  const counted = states.map((state) => [state, recipients.filter((one) => one.state === state).length] as const)
    .filter(([, count]) => count > 0).map(([state, count]) => `${t(`state.${state}`)}: ${count}`);
  const toMany = recipients.length > 1;
  // The list of recipients says who has it and who has read it.
  const now = (why?.now ?? []).filter(({ code }) => !toMany || (code !== "read_by" && code !== "delivered"));
  return (
    <Dialog
      title={title} onClose={onClose}
      foot={<>
        {canRetry && <Button icon="retry" onClick={() => void callIn(message.conversation, "message.retry", { id: message.id }).catch(refused)}>{t("common.retry")}</Button>}
        <Button look="primary" onClick={onClose}>{t("common.close")}</Button>
      </>}
    >
      {problem !== null && <Note look="danger" alert>{problem}</Note>}
      {toMany && (
        <section className="column">
          <h3>{t("message.recipients")}</h3>
          <p className="small quiet">{counted.join(" · ")}</p>
          <Fold className="story" most={AT_FIRST.recipients}>
            {recipients.map((one) => (
              <li key={one.id} className="row wrapping story-who">
                <span className="grow cut"><Name>{personName(one.id, known, doing.group)}</Name></span>
                {one.reason !== undefined && <span className="small quiet">{reasonText(one.reason, one.detail)}</span>}
                <span className="small quiet">{one.heldBy === undefined ? `${t(`state.${one.state}`)}, ${clockTime(one.at)}` : heldText(one.heldBy)}</span>
                <StateTick state={one.state} heldBy={one.heldBy} isTold />
              </li>
            ))}
          </Fold>
        </section>
      )}
      {why === null ? problem === null && <Spinner /> : (
        <>
          {now.length > 0 && (
            <Note><Fold className="story" most={AT_FIRST.now}>{now.map((one, index) => <li key={index}>{storyStateText(one.code, one.parameters)}</li>)}</Fold></Note>
          )}
          {toMany && <h3>{t("message.steps")}</h3>}
          <Fold ordered className="story" most={AT_FIRST.steps}>
            {why.steps.map((step, index) => (
              <li key={index} className="story-step">
                <time className="story-time numbers" dateTime={new Date(step.at).toISOString()} title={fullTime(step.at)}>{shortTime(step.at)}</time>
                <span className="wrap">{storyStepText(step.code, step.parameters)}</span>
              </li>
            ))}
          </Fold>
        </>
      )}
    </Dialog>
  );
}
