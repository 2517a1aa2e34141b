// The lesson of the guide, on a real floor with other agents.
import { invite, textUtterance } from "@plenary/protocol";
import { createAgent } from "@plenary/sdk";
import { afterEach, expect, test, vi } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { type HostedAgentsFloor, startHostedAgentsFloor } from "./hosted-agents-floor.ts";

let opened: HostedAgentsFloor | undefined;

afterEach(async () => {
  await opened?.close();
  expect(opened?.errors).toEqual([]);
  vi.restoreAllMocks();
});

async function openLesson(...settings: Parameters<typeof startHostedAgentsFloor>): Promise<HostedAgentsFloor> {
  const room = await startHostedAgentsFloor(...settings);
  opened = room;
  return room;
}

async function openWithClock(): Promise<HostedAgentsFloor> {
  const room = await openLesson();
  await room.invite(ann, "clock");
  await room.invite(ann, "guide");
  return room;
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern);
const labels = [
  "How the floor is passed",
  "What can I ask the others?",
  "How to bring your own agent",
  "Nothing, thanks",
];
const theQuestion = `What would you like to see? (${labels.join(", ")})`;

test("the guide answers each task of the lesson once, and nothing else", async () => {
  const room = await openLesson();
  expect(await room.invite(ann, "clock")).toEqual([matching(/^clock: Hello, I am Clock\./)]);
  expect(await room.invite(ann, "guide")).toEqual([
    // Names no keys: the person may use a terminal or an unknown client.
    matching(/^guide: Hello, I am \*\*Guide\*\*.* Say hello to everyone: write something and send it\.$/),
  ]);
  expect(await room.say(ann, "hello")).toEqual([
    matching(/^guide: Welcome! Everyone here heard you\..* write `@Clock what time is it in Tokyo\?`/),
  ]);
  expect(await room.say(ann, "hello again")).toEqual([]);
  // The two answer in no fixed order.
  expect((await room.say(ann, "what time is it in Tokyo?", { to: "clock" })).sort()).toEqual([
    matching(/^clock: .*Tokyo/),
    matching(/^guide: Well done: .* press \*\*Whisper\*\* .* in the terminal begin with `\/whisper Guide`/),
  ]);
  expect(await room.say(ann, "and in Oslo?", { to: "clock" })).toEqual([matching(/^clock: /)]);
  expect(await room.say(ann, "a secret", { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): Only you and I can read this\. .* What would you like to see\? \(/),
  ]);
  expect(await room.reply(ann, ["agent"], { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): .*```js\nimport { createAgent, listen }.*```.*press \*\*Invite\*\*/s),
  ]);
  expect(await room.reply(ann, ["others"], { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): .*- `@Clock what time is it in Tokyo\?`/s),
  ]);
  expect(await room.say(ann, "help", { to: "guide" })).toEqual([`guide: ${theQuestion}`]);
  expect(await room.reply(ann, ["nothing"], { to: "guide" })).toEqual([
    matching(/^guide: Then I stay here and keep quiet\./),
  ]);
  expect(await room.say(ann, "goodbye")).toEqual([]);
});

test("the guide answers a question from its documents, with the section, and says so when they have no answer", async () => {
  const room = await openWithClock();
  const convener = matching(/^guide: A convener .*\(Inter-Agent Message 1\.1\.0, section 0\.4\.2\)\n\nSee also: /s);
  expect(await room.say(ann, "what is a convener?", { to: "guide" })).toEqual([convener]);
  expect(await room.say(ann, "Guide, what's a convenor?")).toEqual([convener]);
  expect(await room.say(ann, "What is a convener?")).toEqual([convener]);
  expect(await room.say(ann, "how do I whisper?", { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): Press Whisper .*\(docs\/chat\.md; SECURITY\.md\).*What would you like to see/s),
  ]);
  expect(await room.say(ann, "will it rain in Rome?", { to: "guide" })).toEqual([
    matching(/^guide: I do not know that: .* I could tell you about What Open Floor is or What Plenary is\./),
  ]);
  expect(await room.reply(ann, ["What Plenary is"], { to: "guide" })).toEqual([
    matching(/^guide: Plenary is an open floor.*\(README\.md\)/s),
  ]);
  expect(await room.say(ann, "will it rain in Rome?")).toEqual([]);
});

test("the question carries its choices as a feature, and only its addressee sees a whispered one", async () => {
  const room = await openWithClock();
  await room.seat(bob);
  await room.say(ann, "a secret", { to: "guide", whisper: true });
  expect(await room.questions(ann)).toMatchObject([
    {
      input_type: "radio",
      options: [
        { value: "floor", label: "How the floor is passed" },
        { value: "others", label: "What can I ask the others?" },
        { value: "agent", label: "How to bring your own agent" },
        { value: "nothing", label: "Nothing, thanks" },
      ],
    },
  ]);
  expect(await room.questions(bob)).toEqual([]);
});

test("each person has a separate lesson", async () => {
  const room = await openWithClock();
  await room.seat(bob);
  await room.say(ann, "hello");
  expect(await room.say(bob, "hello, I am Bob")).toEqual([matching(/^guide: Welcome! /)]);
  expect(await room.say(ann, "hello again")).toEqual([]);
});

