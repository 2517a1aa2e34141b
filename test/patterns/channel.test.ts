import { bye, type DialogEvent, textOf, textUtterance } from "@plenary/protocol";
import { type ChannelOptions, createAgent, createDialler } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, type Behaviour, echo, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { patience } from "../support/wait-for.ts";
import { channel, sage } from "./channels.ts";
import { closeFloorsAndAgents, manifestOf, serve, speakerOf, startSdkAgentsFloor } from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

test("utterances pass unchanged through two channels, both ways, and keep their speaker", async () => {
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
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel(await channel(target, {}, "inner")));
  const asked = utterance(ann, "why?", { id: "de:why" }) as { parameters: { dialogEvent: DialogEvent } };
  await floor.send(id, [asked]);
  expect(await floor.transcript(id)).toEqual([
    "ann invite",
    "channel acceptInvite",
    "channel for sage: Sage here.",
    "ann: why?",
    "channel for sage: Sage: why?",
  ]);
  expect(heard).toEqual([asked.parameters.dialogEvent]);
  const last = (await floor.log(id)).findLast(({ kind }) => kind === "event")?.event;
  expect(last).toMatchObject({
    to: { speakerUri: ann },
    parameters: { dialogEvent: { id: "de:sage", features: { html: { tokens: [{ value: "<b>yes</b>" }] } } } },
  });
});

test("a channel renders utterances on their way in and out, and may withhold some", async () => {
  const floor = await startSdkAgentsFloor();
  const render: ChannelOptions["render"] = {
    in: ({ text }) => (text.includes("rude") ? undefined : text.toUpperCase()),
    out: ({ text, dialogEvent }) => (text.includes("here") ? dialogEvent : `${text}, slowly`),
  };
  const id = await floor.open("c", await channel(await sage(), { render }));
  expect(said(await floor.say(id, "hello"))).toEqual([[speakerOf("channel"), "Sage: HELLO, slowly"]]);
  expect(said(await floor.say(id, "rude words"))).toEqual([]);
  expect(await floor.transcript(id)).toContain("channel for sage: Sage: HELLO, slowly");
});

test("a whisper stays private all the way, even if the target answers it publicly, leaves or recommends", async () => {
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
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel(await channel(target.url, {}, "inner")));
  const bob = "tag:people.example,2026:bob";
  await floor.call("POST", `/api/v1/conversations/${id}/seat`, { identification: { speakerUri: bob }, kind: "person" });
  const whispered = await floor.whisper(id, "canary", speakerOf("channel"));
  expect(said(whispered)).toEqual([[speakerOf("channel"), "loud canary"]]);
  const passed = target.heard.flatMap(eventsIn).find(({ eventType }) => eventType === "utterance");
  expect(passed?.to).toMatchObject({ private: true });
  expect(JSON.stringify(await floor.log(id, ann))).toContain("canary");
  expect(JSON.stringify(await floor.log(id, bob))).not.toContain("canary");
  expect(JSON.stringify(await floor.log(id))).not.toContain("canary");
  expect(await floor.transcript(id, bob)).not.toContain("channel publishManifests");
});

test("when the target leaves, the channel leaves too", async () => {
  const floor = await startSdkAgentsFloor();
  const leaver = createAgent({
    manifest: manifestOf("leaver"),
    greeting: false,
    onUtterance: ({ say }) => [say("Enough."), bye()],
  });
  const id = await floor.open("c", await channel(await serve(leaver)));
  await floor.say(id, "hello");
  expect((await floor.transcript(id)).slice(-2)).toEqual(["channel for leaver: Enough.", "channel bye"]);
});

test("a channel that is revoked revokes its target, and one that is uninvited uninvites its target", async () => {
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
  const floor = await startSdkAgentsFloor();
  const id = await floor.open("c", await channel(await serve(slow)));
  await floor.say(id, "take your time", { wait: 0 });
  await started;
  const to = { speakerUri: speakerOf("channel") };
  await floor.send(id, [{ eventType: "revokeFloor", to, reason: "@override" }]);
  await floor.send(id, [{ eventType: "uninvite", to }]);
  await expect.poll(() => events.toSorted(), patience).toEqual(["revoked @override", "stopped", "uninvited"]);
  expect(JSON.stringify(await floor.log(id))).not.toContain("too late");
});

test("the history of an invite reaches the target with the invite, and is answered once", async () => {
  const floor = await startSdkAgentsFloor();
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
  const id = await floor.open("c");
  const url = await channel(target);
  const spoken = [utterance(ann, "one"), utterance(ann, "two")] as { parameters: { dialogEvent: object } }[];
  const dialogHistory = spoken.map(({ parameters }) => parameters.dialogEvent);
  const answered = await floor.send(id, [
    { eventType: "invite", to: { serviceUrl: url }, parameters: { dialogHistory } },
  ]);
  expect(said(answered)).toEqual([[speakerOf("channel"), "Sage: two"]]);
  expect(histories).toEqual([["one", "two"]]);
});

test.each(["yield", "bye"] as const)(
  "a target that delegates and will %s is followed behind the channel",
  async (afterwards) => {
    const floor = await startSdkAgentsFloor();
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
    const id = await floor.open("c", await channel(desk, { dialler }));
    await floor.say(id, "why?");
    await floor.say(id, "and how?");
    expect((await floor.transcript(id)).slice(2)).toEqual([
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

test("a target whose successor does not join continues, and a channel follows no delegation to a forbidden address", async () => {
  const floor = await startSdkAgentsFloor();
  const secret = await startAgent(echo);
  const desk = await serve(
    createAgent({
      manifest: manifestOf("desk"),
      greeting: false,
      onUtterance: ({ text, delegate }) =>
        text === "why?" ? delegate({ to: { serviceUrl: secret.url }, otherwise: "Nobody came." }) : `Desk: ${text}`,
    }),
  );
  const id = await floor.open("c", await channel(desk));
  expect(said(await floor.say(id, "why?"))).toEqual([[speakerOf("channel"), "Nobody came."]]);
  expect(said(await floor.say(id, "so?"))).toEqual([[speakerOf("channel"), "Desk: so?"]]);
  expect(secret.heard).toEqual([]);
});
