// What goes out to devices nearby: from the copying of the files on, until the user has seen the end of it.
import { useEffect, useId, useState } from "react";
import type { FormEvent } from "react";
import { useStore, useWhole } from "../../base/store";
import type { GuestOffer } from "../../contract/types";
import { Button } from "../../parts/button";
import { Field } from "../../parts/field";
import { followed } from "../../parts/rows";
import { Note, Progress } from "../../parts/small";
import { useTask } from "../../parts/task";
import { dismissGift, gifts, giftFor, giveAgain, givingText } from "../../store/giving";
import type { Gift } from "../../store/giving";
import { dismissOffer, guests, guestsChanged, isOpenOffer } from "../../store/guests";
import { hrefTo } from "../../store/router";
import { uploads } from "../../store/uploads";
import { reasonText } from "../../text/errors";
import { isolatedName } from "../../text/safe";
import { isKey, rich, t } from "../../text/t";
import type { Key } from "../../text/t";
import { call } from "../../wire/rpc";
import { isOfOtherType } from "../../wire/upload";
import { Frame, Head, Items, Moving, NotesLink, OfferedText, STAYS, STAYS_DECLINED, plainWords, words } from "./card";
import type { About, PartProps } from "./card";

/** Longest PIN, in characters; the contract has the same limit. */
const PIN = 32;
/** Where files are chosen for a device. */
const NEARBY = "friends/nearby";

const beginKey = ({ problem, text }: Gift): Key => (problem !== null ? "give.failed" : text === null ? "give.copies" : "give.waits.text");

/** There is no offer yet: the files are copied, or something is the matter. */
function Beginning({ gift, about, id, onAnswer }: { gift: Gift; about: About; id: string; onAnswer: () => void }) {
  const { key, device, problem } = gift;
  const name = isolatedName(device.name);
  const sent = useStore(uploads, (all) => gift.uploads.reduce((sum, one) => sum + (all.get(one)?.sent ?? 0), 0));
  const again = (types: Gift["types"]) => {
    onAnswer();
    giveAgain(gift, { types }).catch(() => undefined);
  };
  if (problem === null) {
    return (
      <>
        <Head id={id} device={device}>{words(beginKey(gift), about)}</Head>
        <Progress value={gift.ids === null ? sent : about.size} max={about.size} label={t("give.progress", { name })} />
        <div className="row wrapping"><Button icon="close" aria-label={t("give.stop.name", { name })} onClick={() => dismissGift(key)}>{t("guest.stop")}</Button></div>
      </>
    );
  }
  return (
    <>
      <Head id={id} device={device} onClose={() => dismissGift(key)}>{words(beginKey(gift), about)}</Head>
      <Note look="danger">{givingText(problem, device)}</Note>
      <div className="row wrapping">
        {isOfOtherType(problem) && problem.hint !== "rename_file"
          ? <Button onClick={() => again({ anyType: true })}>{t("file.type.send")}</Button>
          : <Button icon="retry" onClick={() => again(gift.types)}>{t("common.retry")}</Button>}
      </div>
    </>
  );
}

const openKey = ({ state, text }: GuestOffer): Key => (text !== null ? "give.waits.text" : state === "sending" ? "give.sends" : "give.waits");

