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
  const floor = await startHostedAgentsFloor(...settings);
  opened = floor;
  return floor;
}

async function openWithClock(): Promise<HostedAgentsFloor> {
  const floor = await openLesson();
  await floor.invite(ann, "clock");
  await floor.invite(ann, "guide");
  return floor;
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
  const floor = await openLesson();
  expect(await floor.invite(ann, "clock")).toEqual([matching(/^clock: Hello, I am Clock\./)]);
  expect(await floor.invite(ann, "guide")).toEqual([
    // Names no keys: the person may use a terminal or an unknown client.
    matching(/^guide: Hello, I am \*\*Guide\*\*.* Say hello to everyone: write something and send it\.$/),
  ]);
  expect(await floor.say(ann, "hello")).toEqual([
    matching(/^guide: Welcome! Everyone here heard you\..* write `@Clock what time is it in Tokyo\?`/),
  ]);
  expect(await floor.say(ann, "hello again")).toEqual([]);
  // The two answer in no fixed order.
  expect((await floor.say(ann, "what time is it in Tokyo?", { to: "clock" })).sort()).toEqual([
    matching(/^clock: .*Tokyo/),
    matching(/^guide: Well done: .* press \*\*Whisper\*\* .* in the terminal begin with `\/whisper Guide`/),
  ]);
  expect(await floor.say(ann, "and in Oslo?", { to: "clock" })).toEqual([matching(/^clock: /)]);
  expect(await floor.say(ann, "a secret", { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): Only you and I can read this\. .* What would you like to see\? \(/),
  ]);
  expect(await floor.reply(ann, ["agent"], { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): .*```js\nimport { createAgent, listen }.*```.*press \*\*Invite\*\*/s),
  ]);
  expect(await floor.reply(ann, ["others"], { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): .*- `@Clock what time is it in Tokyo\?`/s),
  ]);
  expect(await floor.say(ann, "help", { to: "guide" })).toEqual([`guide: ${theQuestion}`]);
  expect(await floor.reply(ann, ["nothing"], { to: "guide" })).toEqual([
    matching(/^guide: Then I stay here and keep quiet\./),
  ]);
  expect(await floor.say(ann, "goodbye")).toEqual([]);
});

test("the guide answers a question from its documents, with the section, and says so when they have no answer", async () => {
  const floor = await openWithClock();
  const convener = matching(/^guide: A convener .*\(Inter-Agent Message 1\.1\.0, section 0\.4\.2\)\n\nSee also: /s);
  expect(await floor.say(ann, "what is a convener?", { to: "guide" })).toEqual([convener]);
  expect(await floor.say(ann, "Guide, what's a convenor?")).toEqual([convener]);
  expect(await floor.say(ann, "What is a convener?")).toEqual([convener]);
  expect(await floor.say(ann, "how do I whisper?", { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): Press Whisper .*\(docs\/chat\.md; SECURITY\.md\).*What would you like to see/s),
  ]);
  expect(await floor.say(ann, "will it rain in Rome?", { to: "guide" })).toEqual([
    matching(/^guide: I do not know that: .* I could tell you about What Open Floor is or What Plenary is\./),
  ]);
  expect(await floor.reply(ann, ["What Plenary is"], { to: "guide" })).toEqual([
    matching(/^guide: Plenary is an open floor.*\(README\.md\)/s),
  ]);
  expect(await floor.say(ann, "will it rain in Rome?")).toEqual([]);
});

