// Who is on the network now.
import { Button } from "../../parts/button";
import { Looking, NearbyList, useNearby } from "../../parts/nearbyList";
import { OwnLink } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { ContactPerson } from "../../parts/person";
import { Rows } from "../../parts/rows";
import { go } from "../../store/router";
import { t } from "../../text/t";
import { Devices } from "../guests/devices";

export default function NearbyPeople() {
  const { strangers, friends } = useNearby();
  return (
    <Pane title={t("friends.nearby")} backTo="friends">
      <div className="page column">
        <section className="section" aria-labelledby="nearby-strangers">
          <h2 id="nearby-strangers">{t("nearby.strangers")}</h2>
          {strangers.length > 0 && <NearbyList people={strangers} label={t("nearby.strangers")} />}
          <Looking />
          <p className="small quiet">{t("nearby.strangers.more")}</p>
          <div className="row"><Button icon="open" onClick={() => go("friends/address")}>{t("friends.byAddress")}</Button></div>
        </section>
        {friends.length > 0 && (
          <section className="section" aria-labelledby="nearby-friends">
            <h2 id="nearby-friends">{t("nearby.friends", { count: friends.length })}</h2>
            <Rows label={t("nearby.friends", { count: friends.length })} items={friends} idOf={({ id }) => id} hrefOf={({ id }) => `friends/${id}`}>
              {({ contact }) => contact !== undefined && <ContactPerson contact={contact} />}
            </Rows>
          </section>
        )}
        <Devices />
        <section className="section" aria-labelledby="nearby-link">
          <h2 id="nearby-link">{t("link.title")}</h2>
          <OwnLink />
        </section>
      </div>
    </Pane>
  );
}
