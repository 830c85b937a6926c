// Who is on the network now.
import { useEffect } from "react";
import { useWhole } from "../../base/store";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { deviceIcon } from "../../parts/kindIcon";
import { Looking, NearbyList, useNearby } from "../../parts/nearbyList";
import { OwnLink } from "../../parts/ownLink";
import { Pane } from "../../parts/pane";
import { ContactPerson } from "../../parts/person";
import { Rows } from "../../parts/rows";
import { Name } from "../../parts/small";
import { guests, lookForGuests } from "../../store/guests";
import { go } from "../../store/router";
import { visibleLine, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { link } from "../../wire/link";

/** Phones and other devices with LocalSend. Their names are only what they call themselves. */
function Devices() {
  const { on, devices } = useWhole(guests);
  const isOpen = useWhole(link) === "open";
  useEffect(() => {
    if (isOpen) lookForGuests();
  }, [isOpen]);
  if (!on) return null;
  return (
    <section className="section" aria-labelledby="nearby-devices">
      <h2 id="nearby-devices">{t("nearby.devices")}</h2>
      {devices.length > 0 && (
        <ul className="people" aria-labelledby="nearby-devices">
          {devices.map(({ name, model, kind, address, encrypted }, index) => (
            <li key={`${address} ${name} ${index}`} className="person" title={visibleLine(address)}>
              <span className="person-link">
                <span className="row-icon"><Icon name={deviceIcon(kind)} /></span>
                <span className="row-body">
                  <span className="row-title cut" title={visibleName(name)}><Name>{name}</Name></span>
                  <span className="row-sub wrap"><bdi>{model === null || model === "" ? t(`device.${kind}`) : visibleLine(model)}</bdi>{!encrypted && ` · ${t("device.plain")}`}</span>
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="small quiet">{t(devices.length > 0 ? "nearby.devices.more" : "nearby.devices.none")}</p>
    </section>
  );
}

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
