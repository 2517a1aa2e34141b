import { bye, type DialogEvent, textOf, textUtterance } from "@plenary/protocol";
import { type ChannelOptions, createAgent, createDialler } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { answer, type Behaviour, echo, eventsIn, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { ann, patience, said } from "../floor/world.ts";
import { channel, sage } from "./channels.ts";
import { closeStages, manifestOf, openStage, serve, speakerOf } from "./stage.ts";

afterEach(closeStages);

test("words pass as they are, both ways, two channels deep, and stay the words of who said them", async () => {
  const heard: DialogEvent[] = [];
  const target = await serve(
    createAgent({
      manifest: manifestOf("sage"),
      greeting: "Sage here.",
      onUtterance({ dialogEvent, text, self, event }) {
        heard.push(dialogEvent);
        const features = { html: { mimeType: "text/html", tokens: [{ value: "<b>yes</b>" }] } };
        const startTime = "2026-01-01T00:00:00Z";
        return [textUtterance(`Sage: ${text}`, { ...self, id: "de:sage", startTime, features, to: { ...event.to } })];
      },
    }),
  );
  const stage = await openStage();
  const id = await stage.open("c", await channel(await channel(target, {}, "inner")));
  const asked = utterance(ann, "why?", {}, "de:why") as { parameters: { dialogEvent: DialogEvent } };
  await stage.send(id, [asked]);
  expect(await stage.told(id)).toEqual([
    "ann invite",
    "channel acceptInvite",
    "channel for sage: Sage here.",
    "ann: why?",
    "channel for sage: Sage: why?",
  ]);
  expect(heard).toEqual([asked.parameters.dialogEvent]);
  const last = (await stage.log(id)).findLast(({ kind }) => kind === "event")?.event;
  expect(last).toMatchObject({
    to: { speakerUri: ann },
    parameters: { dialogEvent: { id: "de:sage", features: { html: { tokens: [{ value: "<b>yes</b>" }] } } } },
  });
});

test("a channel renders words on their way in and out, and may keep some to itself", async () => {
  const stage = await openStage();
  const render: ChannelOptions["render"] = {
    in: ({ text }) => (text.includes("rude") ? undefined : text.toUpperCase()),
    out: ({ text, dialogEvent }) => (text.includes("here") ? dialogEvent : `${text}, slowly`),
  };
  const id = await stage.open("c", await channel(await sage(), { render }));
  expect(said(await stage.say(id, "hello"))).toEqual([[speakerOf("channel"), "Sage: HELLO, slowly"]]);
  expect(said(await stage.say(id, "rude words"))).toEqual([]);
  expect(await stage.told(id)).toContain("channel for sage: Sage: HELLO, slowly");
});

test("a whisper stays one all the way, even to a target that answers it aloud, leaves or recommends", async () => {
  const loud: Behaviour = (heard, agent) =>
    answer(
      heard,
      agent,
      ...textsIn(heard).map((text) => utterance(agent.speakerUri, `loud ${text}`)),
      ...(textsIn(heard).length > 0
        ? [{ eventType: "publishManifests" }, { eventType: "yieldFloor", reason: "canary" }]
        : []),
    );
  const target = await startAgent(loud, speakerOf("loud"));
  const stage = await openStage();
  const id = await stage.open("c", await channel(await channel(target.url, {}, "inner")));
  const bob = "tag:people.example,2026:bob";
  await stage.call("POST", `/api/v1/conversations/${id}/seat`, { identification: { speakerUri: bob }, kind: "person" });
  const whispered = await stage.whisper(id, "canary", speakerOf("channel"));
  expect(said(whispered)).toEqual([[speakerOf("channel"), "loud canary"]]);
  const passed = target.heard.flatMap(eventsIn).find(({ eventType }) => eventType === "utterance");
  expect(passed?.to).toMatchObject({ private: true });
  expect(JSON.stringify(await stage.log(id, ann))).toContain("canary");
  expect(JSON.stringify(await stage.log(id, bob))).not.toContain("canary");
  expect(JSON.stringify(await stage.log(id))).not.toContain("canary");
  expect(await stage.told(id, bob)).not.toContain("channel publishManifests");
});

test("when the target leaves, so does the channel", async () => {
  const stage = await openStage();
  const leaver = createAgent({
    manifest: manifestOf("leaver"),
    greeting: false,
    onUtterance: ({ say }) => [say("Enough."), bye()],
  });
  const id = await stage.open("c", await channel(await serve(leaver)));
  await stage.say(id, "hello");
  expect((await stage.told(id)).slice(-2)).toEqual(["channel for leaver: Enough.", "channel bye"]);
});

test("revoked, the channel stops the target; uninvited, it takes its leave of it", async () => {
  const events: string[] = [];
  let onStarted = () => {};
  const started = new Promise<void>((resolve) => {
    onStarted = resolve;
  });
  const slow = createAgent({
    manifest: manifestOf("slow"),
    greeting: false,
    onUtterance: ({ signal }) =>
      new Promise<string>((resolve) => {
        onStarted();
        signal.addEventListener("abort", () => {
          events.push("stopped");
          resolve("too late");
        });
      }),
    onRevoke: ({ event }) => void events.push(`revoked ${event.reason}`),
    onUninvite: () => void events.push("uninvited"),
  });
  const stage = await openStage();
  const id = await stage.open("c", await channel(await serve(slow)));
  await stage.say(id, "take your time", { wait: 0 });
  await started;
  const to = { speakerUri: speakerOf("channel") };
  await stage.send(id, [{ eventType: "revokeFloor", to, reason: "@override" }]);
  await stage.send(id, [{ eventType: "uninvite", to }]);
  await expect.poll(() => events.toSorted(), patience).toEqual(["revoked @override", "stopped", "uninvited"]);
  expect(JSON.stringify(await stage.log(id))).not.toContain("too late");
});

test("what an invite tells of the past reaches the target with the invite, and is answered once", async () => {
  const stage = await openStage();
  const histories: string[][] = [];
  const target = await serve(
    createAgent({
      manifest: manifestOf("sage"),
      greeting: false,
      onUtterance({ text, history }) {
        histories.push(history.map(textOf));
        return `Sage: ${text}`;
      },
    }),
  );
  const id = await stage.open("c");
  const url = await channel(target);
  const told = [utterance(ann, "one"), utterance(ann, "two")] as { parameters: { dialogEvent: object } }[];
  const dialogHistory = told.map(({ parameters }) => parameters.dialogEvent);
  const answered = await stage.send(id, [
    { eventType: "invite", to: { serviceUrl: url }, parameters: { dialogHistory } },
  ]);
  expect(said(answered)).toEqual([[speakerOf("channel"), "Sage: two"]]);
  expect(histories).toEqual([["one", "two"]]);
});

test.each(["yield", "bye"] as const)(
  "a target that hands over and will %s is followed behind the channel",
  async (afterwards) => {
    const stage = await openStage();
    const next = await sage(({ text, history }) => `Sage (${history.length}): ${text}`);
    const desk = await serve(
      createAgent({
        manifest: manifestOf("desk"),
        greeting: false,
        onUtterance: ({ delegate }) =>
          delegate({ to: { serviceUrl: next }, say: "The sage knows.", afterwards, farewell: "All the best." }),
      }),
    );
    const dialler = createDialler({ mode: "local" });
    const id = await stage.open("c", await channel(desk, { dialler }));
    await stage.say(id, "why?");
    await stage.say(id, "and how?");
    expect((await stage.told(id)).slice(2)).toEqual([
      "ann: why?",
      "channel for desk: The sage knows.",
      "channel for sage: Sage here.",
      "channel for sage: Sage (1): why?",
      ...(afterwards === "bye" ? ["channel for desk: All the best."] : []),
      "ann: and how?",
      "channel for sage: Sage (0): and how?",
    ]);
  },
);

test("a target whose successor does not come goes on, and one is not led to where the channel may not call", async () => {
  const stage = await openStage();
  const secret = await startAgent(echo);
  const desk = await serve(
    createAgent({
      manifest: manifestOf("desk"),
      greeting: false,
      onUtterance: ({ text, delegate }) =>
        text === "why?" ? delegate({ to: { serviceUrl: secret.url }, otherwise: "Nobody came." }) : `Desk: ${text}`,
    }),
  );
  const id = await stage.open("c", await channel(desk));
  expect(said(await stage.say(id, "why?"))).toEqual([[speakerOf("channel"), "Nobody came."]]);
  expect(said(await stage.say(id, "so?"))).toEqual([[speakerOf("channel"), "Desk: so?"]]);
  expect(secret.heard).toEqual([]);
});
