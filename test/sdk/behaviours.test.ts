import {
  acceptInvite,
  bye,
  declineInvite,
  type FloorEvent,
  getManifests,
  grantFloor,
  invite,
  publishManifests,
  requestFloor,
  revokeFloor,
  uninvite,
  yieldFloor,
} from "@plenary/protocol";
import { expect, test } from "vitest";
import { ann, createFloor, gist, manifest, me, other, said, toMe } from "./minimal-floor.ts";

test("2.1 utterance: a public one is answered in public, with its sender as addressee", async () => {
  const [answer, ...more] = await createFloor().deliver([said("hi")]);
  expect(more).toEqual([]);
  expect(answer).toMatchObject({ eventType: "utterance", to: { speakerUri: ann.speakerUri } });
  expect(gist([answer as FloorEvent])).toEqual(["say: You said: hi"]);
});

test("2.1 utterance: a private one is answered privately to its speaker", async () => {
  const events = await createFloor().deliver([said("psst", { ...toMe, private: true })]);
  expect(events).toMatchObject([{ to: { speakerUri: ann.speakerUri, private: true } }]);
});

test("2.1: an utterance to another conversant is overheard and not answered", async () => {
  const overheard: string[] = [];
  const { deliver } = createFloor({
    onOverheard: ({ event }) => {
      overheard.push(event.eventType);
    },
  });
  const to = { speakerUri: other.speakerUri };
  const events = [
    said("hi", to),
    invite({ to: other }),
    uninvite({ to }),
    getManifests({ to }),
    grantFloor({ to }),
    revokeFloor({ to }),
  ];
  expect(await deliver(events)).toEqual([]);
  expect(overheard).toEqual(events.map(({ eventType }) => eventType));
});

test("2.1: acceptInvite, declineInvite, bye, publishManifests, requestFloor and yieldFloor are ignored", async () => {
  const events = [acceptInvite(), declineInvite(), bye(), publishManifests(), requestFloor(), yieldFloor()];
  expect(await createFloor().deliver(events)).toEqual([]);
});

test("events that the agent ignores reach onEvent, and the events that onEvent returns are sent", async () => {
  const { deliver } = createFloor({
    onEvent: ({ event, sender }) => (event.eventType === "requestFloor" ? grantFloor({ to: sender }) : undefined),
  });
  expect(await deliver([bye(), requestFloor()])).toEqual([grantFloor({ to: ann })]);
});

test("2.1 invite: accepted with a hello", async () => {
  const events = await createFloor().deliver([invite({ to: me })]);
  expect(gist(events)).toEqual(["acceptInvite", "say: Hello, I am Bot. How can I help?"]);
  expect(events[0]?.to).toEqual({ speakerUri: ann.speakerUri });
});

test("1.12 invite: without to, everyone is invited", async () => {
  expect(gist(await createFloor().deliver([{ eventType: "invite" }]))[0]).toBe("acceptInvite");
});

test("2.1 invite: an accompanying whisper is answered, privately", async () => {
  const events = await createFloor({ greeting: "Hi." }).deliver([
    invite({ to: me }),
    said("need a visa?", { serviceUrl: me.serviceUrl, private: true }),
  ]);
  expect(gist(events)).toEqual(["acceptInvite", "say: Hi.", "whisper: You said: need a visa?"]);
});

test("2.1 invite, figure 16: the end of the history is answered, not the utterance of the transfer", async () => {
  const question = said("What is the weather?", undefined, "tag:user.example,2025:1").parameters.dialogEvent;
  const earlier = said("Hello.", undefined, "tag:user.example,2025:1").parameters.dialogEvent;
  const events = await createFloor({ greeting: false }).deliver([
    said("I'll pass you over."),
    invite({ to: me, dialogHistory: [earlier, question] }),
  ]);
  expect(gist(events)).toEqual(["acceptInvite", "say: You said: What is the weather?"]);
  expect(events[1]?.to).toEqual({ speakerUri: "tag:user.example,2025:1" });
});

test("a history that ends with the agent's own utterance leaves nothing to answer", async () => {
  const mine = said("That was it.", undefined, me.speakerUri).parameters.dialogEvent;
  const events = await createFloor({ greeting: false }).deliver([invite({ to: me, dialogHistory: [mine] })]);
  expect(gist(events)).toEqual(["acceptInvite"]);
});

test("2.1 invite: an agent may decline, and then says nothing else", async () => {
  const decline = declineInvite({ to: ann, reason: "@outOfDomain" });
  const { deliver } = createFloor({ onInvite: () => decline });
  expect(await deliver([invite({ to: me }), said("hi", toMe)])).toEqual([decline]);
  expect(await deliver([said("are you there?", toMe)])).toEqual([]);
});

test("a string from onInvite replaces the greeting", async () => {
  const { deliver } = createFloor({ onInvite: () => "Good evening." });
  expect(gist(await deliver([invite({ to: me })]))).toEqual(["acceptInvite", "say: Good evening."]);
});

test("1.1.1: an invite that expects a role the manifest does not offer is declined", async () => {
  const events = await createFloor().deliver([invite({ to: me, expectedFloorRoles: ["convener"] })]);
  expect(events).toMatchObject([{ eventType: "declineInvite", reason: "@roleRejected" }]);
});

test("1.12: an agent invited under another speakerUri answers to that name, under its own name", async () => {
  const { deliver } = createFloor({ greeting: false });
  const wished = { serviceUrl: me.serviceUrl, speakerUri: "tag:wished.example,2025:1" };
  expect(gist(await deliver([invite({ to: wished })]))).toEqual(["acceptInvite"]);
  expect(gist(await deliver([said("hi", { speakerUri: wished.speakerUri })]))).toEqual(["say: You said: hi"]);
});

