// What a client shows without an answer: an empty bubble would be hidden, and look like a failed floor.
import { expect, test } from "vitest";
import { useNemoFloor } from "./nemo-floor.ts";
import { userMessage } from "./stock-client.ts";

const nemo = useNemoFloor();

const mute = () => nemo.agents.start("Mute", (cue) => (cue.text.startsWith("speak") ? cue.say("I do.") : cue.answer()));
const nobody = /^\*\(Nobody answered\. Here is \S+: begin with a name, such as @\S+\.\)\*$/u;

test("without an answer the bubble says so and lists the conversants; also when the message is repeated", async () => {
  const client = await nemo.floor.visit({ agents: [await mute()] });
  const id = client.say("hello");
  expect((await client.done()).text).toMatch(nobody);
  expect((await client.ask("speak")).text).toContain("I do.");
  expect((await client.ask("@Zoe, hello")).text).toMatch(
    /^\*\(Nobody here is called Zoe, so this went to everybody\./u,
  );
  const before = client.frames.length;
  client.provoke(userMessage(id, client.conversation, "hello"));
  await client.until(() => client.frames.slice(before).some(({ status }) => status === "complete"), "its end");
  expect(JSON.stringify(client.frames.slice(before))).toContain("Nobody answered.");
});

test.each([
  ["of its own", {}],
  ["that is named", { "conversation-id": "silent-http" }],
])("over HTTP the answer in a conversation %s says so, too", async (_, headers) => {
  const { url } = await mute();
  const body = { model: url, messages: [{ role: "user", content: "hello" }] };
  const { status, text } = await nemo.floor.post("/v1/chat/completions", body, headers);
  expect([status, JSON.parse(text).choices[0].message.content]).toEqual([
    200,
    expect.stringMatching(/^\*\(Nobody answered\./u),
  ]);
});