test("the question carries its choices as a feature, and only its addressee sees a whispered one", async () => {
  const floor = await openWithClock();
  await floor.seat(bob);
  await floor.say(ann, "a secret", { to: "guide", whisper: true });
  expect(await floor.questions(ann)).toMatchObject([
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
  expect(await floor.questions(bob)).toEqual([]);
});

test("each person has a separate lesson", async () => {
  const floor = await openWithClock();
  await floor.seat(bob);
  await floor.say(ann, "hello");
  expect(await floor.say(bob, "hello, I am Bob")).toEqual([matching(/^guide: Welcome! /)]);
  expect(await floor.say(ann, "hello again")).toEqual([]);
});

test("the lesson uses the present agents, and works without any", async () => {
  const floor = await openLesson();
  await floor.invite(ann, "guide");
  expect(await floor.say(ann, "hello")).toEqual([matching(/^guide: Welcome! (?!.*`@).* press \*\*Whisper\*\*/)]);
  await floor.seat(bob);
  await floor.invite(ann, "echo");
  expect((await floor.say(bob, "hello")).sort()).toEqual([
    "echo: You said: hello",
    matching(/^guide: Welcome! .* write `@Echo can you hear me\?`/),
  ]);
});

test("an answer of the guide is a draft before it is an utterance", async () => {
  const floor = await openLesson({}, {});
  await floor.invite(ann, "guide");
  const screen = await floor.watch(ann);
  const [answer] = await floor.say(ann, "hello");
  await screen.draftWith("end");
  const drafts = screen.drafts();
  expect(drafts.filter(({ delta }) => delta !== undefined).length).toBeGreaterThan(2);
  expect(`guide: ${drafts.map(({ delta = "" }) => delta).join("")}`).toBe(answer);
  expect(drafts.at(-1)).toMatchObject({ speakerUri: floor.speakerOf("guide"), end: "final" });
  await screen.close();
});

test("Stop aborts a long answer of the guide: it is not said, and the guide requests the floor afterwards", async () => {
  const complaints = vi.spyOn(console, "error");
  const floor = await openWithClock();
  const screen = await floor.watch(ann);
  const talking = floor.say(ann, "floor", { to: "guide" });
  await screen.draftWith("delta");
  const guide = { speakerUri: floor.speakerOf("guide") };
  await floor.send(ann, [{ eventType: "revokeFloor", to: guide }]);
  await screen.draftWith("end");
  expect(screen.drafts().at(-1)).toMatchObject({ ...guide, end: "dropped" });
  expect(await talking).toEqual([]);
  expect((await floor.state()).floorGranted).not.toContain(guide.speakerUri);
  expect(await floor.say(ann, "hello")).toEqual([]);
  expect(await floor.say(ann, "what time is it in Rome?", { to: "clock" })).toEqual([matching(/^clock: /)]);
  const stillToDo = matching(/^guide: Say hello to everyone.*What would you like to see/);
  expect(await floor.say(ann, "help", { to: "guide" })).toEqual([stillToDo]);
  expect((await floor.state()).floorGranted).toContain(guide.speakerUri);
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
    const floor = await openLesson({
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
    await floor.invite(ann, "chatter");
    await floor.invite(ann, "guide");
    const lines = await floor.say(ann, "hello");
    expect(lines.filter((line) => line.startsWith("guide"))).toEqual([matching(/^guide: Welcome! /)]);
    expect(lines.filter((line) => line.startsWith("chatter"))).toHaveLength(2);
  },
);

test("an agent that invited the guide and answers each of its answers gets three answers only", async () => {
  const floor = await openLesson({
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
  await floor.invite(ann, "chatter");
  const lines = await floor.say(ann, "fetch the guide");
  expect(lines.filter((line) => line.startsWith("guide"))).toEqual([
    matching(/^guide: Hello/),
    matching(/^guide: I do not know that/),
    matching(/^guide: I do not know that/),
    matching(/^guide: I still do not understand/),
  ]);
  expect((await floor.log(ann)).filter(({ kind }) => kind === "paused")).toEqual([]);
});

test("the guide declines an invite for the role of convener", async () => {
  const floor = await openLesson();
  const to = { serviceUrl: `${floor.url}/agents/guide` };
  await floor.send(ann, [{ eventType: "invite", to, parameters: { expectedFloorRoles: ["convener"] } }]);
  expect((await floor.log(ann)).flatMap(({ event }) => event?.eventType ?? [])).toContain("declineInvite");
});

test("the guide does not answer utterances from before it joined", async () => {
  const floor = await openLesson();
  const to = { serviceUrl: `${floor.url}/agents/guide` };
  const before = textUtterance("so far", { speakerUri: ann, id: "h1", startTime: "2026-01-01T00:00:00Z" });
  const dialogHistory = [before.parameters.dialogEvent];
  expect(await floor.send(ann, [{ ...invite({ to, dialogHistory }) }])).toEqual([matching(/^guide: Hello/)]);
});
