// The lesson of the guide, played through a real floor with Echo beside it.
import { invite, textUtterance } from "@plenary/protocol";
import { createAgent } from "@plenary/sdk";
import { afterEach, expect, test, vi } from "vitest";
import { ann, bob, type Classroom, openClassroom } from "./classroom.ts";

let opened: Classroom | undefined;

afterEach(async () => {
  await opened?.close();
  expect(opened?.errors).toEqual([]);
  vi.restoreAllMocks();
});

async function openLesson(others?: Parameters<typeof openClassroom>[0]): Promise<Classroom> {
  const room = await openClassroom(others);
  opened = room;
  return room;
}

async function openWithEcho(): Promise<Classroom> {
  const room = await openLesson();
  await room.invite(ann, "echo");
  await room.invite(ann, "guide");
  return room;
}

const matching = (pattern: RegExp) => expect.stringMatching(pattern);
const theQuestion =
  "What would you like to see? (How the floor is passed, How to bring your own agent, Nothing, thanks)";

test("the whole lesson, line by line: one answer of the guide to each task, and none to anything else", async () => {
  const room = await openLesson();
  expect(await room.invite(ann, "echo")).toEqual(["echo: Hello, I am Echo. I repeat what you say."]);
  expect(await room.invite(ann, "guide")).toEqual([
    matching(/^guide: Hello, I am \*\*Guide\*\*.* Say hello to everyone/),
  ]);
  expect(await room.say(ann, "hello")).toEqual([
    "echo: You said: hello",
    matching(/^guide: Welcome! .*\*\*Echo\*\* answers too: it has the floor, and so have I.* write `@Echo`/),
  ]);
  expect(await room.say(ann, "hello again")).toEqual(["echo: You said: hello again"]);
  expect(await room.say(ann, "are you there?", { to: "echo" })).toEqual([
    "echo: You said: are you there?",
    matching(/^guide: Well done: .* press \*\*Whisper\*\*/),
  ]);
  expect(await room.say(ann, "and now?", { to: "echo" })).toEqual(["echo: You said: and now?"]);
  expect(await room.say(ann, "a secret", { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): Only you and I can read this\. .* What would you like to see\? \(/),
  ]);
  expect(await room.reply(ann, ["agent"], { to: "guide", whisper: true })).toEqual([
    matching(/^guide \(private\): .*```js\nimport { createAgent, listen }.*```.*press \*\*Invite\*\*/s),
  ]);
  expect(await room.say(ann, "help", { to: "guide" })).toEqual([`guide: ${theQuestion}`]);
  expect(await room.say(ann, "will it rain?", { to: "guide" })).toEqual([
    matching(/^guide: I am a small tutor: .* What would you like to see\? \(/),
  ]);
  expect(await room.reply(ann, ["nothing"], { to: "guide" })).toEqual([
    matching(/^guide: Then I keep quiet, and stay\./),
  ]);
  expect(await room.say(ann, "goodbye")).toEqual(["echo: You said: goodbye"]);
});

test("the question has the choices as a feature, and only whom it is for sees a whispered one", async () => {
  const room = await openWithEcho();
  await room.seat(bob);
  await room.say(ann, "a secret", { to: "guide", whisper: true });
  expect(await room.questions(ann)).toMatchObject([
    {
      input_type: "radio",
      options: [
        { value: "floor", label: "How the floor is passed" },
        { value: "agent", label: "How to bring your own agent" },
        { value: "nothing", label: "Nothing, thanks" },
      ],
    },
  ]);
  expect(await room.questions(bob)).toEqual([]);
});

test("everyone has a lesson of his own", async () => {
  const room = await openWithEcho();
  await room.seat(bob);
  await room.say(ann, "hello");
  expect(await room.say(bob, "hello, I am Bob")).toEqual([
    "echo: You said: hello, I am Bob",
    matching(/^guide: Welcome! /),
  ]);
  expect(await room.say(ann, "hello Bob")).toEqual(["echo: You said: hello Bob"]);
});

test("without Echo the lesson does without it", async () => {
  const room = await openLesson();
  await room.invite(ann, "guide");
  expect(await room.say(ann, "hello")).toEqual([matching(/^guide: Welcome! (?!.*Echo).* press \*\*Whisper\*\*/)]);
});

test("what it says grows as a draft before it is said", async () => {
  const room = await openWithEcho();
  const screen = await room.watch(ann);
  const [, answer] = await room.say(ann, "hello");
  await screen.draftWith("end");
  const drafts = screen.drafts();
  expect(drafts.filter(({ delta }) => delta !== undefined).length).toBeGreaterThan(2);
  expect(`guide: ${drafts.map(({ delta = "" }) => delta).join("")}`).toBe(answer);
  expect(drafts.at(-1)).toMatchObject({ speakerUri: room.speakerOf("guide"), end: "final" });
  await screen.close();
});

test("Stop cuts its long answer: nothing of it is said, and it asks for the floor when it is called again", async () => {
  const complaints = vi.spyOn(console, "error");
  const room = await openWithEcho();
  const screen = await room.watch(ann);
  const talking = room.say(ann, "floor", { to: "guide" });
  await screen.draftWith("delta");
  const guide = { speakerUri: room.speakerOf("guide") };
  await room.send(ann, [{ eventType: "revokeFloor", to: guide }]);
  await screen.draftWith("end");
  expect(screen.drafts().at(-1)).toMatchObject({ ...guide, end: "dropped" });
  expect(await talking).toEqual([]);
  expect((await room.state()).floorGranted).not.toContain(guide.speakerUri);
  expect(await room.say(ann, "hello")).toEqual(["echo: You said: hello"]);
  expect(await room.say(ann, "hello", { to: "echo" })).toEqual(["echo: You said: hello"]);
  const stillToDo = matching(/^guide: Say hello to everyone.*What would you like to see/);
  expect(await room.say(ann, "help", { to: "guide" })).toEqual([stillToDo]);
  expect((await room.state()).floorGranted).toContain(guide.speakerUri);
  expect(complaints).not.toHaveBeenCalled();
  await screen.close();
});

const about = (speakerUri: string, serviceUrl: string) => ({
  identification: {
    ...{ speakerUri, serviceUrl, organization: "Example", conversationalName: "Chatter" },
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

test.each(["everyone", "whoever spoke"])(
  "an agent that remarks on all it hears, to %s, gets no answer",
  async (whom) => {
    const room = await openLesson({
      chatter: (serviceUrl) =>
        createAgent({
          manifest: about(chatter, serviceUrl),
          onUtterance: ({ sender }) => remark(whom === "everyone" ? undefined : { speakerUri: sender.speakerUri }),
          onOverheard: ({ sender, event }) => {
            if (event.eventType !== "utterance") return undefined;
            return remark(whom === "everyone" ? undefined : { speakerUri: sender.speakerUri });
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

test("an agent that has invited it and answers each of its answers is soon alone", async () => {
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
    matching(/^guide: I am a small tutor/),
    matching(/^guide: I am a small tutor/),
    matching(/^guide: I still do not understand/),
  ]);
  expect((await room.log(ann)).filter(({ kind }) => kind === "paused")).toEqual([]);
});

test("it takes no part in the floor that it does not know: invited as convener it declines", async () => {
  const room = await openLesson();
  const to = { serviceUrl: `${room.url}/agents/guide` };
  await room.send(ann, [{ eventType: "invite", to, parameters: { expectedFloorRoles: ["convener"] } }]);
  expect((await room.log(ann)).flatMap(({ event }) => event?.eventType ?? [])).toContain("declineInvite");
});

test("what was said before it came, it does not answer", async () => {
  const room = await openLesson();
  const to = { serviceUrl: `${room.url}/agents/guide` };
  const before = textUtterance("so far", { speakerUri: ann, id: "h1", startTime: "2026-01-01T00:00:00Z" });
  const dialogHistory = [before.parameters.dialogEvent];
  expect(await room.send(ann, [{ ...invite({ to, dialogHistory }) }])).toEqual([matching(/^guide: Hello/)]);
});
