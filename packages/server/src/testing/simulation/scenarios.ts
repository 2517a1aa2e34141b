import type { FloorOptions } from "@plenary/floor";
import { utterance, utteranceIds, type WireEnvelope, type WireEvent } from "./wire.ts";
import type { Agent } from "./world.ts";

type Step = { by: string; events: WireEvent[] };

/** A small story with a certain end. Steps in one list are sent at once, the next list when all of it is over. */
export type Scenario = { name: string; options?: Partial<FloorOptions>; steps: Step[][] };

export const ann = "tag:people.example,2026:ann";
export const ben = "tag:people.example,2026:ben";

const speaker = (name: string) => `tag:agents.example,2026:${name}`;
const url = (name: string) => `http://${name}.example/`;
const hears = ({ events }: WireEnvelope, eventType: string) => events.some((event) => event.eventType === eventType);

function create(name: string, answer: Agent["answer"]): Agent {
  const role = name === "chair" ? "convener" : "agent";
  return { speakerUri: speaker(name), serviceUrl: url(name), role, faultRate: 0, isDead: false, outUntilMs: 0, answer };
}

/** They answer the same to the same, however often they are asked. */
export function scenarioAgents(): Agent[] {
  return [
    create("mute", () => []),
    create("echo", ({ events, sender }) => {
      if (!sender.speakerUri.startsWith("tag:people")) return [];
      return utteranceIds(events).map((id) => utterance(speaker("echo"), `echo/${id}`, `echo of ${id}`));
    }),
    create("shy", ({ events, sender }) => {
      if (!sender.speakerUri.startsWith("tag:people")) return [];
      const to = { speakerUri: sender.speakerUri, private: true };
      return utteranceIds(events).map((id) => utterance(speaker("shy"), `shy/${id}`, `psst, ${id}`, to));
    }),
    create("keen", (heard) =>
      hears(heard, "invite") ? [{ eventType: "acceptInvite" }, { eventType: "yieldFloor" }] : [],
    ),
    create("proud", (heard) => (hears(heard, "invite") ? [{ eventType: "declineInvite", reason: "@busy" }] : [])),
    create("brief", (heard) => (hears(heard, "utterance") ? [{ eventType: "bye" }] : [])),
    create("chair", ({ events, sender, conversation }) =>
      events.flatMap((event): WireEvent[] => {
        if (event.eventType === "invite" && event.to?.serviceUrl === url("chair")) return [];
        if (event.eventType === "requestFloor") {
          return [{ eventType: "grantFloor", to: { speakerUri: sender.speakerUri } }];
        }
        const hasFloor = conversation.floorGranted?.includes(sender.speakerUri) === true;
        const isAsked = ["invite", "uninvite", "grantFloor", "revokeFloor"].includes(event.eventType);
        return isAsked || (event.eventType === "utterance" && !hasFloor) ? [event] : [];
      }),
    ),
  ];
}

const invite = (...names: string[]): Step => ({
  by: ann,
  events: names.map((name) => ({ eventType: "invite", to: { speakerUri: speaker(name), serviceUrl: url(name) } })),
});
const bare = (name: string): Step => ({ by: ann, events: [{ eventType: "invite", to: { serviceUrl: url(name) } }] });
const says = (by: string, id: string, to?: WireEvent["to"]): Step => ({
  by,
  events: [utterance(by, id, `words ${id}`, to)],
});
const whispers = (by: string, id: string, name: string) => says(by, id, { speakerUri: speaker(name), private: true });
const does = (by: string, eventType: string, name?: string): Step => ({
  by,
  events: [{ eventType, ...(name !== undefined && { to: { speakerUri: speaker(name) } }) }],
});
const together = (...steps: Step[]): Step => ({ by: ann, events: steps.flatMap(({ events }) => events) });
const convened: Partial<FloorOptions> = { convener: url("chair") };

export const scenarios: readonly Scenario[] = [
  { name: "somebody speaks to nobody", steps: [[says(ann, "1")], [says(ann, "2")]] },
  { name: "an agent is invited and answers", steps: [[invite("echo")], [says(ann, "1")]] },
  { name: "an agent is invited by its address", steps: [[bare("echo")], [says(ann, "1")], [says(ben, "2")]] },
  { name: "several agents are invited at once", steps: [[invite("echo", "mute", "shy")], [says(ann, "1")]] },
  { name: "two people speak at once", steps: [[invite("echo")], [says(ann, "1"), says(ben, "2")]] },
  {
    name: "many things are said at once",
    steps: [[invite("echo", "mute")], "abcd".split("").map((id) => says(ann, id))],
  },
  { name: "a whisper", steps: [[invite("echo", "mute")], [whispers(ann, "1", "mute")], [whispers(ben, "2", "echo")]] },
  { name: "a whispered answer", steps: [[invite("shy", "mute")], [says(ann, "1"), says(ben, "2")]] },
  { name: "an agent declines", steps: [[invite("proud")], [says(ann, "1")]] },
  { name: "an agent leaves", steps: [[invite("brief", "echo")], [says(ann, "1")], [says(ben, "2")]] },
  {
    name: "an agent is sent away",
    steps: [[invite("echo", "mute")], [does(ann, "uninvite", "mute")], [says(ann, "1")]],
  },
  {
    name: "an agent gives up the floor",
    steps: [[invite("keen", "echo")], [does(ann, "grantFloor", "keen")], [says(ann, "1")]],
  },
  { name: "an agent is silenced", steps: [[invite("echo")], [does(ann, "revokeFloor", "echo")], [says(ann, "1")]] },
  {
    name: "somebody gives up the floor and asks for it",
    steps: [[does(ben, "yieldFloor")], [does(ben, "requestFloor")], [says(ben, "1")]],
  },
  { name: "everything in one envelope", steps: [[together(invite("echo"), says(ann, "1"), does(ann, "yieldFloor"))]] },
  { name: "somebody leaves", steps: [[invite("echo")], [does(ben, "bye")], [says(ann, "1")]] },
  { name: "everybody leaves", steps: [[invite("echo", "mute")], [does(ben, "bye")], [does(ann, "bye")]] },
  {
    name: "a convener lets an agent in",
    options: convened,
    steps: [[invite("chair")], [invite("echo")], [says(ann, "1")]],
  },
  {
    name: "a convener gives the floor",
    options: convened,
    steps: [[invite("chair")], [does(ben, "yieldFloor")], [does(ben, "requestFloor")], [says(ben, "1")]],
  },
  {
    name: "a convener is asked about several things at once",
    options: convened,
    steps: [
      [invite("chair", "mute")],
      [together(invite("echo"), says(ann, "1")), does(ben, "requestFloor")],
      [invite("shy")],
      [says(ben, "2")],
    ],
  },
];
