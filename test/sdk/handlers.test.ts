import { envelope, getManifests, invite, publishManifests, requestFloor, revokeFloor } from "@plenary/protocol";
import { describe, expect, test } from "vitest";
import { ann, createFloor, gist, me, other, said, toMe } from "./minimal-floor.ts";

test("onManifests chooses the recommended agents", async () => {
  const { deliver } = createFloor({
    onManifests: ({ scope, text }) => (scope === "external" && text === "fly" ? { discoveryManifests: [] } : undefined),
  });
  const to = { serviceUrl: me.serviceUrl };
  expect(
    await deliver([getManifests({ to, recommendScope: "external" }), said("fly", { ...to, private: true })]),
  ).toEqual([publishManifests({ to: ann, discoveryManifests: [] })]);
});

test("a stream of strings is one utterance", async () => {
  const { deliver } = createFloor({
    async *onUtterance({ text }) {
      yield "You said: ";
      yield text;
    },
  });
  expect(gist(await deliver([said("hi")]))).toEqual(["say: You said: hi"]);
});

test("state is kept per conversation, and the conversation that was idle for longest is forgotten", async () => {
  const { deliver } = createFloor({
    conversationsMax: 2,
    onUtterance: ({ state }) => {
      state.count = Number(state.count ?? 0) + 1;
      return String(state.count);
    },
  });
  const count = async (id: string) => gist(await deliver([said("next")], { conversation: { id } }))[0];
  expect(await count("a")).toBe("say: 1");
  expect(await count("b")).toBe("say: 1");
  expect(await count("a")).toBe("say: 2");
  expect(await count("c")).toBe("say: 1");
  expect(await count("a")).toBe("say: 3");
  expect(await count("b")).toBe("say: 1");
});

test("D31: a question carries its choices, and plain text chooses", async () => {
  const replies: unknown[] = [];
  const { deliver } = createFloor({
    onUtterance: ({ ask, reply }) => {
      replies.push(reply);
      return reply === undefined ? ask({ text: "Which size?", options: [{ label: "Small", value: "S" }] }) : "Thanks.";
    },
  });
  const [question] = await deliver([said("pizza")]);
  if (question?.eventType !== "utterance") throw new Error("an utterance was expected");
  const { id, features } = question.parameters.dialogEvent;
  expect(features).toMatchObject({
    text: { tokens: [{ value: "Which size? (Small)" }] },
    interaction: {
      mimeType: "application/vnd.plenary.interaction+json",
      tokens: [{ value: { id, input_type: "radio", options: [{ id: "1", label: "Small", value: "S" }] } }],
    },
  });
  expect(gist(await deliver([said("small")]))).toEqual(["say: Thanks."]);
  await deliver([said("another pizza")]);
  expect(replies).toEqual([undefined, { id, values: ["S"] }, undefined]);
});

test("D31: a question without an answer in time lapses, and later utterances do not answer it", async () => {
  const replies: unknown[] = [];
  const { deliver } = createFloor({
    onUtterance: ({ ask, reply }) => {
      replies.push(reply);
      return replies.length === 1 ? ask({ text: "Which size?", timeoutMs: 1_000 }) : "Never mind.";
    },
  });
  const [question] = await deliver([said("pizza")]);
  const id = question?.eventType === "utterance" ? question.parameters.dialogEvent.id : "";
  const floor = { speakerUri: "tag:floor.example,2025:1" };
  const lapse = said("Your question was not answered in time.", toMe, floor.speakerUri);
  const tokens = [{ value: { id, values: [], lapsed: true } }];
  lapse.parameters.dialogEvent.features.interactionReply = { mimeType: "application/json", tokens };
  expect(gist(await deliver([lapse], { sender: floor }))).toEqual(["say: Never mind."]);
  await deliver([said("hello")]);
  expect(replies).toEqual([undefined, { id, values: [], isLapsed: true }, undefined]);
});

test("invite brings another agent in with the history, but without whispers", async () => {
  const { deliver } = createFloor({ onUtterance: ({ invite }) => invite(other) });
  const [open] = await deliver([said("help")]);
  expect(open).toMatchObject({ to: other, parameters: { dialogHistory: [{ id: "de:help" }] } });
  const [secret] = await deliver([said("help", { ...toMe, private: true })]);
  expect(secret).toEqual(invite({ to: other }));
});

test("a handler that throws is reported to the developer, and the floor gets no text", async () => {
  const { post, errors } = createFloor({
    onUtterance: () => {
      throw new Error("the key is 12345");
    },
  });
  const openFloor = envelope({ conversation: { id: "c1" }, sender: ann, events: [said("hi")] });
  const response = await post(JSON.stringify({ openFloor }));
  const text = await response.text();
  expect(JSON.parse(text).openFloor.events).toEqual([]);
  expect(text).not.toContain("12345");
  expect(errors).toMatchObject([{ message: "the key is 12345" }]);
});

test("an onInvite that throws declines with @error", async () => {
  const onInvite = () => Promise.reject(new Error("no database"));
  expect(await createFloor({ onInvite }).deliver([invite({ to: me })])).toMatchObject([
    { eventType: "declineInvite", reason: "@error" },
  ]);
});

