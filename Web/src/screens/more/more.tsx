// On narrow windows: what has no tab of its own. Everywhere: how this browser shows the page, and the lock.
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { Check } from "../../parts/field";
import { LanguageChoice } from "../../parts/languageChoice";
import { NotificationChoice } from "../../parts/notificationChoice";
import { Pane } from "../../parts/pane";
import { shortId } from "../../parts/person";
import { followed } from "../../parts/rows";
import { Name, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { self, takeAccount } from "../../store/account";
import { browser, setBrowser } from "../../store/browser";
import { useStore, useWhole } from "../../store/store";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { overlay } from "../overlay";
import { hrefTo } from "../router";

const themes = ["system", "light", "dark"] as const;

export default function More() {
  const account = useStore(self, (now) => now.account);
  const { theme, ownAtEnd, enterSends } = useWhole(browser);
  const task = useTask();
  const lock = () => void task.run(async () => takeAccount(await call("account.lock")));
  return (
    <Pane title={t("nav.more")}>
      <div className="page column">
        {account !== null && (
          <div className="person">
            <Avatar id={account.id} name={account.displayName} picture={account.picture} />
            <span className="row-body">
              <span className="row-title cut"><Name>{account.displayName}</Name></span>
              <code className="small quiet" dir="ltr">{shortId(account.id)}</code>
            </span>
          </div>
        )}
        <ul>
          <li>
            <a className="row-link" href={hrefTo("transfers")} onClick={(event) => followed(event, "transfers")}>
              <Icon name="transfers" /><span className="row-title">{t("nav.transfers")}</span>
            </a>
          </li>
        </ul>
        <section className="section" aria-labelledby="more-browser">
          <h2 id="more-browser">{t("more.browser")}</h2>
          <div className="row wrapping" role="group" aria-label={t("more.theme")}>
            {themes.map((one) => (
              <button key={one} type="button" className="tab" aria-pressed={one === theme} onClick={() => setBrowser({ theme: one })}>{t(`theme.${one}`)}</button>
            ))}
          </div>
          <div className="row"><LanguageChoice /></div>
          <Check checked={ownAtEnd} onChange={(on) => setBrowser({ ownAtEnd: on })}>{t("more.ownAtEnd")}</Check>
          <Check checked={enterSends} onChange={(on) => setBrowser({ enterSends: on })}>{t("more.enterSends")}</Check>
          <NotificationChoice />
          <div className="row"><Button icon="info" onClick={() => overlay.set("shortcuts")}>{t("keys.title")}</Button></div>
        </section>
        {account?.hasPassphrase === true && (
          <section className="section" aria-labelledby="more-lock">
            <h2 id="more-lock">{t("more.lock")}</h2>
            <p className="small quiet">{t("more.lock.more")}</p>
            {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
            <div className="row"><Button icon="lock" busy={task.busy} onClick={lock}>{t("more.lock.do")}</Button></div>
          </section>
        )}
      </div>
    </Pane>
  );
}
