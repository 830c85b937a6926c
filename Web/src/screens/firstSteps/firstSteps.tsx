// After sign-up: who is here, how others find this account, and what else there is.
import { useStore, useWhole } from "../../base/store";
import { Button } from "../../parts/button";
import { Looking, NearbyList, useNearby } from "../../parts/nearbyList";
import { OwnLink } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { Note } from "../../parts/small";
import { self } from "../../store/account";
import { go } from "../../store/router";
import { profileProblem } from "../../store/signUp";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";

export default function FirstSteps() {
  const name = useStore(self, (now) => now.account?.displayName ?? "");
  const problem = useWhole(profileProblem);
  const { strangers, friends } = useNearby();
  // A friend who was made here stays in sight, with the way to write.
  const people = [...friends, ...strangers];
  return (
    <Pane title={t("start.title")} backTo="friends" actions={<Button onClick={() => go("chats")}>{t("start.close")}</Button>}>
      <div className="page column steps">
        <p className="steps-hello">{t("start.hello", { name: isolatedName(name) })}</p>
        {problem !== null && <Note look="warn">{t("start.problem", { problem })}</Note>}
        <section className="section" aria-labelledby="start-here">
          <h2 id="start-here">{t("start.here")}</h2>
          {people.length > 0 && <NearbyList people={people} label={t("start.here")} />}
          <Looking />
        </section>
        <section className="section" aria-labelledby="start-far">
          <h2 id="start-far">{t("start.far")}</h2>
          <p className="small quiet">{t("start.far.more")}</p>
          <div className="row"><Button look={people.length === 0 ? "primary" : "plain"} icon="open" onClick={() => go("friends/address")}>{t("friends.byAddress")}</Button></div>
        </section>
        <details className="fold">
          <summary>{t("start.ways")}</summary>
          <div className="column fold-body">
            <section className="section" aria-labelledby="start-known">
              <h2 id="start-known">{t("start.known")}</h2>
              <p className="small quiet">{t("start.known.more")}</p>
              <div className="row wrapping">
                <Button icon="group" onClick={() => go("friends/book")}>{t("book.title")}</Button>
                <Button icon="mail" onClick={() => go("friends/invite")}>{t("invite.title")}</Button>
              </div>
            </section>
            <section className="section" aria-labelledby="start-link">
              <h2 id="start-link">{t("link.title")}</h2>
              <OwnLink />
            </section>
          </div>
        </details>
        <div className="row wrapping">
          <span className="small quiet grow">{t("start.safe")}</span>
          <Button icon="lock" onClick={() => go("settings/account")}>{t("backup.title")}</Button>
        </div>
      </div>
    </Pane>
  );
}