test("a handler that is too slow gets an abort signal, and its answer is empty", async () => {
  let wasAborted = false;
  const { deliver, errors } = createFloor({
    replyTimeoutMs: 5,
    onUtterance: ({ signal }) =>
      new Promise<undefined>(() => {
        signal.addEventListener("abort", () => {
          wasAborted = true;
        });
      }),
  });
  expect(await deliver([said("hi")])).toEqual([]);
  expect(wasAborted).toBe(true);
  expect(errors).toMatchObject([{ message: "no answer within 5 ms" }]);
});

test("revokeFloor ends the answer being composed", async () => {
  let hear = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const { deliver } = createFloor({
    onUtterance: () => {
      hear();
      return new Promise<string>(() => {});
    },
  });
  const slow = deliver([said("tell me a story")]);
  await heard;
  expect(await deliver([revokeFloor({ to: toMe })])).toEqual([]);
  expect(await slow).toEqual([]);
});

test("D31: a reply given as a feature names its question", async () => {
  const replies: unknown[] = [];
  const { deliver } = createFloor({
    onUtterance: ({ reply }) => {
      replies.push(reply);
      return undefined;
    },
  });
  const answer = said("Small");
  const token = { value: { id: "de:7", values: ["S", 2, { toString: 1 }] } };
  answer.parameters.dialogEvent.features.interactionReply = { mimeType: "application/json", tokens: [token] };
  await deliver([answer, said("plain words")]);
  expect(replies).toEqual([{ id: "de:7", values: ["S", "2"] }, undefined]);
});

test("an utterance without an addressee is overheard without the floor, and onOverheard cannot speak", async () => {
  const { deliver } = createFloor({ onOverheard: ({ say }) => [say("but"), requestFloor()] });
  await deliver([revokeFloor({ to: toMe })]);
  expect(gist(await deliver([said("hi")]))).toEqual(["requestFloor"]);
});

test("whisper goes to the sender, or to the given addressee", async () => {
  const { deliver } = createFloor({ onUtterance: ({ whisper }) => [whisper("a"), whisper("b", other.speakerUri)] });
  expect((await deliver([said("hi")])).map(({ to }) => to)).toEqual([
    { speakerUri: ann.speakerUri, private: true },
    { speakerUri: other.speakerUri, private: true },
  ]);
});

test("a conversation that is evicted for others is notified that its state is forgotten", async () => {
  const forgotten: unknown[] = [];
  const { deliver } = createFloor({
    conversationsMax: 1,
    onUtterance: ({ text, state }) => {
      state.said = text;
      return undefined;
    },
    onForget: (state) => forgotten.push(state),
  });
  await deliver([said("one")]);
  await deliver([said("two")], { conversation: { id: "c1" } });
  expect(forgotten).toEqual([]);
  await deliver([said("three")], { conversation: { id: "c2" } });
  expect(forgotten).toEqual([{ said: "two" }]);
});

describe("the reported speaker", () => {
  const listed = (who: { speakerUri: string; serviceUrl: string }, role?: string) => ({
    identification: {
      ...who,
      organization: "Example",
      conversationalName: "One",
      synopsis: "Is here.",
      ...(role && { role }),
    },
  });

  async function heardBy(sender: object, speakerUri: string, conversation: object) {
    const heard: unknown[] = [];
    const { deliver } = createFloor({
      onUtterance: ({ speakerUri, speakerKind, isAddressed, isWithInvite }) => {
        heard.push([speakerUri, speakerKind(speakerUri), isAddressed, isWithInvite]);
        return undefined;
      },
    });
    await deliver([said("hi", undefined, speakerUri)], { sender, conversation });
    return heard;
  }

  test("is the speaker of the utterance, where the floor relays it under its own name", async () => {
    const floor = { speakerUri: "tag:floor.example,2025:1" };
    const two = { conversants: [listed(ann, "User"), listed(me)] };
    expect(await heardBy(floor, ann.speakerUri, two)).toEqual([[ann.speakerUri, "person", true, false]]);
    expect(await heardBy(floor, ann.speakerUri, {})).toEqual([[ann.speakerUri, "unknown", true, false]]);
  });

  test("is the sender, where an agent names another speaker for its utterance", async () => {
    const three = { conversants: [listed(ann, "User"), listed(other), listed(me)] };
    expect(await heardBy(other, ann.speakerUri, three)).toEqual([[other.speakerUri, "agent", false, false]]);
  });

  test("is alone with the agent, and is answered without `to`, while no other agent is listed", async () => {
    expect(await heardBy(ann, ann.speakerUri, {})).toMatchObject([[ann.speakerUri, "unknown", true, false]]);
    const agentsOnly = { conversants: [listed(me)] };
    expect(await heardBy(ann, ann.speakerUri, agentsOnly)).toMatchObject([[ann.speakerUri, "unknown", true, false]]);
    const three = { conversants: [listed(ann), listed(other), listed(me)] };
    expect(await heardBy(ann, ann.speakerUri, three)).toMatchObject([[ann.speakerUri, "unknown", false, false]]);
  });

  test("is not alone once another conversant spoke", async () => {
    const heard: boolean[] = [];
    const { deliver } = createFloor({
      onUtterance: ({ isAddressed }) => {
        heard.push(isAddressed);
        return undefined;
      },
    });
    await deliver([said("hi")]);
    await deliver([said("hello", undefined, other.speakerUri)], { sender: other });
    await deliver([said("who is here?")]);
    await deliver([{ eventType: "bye" }], { sender: other });
    await deliver([said("and now?")]);
    expect(heard).toEqual([true, false, false, true]);
  });
});
