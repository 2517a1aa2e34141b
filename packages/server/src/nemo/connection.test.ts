import { expect, test } from "vitest";
import { type Frame, type Mind, nemoFixture, saying, textIn, uriOf } from "../testing/nemo-fixture.ts";

const echo: Mind = ({ texts }) => texts.map((text) => saying(uriOf("echo"), `echo ${text}`));

const isError = ({ type }: Frame) => type === "error_message";

test("chat and generate answer in one message, the streaming ones as it comes", async () => {
  const two: Mind = ({ texts }) => texts.flatMap(() => [saying(uriOf("two"), "one"), saying(uriOf("two"), "two")]);
  const { connect, withAgents } = await nemoFixture({ two });
  const client = await connect(withAgents("session=s"));
  const words = (frames: Frame[]) =>
    frames.filter(({ type, status }) => type === "system_response_message" && status === "in_progress");
  for (const schema_type of ["chat", "generate"]) {
    const frames = await client.ask("hello", { conversation_id: "c", schema_type });
    expect(words(frames)).toHaveLength(1);
    expect(textIn(frames)).toMatch(/one[\s\S]*two/u);
  }
});

test.each([
  ["no JSON", "{"],
  ["an array", "[]"],
  ["an unknown type", JSON.stringify({ type: "ping" })],
  ["a message of a server", JSON.stringify({ type: "system_response_message", content: { text: "x" } })],
  ["no words", JSON.stringify({ type: "user_message", schema_type: "chat", content: { messages: [] } })],
  [
    "an answer to nothing",
    JSON.stringify({ type: "user_interaction_message", content: { messages: [{ role: "user", content: "x" }] } }),
  ],
])("%s is answered visibly, and the socket stays", async (_, text) => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  client.send(text);
  const frames = await client.untilOver();
  expect(frames.filter(isError)).toHaveLength(1);
  expect(textIn(frames)).not.toBe("");
  expect(textIn(await client.ask("still there?"))).toContain("echo still there?");
});

test("a binary frame is answered, and the socket stays", async () => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  client.ws.send(Buffer.from([1, 2, 3]));
  expect((await client.untilOver()).filter(isError)).toHaveLength(1);
  expect(textIn(await client.ask("still there?"))).toContain("echo still there?");
});

test("an agent that cannot be reached is told as an error beside the words of the others", async () => {
  const { connect, agentUrls } = await nemoFixture({ echo }, { deliveryLimits: { inviteRetryMs: 50, retryMs: 50 } });
  const agents = [...agentUrls, "http://127.0.0.1:1/nobody"].join(",");
  const client = await connect(`?agents=${encodeURIComponent(agents)}&session=s`);
  const frames = await client.ask("hello", { conversation_id: "c" });
  expect(frames.filter(isError)).toHaveLength(1);
  expect(textIn(frames)).toContain("echo hello");
});

test("one socket holds any number of conversations, and each goes on where it was", async () => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  for (let count = 1; count <= 20; count += 1) await client.ask("hello", { conversation_id: `c${count}` });
  for (const id of ["c1", "c20", "c2"]) {
    const frames = await client.ask(`again in ${id}`, { conversation_id: id });
    expect(frames.filter(isError)).toEqual([]);
    expect(textIn(frames)).toBe(`echo again in ${id}`);
  }
});

test("an answer to a question of a chat that was left goes to that chat", async () => {
  const asker: Mind = ({ events }) =>
    events.flatMap(({ eventType, parameters }) => {
      if (eventType !== "utterance") return [];
      const features = (parameters?.dialogEvent?.features ?? {}) as object;
      if ("interactionReply" in features) return [saying(uriOf("asker"), "thank you")];
      const value = { id: "q", input_type: "text", text: "Your name?" };
      const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
      return [saying(uriOf("asker"), "Your name?", { features: { interaction } })];
    });
  const { connect, withAgents } = await nemoFixture({ asker });
  const client = await connect(withAgents("session=s"));
  const isPrompt = ({ type }: Frame) => type === "system_interaction_message";
  for (const conversation_id of ["a", "b"]) {
    client.send(client.message("hello", { conversation_id }));
    await client.until(isPrompt);
  }
  client.answer("Ann", { conversation_id: "a" });
  const frames = await client.until(({ content }) => String(content.text).includes("thank you"));
  expect(frames.at(-1)?.conversation_id).toBe("a");
});

test("a picture that is too large is answered visibly, and the socket stays", async () => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  const url = `data:image/jpeg;base64,${"A".repeat(3_000_000)}`;
  const content = { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] };
  await client.ask("hello", { conversation_id: "c" });
  const frames = await client.ask("look", { conversation_id: "c", content });
  expect(frames.find(isError)).toMatchObject({
    conversation_id: "c",
    content: {
      code: "invalid_data_content",
      message: "This message is too large",
      details: expect.stringContaining("at most 1048576 bytes"),
    },
  });
  expect(textIn(frames)).toContain("too large");
  expect(textIn(await client.ask("still there?", { conversation_id: "c" }))).toContain("echo still there?");
});