test("the lesson uses the present agents, and works without any", async () => {
  const room = await openLesson();
  await room.invite(ann, "guide");
  expect(await room.say(ann, "hello")).toEqual([matching(/^guide: Welcome! (?!.*`@).* press \*\*Whisper\*\*/)]);
  await room.seat(bob);
  await room.invite(ann, "echo");
  expect((await room.say(bob, "hello")).sort()).toEqual([
    "echo: You said: hello",
    matching(/^guide: Welcome! .* write `@Echo can you hear me\?`/),
  ]);
});

test("an answer of the guide is a draft before it is an utterance", async () => {
  const room = await openLesson({}, {});
  await room.invite(ann, "guide");
  const screen = await room.watch(ann);
  const [answer] = await room.say(ann, "hello");
  await screen.draftWith("end");
  const drafts = screen.drafts();
  expect(drafts.filter(({ delta }) => delta !== undefined).length).toBeGreaterThan(2);
  expect(`guide: ${drafts.map(({ delta = "" }) => delta).join("")}`).toBe(answer);
  expect(drafts.at(-1)).toMatchObject({ speakerUri: room.speakerOf("guide"), end: "final" });
  await screen.close();
});

test("Stop aborts a long answer of the guide: it is not said, and the guide requests the floor when addressed again", async () => {
  const complaints = vi.spyOn(console, "error");
  const room = await openWithClock();
  const screen = await room.watch(ann);
  const talking = room.say(ann, "floor", { to: "guide" });
  await screen.draftWith("delta");
  const guide = { speakerUri: room.speakerOf("guide") };
  await room.send(ann, [{ eventType: "revokeFloor", to: guide }]);
  await screen.draftWith("end");
  expect(screen.drafts().at(-1)).toMatchObject({ ...guide, end: "dropped" });
  expect(await talking).toEqual([]);
  expect((await room.state()).floorGranted).not.toContain(guide.speakerUri);
  expect(await room.say(ann, "hello")).toEqual([]);
  expect(await room.say(ann, "what time is it in Rome?", { to: "clock" })).toEqual([matching(/^clock: /)]);
  const stillToDo = matching(/^guide: Say hello to everyone.*What would you like to see/);
  expect(await room.say(ann, "help", { to: "guide" })).toEqual([stillToDo]);
  expect((await room.state()).floorGranted).toContain(guide.speakerUri);
  expect(complaints).not.toHaveBeenCalled();
  await screen.close();
});

const about = (speakerUri: string, serviceUrl: string) => ({
  identification: {
    speakerUri,
    serviceUrl,
    organization: "Example",
    conversationalName: "Chatter",
    synopsis: "Has something to say about everything.",
  },
  capabilities: [{ keyphrases: ["chat"], descriptions: ["chats"] }],
});

const chatter = "tag:chatter.example,2026:chatter";
let spoken = 0;

function remark(to?: { speakerUri: string }) {
  spoken += 1;
  const startTime = new Date().toISOString();
  return textUtterance(`remark ${spoken}`, { speakerUri: chatter, id: `r${spoken}`, startTime, ...(to && { to }) });
}

test.each(["everyone", "the speaker"])(
  "an agent that comments on every utterance, to %s, gets no answer",
  async (addressee) => {
    const room = await openLesson({
      chatter: (serviceUrl) =>
        createAgent({
          manifest: about(chatter, serviceUrl),
          onUtterance: ({ sender }) => remark(addressee === "everyone" ? undefined : { speakerUri: sender.speakerUri }),
          onOverheard: ({ sender, event }) => {
            if (event.eventType !== "utterance") return undefined;
            return remark(addressee === "everyone" ? undefined : { speakerUri: sender.speakerUri });
          },
        }),
    });
    await room.invite(ann, "chatter");
    await room.invite(ann, "guide");
    const lines = await room.say(ann, "hello");
    expect(lines.filter((line) => line.startsWith("guide"))).toEqual([matching(/^guide: Welcome! /)]);
    expect(lines.filter((line) => line.startsWith("chatter"))).toHaveLength(2);
  },
);

test("an agent that invited the guide and answers each of its answers gets three answers only", async () => {
  const room = await openLesson({
    chatter: (serviceUrl) =>
      createAgent({
        manifest: about(chatter, serviceUrl),
        greeting: false,
        onUtterance: ({ sender, text }) =>
          text === "fetch the guide"
            ? invite({ to: { serviceUrl: serviceUrl.replace("chatter", "guide") } })
            : remark({ speakerUri: sender.speakerUri }),
      }),
  });
  await room.invite(ann, "chatter");
  const lines = await room.say(ann, "fetch the guide");
  expect(lines.filter((line) => line.startsWith("guide"))).toEqual([
    matching(/^guide: Hello/),
    matching(/^guide: I do not know that/),
    matching(/^guide: I do not know that/),
    matching(/^guide: I still do not understand/),
  ]);
  expect((await room.log(ann)).filter(({ kind }) => kind === "paused")).toEqual([]);
});

test("the guide declines an invite for the role of convener", async () => {
  const room = await openLesson();
  const to = { serviceUrl: `${room.url}/agents/guide` };
  await room.send(ann, [{ eventType: "invite", to, parameters: { expectedFloorRoles: ["convener"] } }]);
  expect((await room.log(ann)).flatMap(({ event }) => event?.eventType ?? [])).toContain("declineInvite");
});

test("the guide does not answer utterances from before it joined", async () => {
  const room = await openLesson();
  const to = { serviceUrl: `${room.url}/agents/guide` };
  const before = textUtterance("so far", { speakerUri: ann, id: "h1", startTime: "2026-01-01T00:00:00Z" });
  const dialogHistory = [before.parameters.dialogEvent];
  expect(await room.send(ann, [{ ...invite({ to, dialogHistory }) }])).toEqual([matching(/^guide: Hello/)]);
});
