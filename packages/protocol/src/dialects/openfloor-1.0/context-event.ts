// Context event. Until 1.0.0 the history of a conversation travelled in an event of its own, beside the invite, with any
// further keys its sender liked. From 1.0.1 on it is the `dialogHistory` of the invite. Going up, history without an
// invite has no place and is handed to the caller; the further keys are lost. Going down nothing is lost.
import * as Type from "typebox";
import { DialogEvent } from "../../model/dialog-event.ts";
import { type FloorEvent, To } from "../../model/event.ts";
import type { Loss } from "../../repair/issue.ts";
import type { JsonPath } from "../../repair/json-path.ts";
import type { Note } from "../../repair/shape.ts";
import { isSameAddressee } from "../dialect.ts";
import { lose } from "../losses.ts";

export const ContextEvent = Type.Object(
  {
    eventType: Type.Literal("context"),
    to: Type.Optional(To),
    parameters: Type.Optional(
      Type.Object(
        {
          dialogHistory: Type.Optional(
            Type.Array(DialogEvent, { note: { rule: "invite-dialog-history" } satisfies Note }),
          ),
        },
        { note: { rule: "parameters" } satisfies Note },
      ),
    ),
  },
  { note: { rule: "event" } satisfies Note },
);
export type ContextEvent = Type.Static<typeof ContextEvent>;

export type Folded = { events: FloorEvent[]; dialogHistory: DialogEvent[]; losses: Loss[] };

/** Puts the history of each context event into the invite it came with: the nearest before it, else the next. */
export function fromContextEvents(events: readonly (FloorEvent | ContextEvent)[], at: JsonPath): Folded {
  const losses: Loss[] = [];
  const left: DialogEvent[] = [];
  const folded = [...events];
  const invites = [...events.keys()].filter((index) => events[index]?.eventType === "invite");
  for (const [index, event] of events.entries()) {
    if (event.eventType !== "context") continue;
    const { dialogHistory = [], ...others } = event.parameters ?? {};
    const place = { up: at, key: index };
    for (const key of Object.keys(others)) {
      const why = "1.1.0 has no context event: of its parameters only dialogHistory has a place";
      lose(losses, place, ["parameters", key], why);
    }
    const takes = (candidate: number) => takesContextOf(events[candidate], event);
    const invite = invites.findLast((candidate) => candidate < index && takes(candidate)) ?? invites.find(takes);
    if (invite === undefined) {
      left.push(...dialogHistory);
      lose(losses, place, [], "1.1.0 passes dialogHistory in an invite, and none came with it");
    } else {
      folded[invite] = withHistory(folded[invite], dialogHistory);
    }
  }
  return { events: folded.filter((event) => event.eventType !== "context"), dialogHistory: left, losses };
}

function takesContextOf(candidate: FloorEvent | ContextEvent | undefined, context: ContextEvent): boolean {
  if (candidate?.eventType !== "invite") return false;
  return context.to === undefined || isSameAddressee(candidate.to, context.to);
}

function withHistory(invite: FloorEvent | ContextEvent | undefined, dialogHistory: DialogEvent[]): FloorEvent {
  if (invite?.eventType !== "invite") throw new Error("dialog history goes into an invite only");
  const earlier = invite.parameters?.dialogHistory ?? [];
  return { ...invite, parameters: { ...invite.parameters, dialogHistory: [...earlier, ...dialogHistory] } };
}

/** The invite without its history, and the context event that goes right behind it. */
export function toContextEvent(invite: FloorEvent & { eventType: "invite" }, at: JsonPath, losses: Loss[]): unknown[] {
  const { parameters, ...bare } = invite;
  if (parameters === undefined) return [invite];
  const { dialogHistory, ...others } = parameters;
  for (const key of Object.keys(others)) {
    lose(losses, at, ["parameters", key], "an invite takes no parameters in 1.0.0");
  }
  if (dialogHistory === undefined) return [bare];
  const to = invite.to === undefined ? {} : { to: invite.to };
  return [bare, { eventType: "context", ...to, parameters: { dialogHistory } }];
}
