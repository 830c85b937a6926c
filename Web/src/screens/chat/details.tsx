import { Suspense, lazy } from "react";
import { Spinner } from "../../parts/small";
import { conversations } from "../../store/conversations";
import { useStore } from "../../store/store";
import type { PaneProps } from "../registry";

const Person = lazy(() => import("../sides/people").then((side) => ({ default: side.Details })));
const Group = lazy(() => import("../sides/own").then((side) => ({ default: side.GroupDetails })));

/** What is beside a chat: the friend, or the group. */
export default function ChatDetails({ at }: PaneProps) {
  const conversation = useStore(conversations, (value) => value.table.get(at["id"]));
  if (conversation === undefined) return <Spinner />;
  const { id: beside, contact, group } = conversation;
  return (
    <Suspense fallback={<Spinner />}>
      {contact !== undefined ? <Person at={{ id: contact, beside }} /> : <Group at={{ id: group ?? "", beside }} />}
    </Suspense>
  );
}
