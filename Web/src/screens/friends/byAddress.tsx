// Adds people who can't be heard here: by their address, which is tried first, or by their link.
import { useEffect, useState } from "react";
import type { FormEvent } from "react";
import { useStore } from "../../base/store";
import { AskDialog } from "../../parts/askDialog";
import type { Asked } from "../../parts/askDialog";
import { Button } from "../../parts/button";
import { CodeReader } from "../../parts/codeReader";
import { Field } from "../../parts/field";
import { OwnLink } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { Person, shortId } from "../../parts/person";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { self } from "../../store/account";
import { contacts } from "../../store/contacts";
import { go } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { hostAndPort, kiboLink } from "../../text/kiboLink";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";

interface Found {
  id: string;
  name: string;
  whom: Asked;
  /** Whether the account itself has answered, or only a link says so. */
  hasAnswered: boolean;
}

function Result({ found, onAsk }: { found: Found; onAsk: () => void }) {
  const relation = useStore(contacts, (table) => table.get(found.id)?.relation ?? "none");
  const isOwn = useStore(self, (now) => now.account?.id === found.id);
  return (
    <section className="card" aria-labelledby="address-found">
      <h2 id="address-found">{t(found.hasAnswered ? "address.answered" : "address.says")}</h2>
      <div className="person">
        <div className="person-link"><Person id={found.id} name={found.name} line={shortId(found.id)} /></div>
        {isOwn
          ? <span className="small quiet">{t("address.own")}</span>
          : relation === "none"
            ? <Button look="primary" icon="add" onClick={onAsk}>{t("nearby.add")}</Button>
            : <Button onClick={() => go(`friends/${found.id}`)}>{t("details.title")}</Button>}
      </div>
      {!found.hasAnswered && <p className="small quiet">{t("address.unproved")}</p>}
    </section>
  );
}

/** The account that a link names; null if it isn't a link. */
function named(text: string): Found | null {
  const link = kiboLink(text);
  return link === null ? null : { id: link.id, name: link.name, whom: { uri: link.uri }, hasAnswered: false };
}

export default function ByAddress({ at }: PaneProps) {
  // A link that was pressed in a message is looked up at once.
  const given = at["link"] ?? "";
  const [typed, setTyped] = useState(given);
  const [problem, setProblem] = useState<string | null>(null);
  const [found, setFound] = useState(() => named(given));
  const [isAsking, setAsking] = useState(false);
  const task = useTask();

  useEffect(() => {
    setTyped(given);
    setFound(named(given));
  }, [given]);
  const look = (text: string) => {
    setFound(null);
    setProblem(null);
    const meant = named(text);
    if (meant !== null) return setFound(meant);
    const address = hostAndPort(text);
    if (address === null) {
      setProblem(t("address.wrong"));
      return;
    }
    void task.run(async () => {
      const peer = await call("peer.connect", { address });
      setFound({ id: peer.account, name: peer.displayName, whom: { address }, hasAnswered: true });
    });
  };

  return (
    <Pane title={t("friends.byAddress")} backTo="friends">
      <div className="page column">
        <section className="section" aria-label={t("friends.byAddress")}>
          <form
            className="column" noValidate
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              look(typed);
            }}
          >
            <Field
              label={t("address.label")} hint={t("address.hint")} error={problem ?? undefined} value={typed} dir="ltr" spellCheck={false} autoCapitalize="none" autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
            />
            <div className="row"><Button look="primary" icon="search" type="submit" busy={task.busy} disabled={typed.trim() === ""}>{t("address.look")}</Button></div>
          </form>
          <p className="small quiet">{t("address.code")}</p>
          <CodeReader
            isWanted={(text) => kiboLink(text) !== null}
            onText={(text) => {
              setTyped(text);
              look(text);
            }}
          />
          {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
          <div aria-live="polite">{found !== null && <Result found={found} onAsk={() => setAsking(true)} />}</div>
        </section>
        <section className="section" aria-labelledby="address-link">
          <h2 id="address-link">{t("link.title")}</h2>
          <OwnLink />
        </section>
      </div>
      {isAsking && found !== null && (
        <AskDialog whom={found.whom} id={found.id} name={found.name} onClose={() => setAsking(false)} onAsked={() => go(`friends/${found.id}`)} />
      )}
    </Pane>
  );
}