/** The device's user is asked. */
function Waiting({ offer, id, onAnswer }: PartProps) {
  const task = useTask();
  const { device, items, text } = offer;
  const name = isolatedName(device.name);
  const takeBack = () => void task.run(async () => {
    onAnswer();
    await call("guest.decline", { offer: offer.id });
    guestsChanged();
  });
  return (
    <>
      <Head id={id} device={device}>{words(openKey(offer), offer)}</Head>
      {text === null ? <Items items={items} label={t("give.items", { name })} /> : <OfferedText text={text} />}
      {!device.encrypted && <Note look="warn">{t("guest.plain")}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row wrapping"><Button icon="close" busy={task.busy} aria-label={t("give.takeBack.name", { name })} onClick={takeBack}>{t("give.takeBack")}</Button></div>
    </>
  );
}

const asksForPin = ({ state, problem }: GuestOffer): boolean => state === "failed" && problem === "wrong_passphrase";

function overKey(offer: GuestOffer): Key {
  const { state, text, bytesDone } = offer;
  if (state === "taken") return text !== null ? "give.taken.text" : "give.taken";
  if (state === "declined") return "give.declined";
  if (state === "withdrawn") return bytesDone > 0 ? "give.stopped" : "give.withdrawn";
  if (state === "expired") return "give.expired";
  return asksForPin(offer) ? "give.asks" : "give.failed";
}

function failureText({ problem, detail, device }: GuestOffer): string {
  const key = `give.problem.${problem}`;
  return isKey(key) ? t(key, { name: isolatedName(device.name) }) : reasonText(problem ?? "internal", detail);
}

/** What became of it, and a way to try again. */
function Over({ offer, id, gift, onAnswer }: PartProps & { gift: Gift | undefined }) {
  const { state, device, filesDone } = offer;
  const task = useTask();
  const [pin, setPin] = useState("");
  const dismiss = () => (gift === undefined ? dismissOffer(offer.id) : dismissGift(gift.key));
  const isDone = state === "taken" || state === "withdrawn";
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(dismiss, state === "taken" ? STAYS : STAYS_DECLINED);
    return () => clearTimeout(timer);
  }, [state, offer.id]);
  const isAsked = asksForPin(offer);
  // Only the page that has chosen the files can offer them again.
  const canRepeat = !isDone && (gift !== undefined || offer.text !== null);
  const again = (event: FormEvent) => {
    event.preventDefault();
    void task.run(async () => {
      const same = giftFor(offer);
      onAnswer();
      if (same !== undefined) await giveAgain(same, isAsked ? { pin } : {});
    });
  };
  return (
    <>
      <Head id={id} device={device} onClose={dismiss}>{words(overKey(offer), offer)}</Head>
      {state === "failed" && !isAsked && <Note look="danger">{failureText(offer)}</Note>}
      {state === "taken" ? <p><NotesLink /></p>
        : filesDone > 0 && <p className="small">{t("guest.kept", { count: filesDone })} <NotesLink /></p>}
      {canRepeat && (
        <form className="column" noValidate onSubmit={again}>
          {isAsked && (
            <Field
              label={t("give.pin")} error={gift?.pin === undefined || task.busy ? undefined : t("give.pin.wrong")} value={pin} maxLength={PIN}
              autoFocus={gift?.pin !== undefined} dir="ltr" autoComplete="off" autoCapitalize="none" spellCheck={false} onChange={(event) => setPin(event.target.value)}
            />
          )}
          {task.refused !== null && <Note look="danger" alert>{givingText(task.refused, device)}</Note>}
          <div className="row wrapping"><Button type="submit" icon={isAsked ? "send" : "retry"} busy={task.busy} disabled={isAsked && pin === ""}>{t(isAsked ? "chat.send" : "common.retry")}</Button></div>
        </form>
      )}
      {!isDone && !canRepeat && (
        <p className="small">{rich("give.chooseAgain", { place: <a href={hrefTo(NEARBY)} onClick={(event) => followed(event, NEARBY)}>{t("friends.nearby")}</a> })}</p>
      )}
    </>
  );
}

function Card(props: { offer: GuestOffer; gift: Gift | undefined } | { offer: null; gift: Gift }) {
  const id = useId();
  if (props.offer === null) {
    const { gift } = props;
    const { device, files } = gift;
    const about: About = { device, files: files.length, size: files.reduce((sum, one) => sum + one.size, 0), filesDone: 0 };
    const key = beginKey(gift);
    return (
      <Frame id={id} about={gift.key} state={key} spoken={plainWords(key, about)}>
        {(onAnswer) => <Beginning gift={gift} about={about} id={id} onAnswer={onAnswer} />}
      </Frame>
    );
  }
  const { offer, gift } = props;
  const { state } = offer;
  return (
    <Frame id={id} about={offer.id} state={state} spoken={plainWords(isOpenOffer(offer) ? openKey(offer) : overKey(offer), offer)}>
      {(onAnswer) => state === "waiting" ? <Waiting offer={offer} id={id} onAnswer={onAnswer} />
        : state === "sending" ? <Moving offer={offer} id={id} onAnswer={onAnswer} title="give.sends" progress="give.progress" stop="give.stop.name" />
        : <Over key={offer.id} offer={offer} id={id} gift={gift} onAnswer={onAnswer} />}
    </Frame>
  );
}

export function Given() {
  const { given } = useWhole(guests);
  const own = useWhole(gifts);
  const beginning = own.filter(({ offer }) => offer === null);
  if (given.length + beginning.length === 0) return null;
  return (
    <section aria-label={t("give.label")}>
      <ul className="guest-list">
        {/* A card stays the same while what it is about is offered, and offered again. */}
        {[
          ...given.map((offer) => {
            const gift = own.find((one) => one.offer === offer.id);
            return <Card key={gift?.key ?? offer.id} offer={offer} gift={gift} />;
          }),
          ...beginning.map((gift) => <Card key={gift.key} offer={null} gift={gift} />),
        ]}
      </ul>
    </section>
  );
}