test("2.1 uninvite: the agent is silent until the next invite, and remembers nothing", async () => {
  const seen: unknown[] = [];
  const { deliver } = createFloor({
    greeting: false,
    onUtterance: ({ state, text }) => {
      seen.push(state.last);
      state.last = text;
      return text;
    },
  });
  await deliver([said("one")]);
  expect(await deliver([said("two", toMe), uninvite({ to: toMe })])).toEqual([]);
  expect(await deliver([said("three", toMe), getManifests({ to: toMe })])).toEqual([]);
  expect(gist(await deliver([invite({ to: me }), said("four", toMe)]))).toEqual(["acceptInvite", "say: four"]);
  expect(seen).toEqual([undefined, undefined]);
});

test("an agent that is uninvited and invited again in one envelope has joined", async () => {
  const { deliver } = createFloor({ greeting: false });
  const events = [said("gone with it", toMe), uninvite({ to: toMe }), invite({ to: me })];
  expect(gist(await deliver(events))).toEqual(["acceptInvite"]);
  expect(gist(await deliver([said("hi")]))).toEqual(["say: You said: hi"]);
});

test("2.1 getManifests: a request for its own manifest is answered to the asker", async () => {
  for (const to of [toMe, { serviceUrl: `${me.serviceUrl}/` }, me]) {
    for (const question of [
      { to },
      { to, recommendScope: "internal" as const },
      { to, recommendScope: "all" as const },
    ]) {
      expect(await createFloor().deliver([getManifests(question)])).toEqual([
        publishManifests({ to: ann, servicingManifests: [manifest] }),
      ]);
    }
  }
});

test("2.1 getManifests: a request for other agents is not answered by a servicing agent", async () => {
  const question = { recommendScope: "external" as const };
  expect(await createFloor().deliver([getManifests({ to: me, ...question }), getManifests(question)])).toEqual([]);
});

test("1.17: a request for another speaker at its address gets an empty list", async () => {
  const to = { serviceUrl: me.serviceUrl, speakerUri: other.speakerUri };
  expect(await createFloor().deliver([getManifests({ to })])).toEqual([
    publishManifests({ to: ann, servicingManifests: [] }),
  ]);
});

test("1.17: the whisper beside getManifests names the task and is not answered with an utterance", async () => {
  const to = { serviceUrl: me.serviceUrl };
  const task = said("Do I need a visa?", { ...to, private: true });
  expect(gist(await createFloor().deliver([getManifests({ to }), task]))).toEqual(["publishManifests"]);
});

test("2.1 getManifests to everyone: answered when the task fits the manifest, otherwise not", async () => {
  const about = (text: string) => [getManifests(), said(text, { ...toMe, private: true })];
  expect(gist(await createFloor().deliver(about("Need a VISA for Peru?")))).toEqual(["publishManifests"]);
  expect(await createFloor().deliver(about("Which televisa show is on?"))).toEqual([]);
  expect(gist(await createFloor().deliver([getManifests()]))).toEqual(["publishManifests"]);
});

test("2.1 revokeFloor: the agent is silent until the floor is granted again", async () => {
  const { deliver } = createFloor({ onRevoke: () => "but" });
  expect(await deliver([revokeFloor({ to: toMe })])).toEqual([]);
  expect(await deliver([said("two")])).toEqual([]);
  expect(gist(await deliver([grantFloor({ to: toMe }), said("three")]))).toEqual(["say: You said: three"]);
});

test("D7: an agent that is addressed without the floor requests it and answers, each time", async () => {
  const { deliver } = createFloor();
  await deliver([revokeFloor({ to: toMe })]);
  for (const text of ["one", "two"]) {
    expect(gist(await deliver([said(text, toMe)]))).toEqual(["requestFloor", `say: You said: ${text}`]);
    expect(await deliver([said(`${text} for all`)])).toEqual([]);
  }
});

test("1.6.3: the floorGranted of the envelope overrides what the agent remembers", async () => {
  const conversants = [me, ann].map(({ speakerUri, serviceUrl }) => ({
    identification: { speakerUri, serviceUrl, organization: "", conversationalName: "", synopsis: "" },
  }));
  const { deliver } = createFloor();
  const without = { conversants, floorGranted: [ann.speakerUri] };
  expect(await deliver([said("one")], { conversation: without })).toEqual([]);
  expect(await deliver([said("two")])).toEqual([]);
  const granted = { conversants, floorGranted: [ann.speakerUri, me.speakerUri] };
  expect(gist(await deliver([said("three")], { conversation: granted }))).toEqual(["say: You said: three"]);
});

test("figure 28: a grant with a whisper is answered", async () => {
  const { deliver } = createFloor();
  await deliver([revokeFloor({ to: toMe })]);
  const events = [grantFloor({ to: toMe }), said("book it", { ...toMe, private: true })];
  expect(gist(await deliver(events))).toEqual(["whisper: You said: book it"]);
});

test("an agent that yields is silent until it is addressed or granted", async () => {
  const { deliver } = createFloor({ onUtterance: ({ say }) => [say("done"), yieldFloor({ reason: "@complete" })] });
  expect(gist(await deliver([said("go")]))).toEqual(["say: done", "yieldFloor"]);
  expect(await deliver([said("more")])).toEqual([]);
});

test("2.3: an agent with nothing to say answers with an empty envelope", async () => {
  for (const nothing of [undefined, "", []]) {
    expect(await createFloor({ onUtterance: () => nothing }).deliver([said("hi")])).toEqual([]);
  }
  expect(await createFloor().deliver([])).toEqual([]);
});

test("an agent does not answer its own utterance", async () => {
  expect(await createFloor().deliver([said("hi")], { sender: me })).toEqual([]);
});
