import type { FloorOptions } from "@plenary/floor";
import { type RawEnvelope, type RawEvent, utterance, utteranceIds } from "./raw-envelope.ts";
import type { Agent } from "./world.ts";

type Step = { by: string; events: RawEvent[] };

/** A script with a fixed final state. The steps of one list are sent at once; the next list follows when they have ended. */
export type Scenario = { name: string; options?: Partial<FloorOptions>; steps: Step[][] };

export const ann = "tag:people.example,2026:ann";
export const ben = "tag:people.example,2026:ben";

const speaker = (name: string) => `tag:agents.example,2026:${name}`;
const url = (name: string) => `http://${name}.example/`;
const hasEvent = ({ events }: RawEnvelope, eventType: string) => events.some((event) => event.eventType === eventType);

function create(name: string, answer: Agent["answer"]): Agent {
  const role = name === "chair" ? "convener" : "agent";
  return {
    speakerUri: speaker(name),
    serviceUrl: url(name),
    role,
    faultRate: 0,
    isDead: false,
    unreachableUntilMs: 0,
    answer,
  };
}

/** Deterministic agents: the same request gets the same answer. */
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
    create("keen", (received) =>
      hasEvent(received, "invite") ? [{ eventType: "acceptInvite" }, { eventType: "yieldFloor" }] : [],
    ),
    create("proud", (received) =>
      hasEvent(received, "invite") ? [{ eventType: "declineInvite", reason: "@busy" }] : [],
    ),
    create("brief", (received) => (hasEvent(received, "utterance") ? [{ eventType: "bye" }] : [])),
    create("chair", ({ events, sender, conversation }) =>
      events.flatMap((event): RawEvent[] => {
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
const says = (by: string, id: string, to?: RawEvent["to"]): Step => ({
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
  { name: "a person speaks without a listener", steps: [[says(ann, "1")], [says(ann, "2")]] },
  { name: "an agent is invited and answers", steps: [[invite("echo")], [says(ann, "1")]] },
  { name: "an agent is invited by its address", steps: [[bare("echo")], [says(ann, "1")], [says(ben, "2")]] },
  { name: "several agents are invited at once", steps: [[invite("echo", "mute", "shy")], [says(ann, "1")]] },
  { name: "two people speak at once", steps: [[invite("echo")], [says(ann, "1"), says(ben, "2")]] },
  {
    name: "one person sends several utterances at once",
    steps: [[invite("echo", "mute")], "abcd".split("").map((id) => says(ann, id))],
  },
  { name: "a whisper", steps: [[invite("echo", "mute")], [whispers(ann, "1", "mute")], [whispers(ben, "2", "echo")]] },
  { name: "a whispered answer", steps: [[invite("shy", "mute")], [says(ann, "1"), says(ben, "2")]] },
  { name: "an agent declines", steps: [[invite("proud")], [says(ann, "1")]] },
  { name: "an agent leaves", steps: [[invite("brief", "echo")], [says(ann, "1")], [says(ben, "2")]] },
  {
    name: "an agent is uninvited",
    steps: [[invite("echo", "mute")], [does(ann, "uninvite", "mute")], [says(ann, "1")]],
  },
  {
    name: "an agent yields the floor",
    steps: [[invite("keen", "echo")], [does(ann, "grantFloor", "keen")], [says(ann, "1")]],
  },
  {
    name: "the floor of an agent is revoked",
    steps: [[invite("echo")], [does(ann, "revokeFloor", "echo")], [says(ann, "1")]],
  },
  {
    name: "a person yields the floor and requests it",
    steps: [[does(ben, "yieldFloor")], [does(ben, "requestFloor")], [says(ben, "1")]],
  },
  { name: "everything in one envelope", steps: [[together(invite("echo"), says(ann, "1"), does(ann, "yieldFloor"))]] },
  { name: "a person leaves", steps: [[invite("echo")], [does(ben, "bye")], [says(ann, "1")]] },
  { name: "all people leave", steps: [[invite("echo", "mute")], [does(ben, "bye")], [does(ann, "bye")]] },
  {
    name: "a convener approves an invite",
    options: convened,
    steps: [[invite("chair")], [invite("echo")], [says(ann, "1")]],
  },
  {
    name: "a convener grants the floor",
    options: convened,
    steps: [[invite("chair")], [does(ben, "yieldFloor")], [does(ben, "requestFloor")], [says(ben, "1")]],
  },
  {
    name: "a convener decides about several events at once",
    options: convened,
    steps: [
      [invite("chair", "mute")],
      [together(invite("echo"), says(ann, "1")), does(ben, "requestFloor")],
      [invite("shy")],
      [says(ben, "2")],
    ],
  },
];
