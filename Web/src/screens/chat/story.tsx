import { useEffect, useState } from "react";
import type { Message } from "../../contract/types";
import type { Result } from "../../contract/methods";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { refused } from "../../parts/notice";
import { Name, Note, Spinner } from "../../parts/small";
import { StateTick } from "../../parts/state";
import { contacts } from "../../store/contacts";
import { personName } from "../../store/people";
import { useStore } from "../../store/store";
import { reasonText, wording } from "../../text/errors";
import { clockTime, fullTime, shortTime } from "../../text/format";
import { storyStateText, storyStepText } from "../../text/story";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { call, callIn } from "../../wire/rpc";
import { useDoing } from "./doing";

/** What happened to a message, how it stands with each recipient, and what it waits for. */
export function Story({ message, onClose }: { message: Message; onClose: () => void }) {
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
  return (
    <Dialog
      title={t("message.story")} onClose={onClose}
      foot={<>
        {canRetry && <Button icon="retry" onClick={() => void callIn(message.conversation, "message.retry", { id: message.id }).catch(refused)}>{t("common.retry")}</Button>}
        <Button look="primary" onClick={onClose}>{t("common.close")}</Button>
      </>}
    >
      {problem !== null && <Note look="danger" alert>{problem}</Note>}
      {why === null ? problem === null && <Spinner /> : (
        <>
          {why.now.length > 0 && <Note><ul>{why.now.map((one, index) => <li key={index}>{storyStateText(one.code, one.parameters)}</li>)}</ul></Note>}
          <ol className="story">
            {why.steps.map((step, index) => (
              <li key={index} className="story-step">
                <time className="story-time numbers" dateTime={new Date(step.at).toISOString()} title={fullTime(step.at)}>{shortTime(step.at)}</time>
                <span className="wrap">{storyStepText(step.code, step.parameters)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {message.recipients.length > 1 && (
        <section className="column">
          <h3>{t("message.recipients")}</h3>
          <ul className="story">
            {message.recipients.map((one) => (
              <li key={one.id} className="row">
                <span className="grow cut"><Name>{personName(one.id, known, doing.group)}</Name></span>
                {one.reason !== undefined && <span className="small quiet">{reasonText(one.reason, one.detail)}</span>}
                <span className="small quiet">{t(`state.${one.state}`)}, {clockTime(one.at)}</span>
                <StateTick state={one.state} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
