import { expect, test } from "vitest";
import { type Frame, type Mind, nemoFixture, operatorToken, saying, textIn, uriOf } from "../testing/nemo-fixture.ts";

const echo: Mind = ({ texts }) => texts.map((text) => saying(uriOf("echo"), `echo ${text}`));

const isError = ({ type }: Frame) => type === "error_message";

test("the first message of a new conversation is answered by those who are invited, whose greetings come first", async () => {
  const greeter: Mind = ({ events, texts }) => [
    ...(events.some(({ eventType }) => eventType === "invite") ? [saying(uriOf("greeter"), "good day")] : []),
    ...texts.filter((text) => text === "hello").map((text) => saying(uriOf("greeter"), `and ${text}`)),
  ];
  const { connect, withAgents, log } = await nemoFixture({ greeter, echo });
  const client = await connect(withAgents("session=my-own-secret"));
  const frames = await client.ask("hello", { conversation_id: "c1" });
  const text = textIn(frames);
  expect(text).toContain("echo hello");
  expect(text).toContain("and hello");
  expect(text.indexOf("good day")).toBeLessThan(text.indexOf("and hello"));
  expect(text).toMatch(/\*\*greeter:\*\* good day/u);
  expect(new Set(frames.map(({ conversation_id }) => conversation_id))).toEqual(new Set(["c1"]));
  const responses = frames.filter(({ type }) => type === "system_response_message");
  expect(new Set(responses.map(({ parent_id }) => parent_id))).toEqual(new Set(["m-1"]));
  expect(JSON.stringify(await log("c1"))).not.toContain("my-own-secret");
});

test("a client's own history goes to those who are invited, and is said to nobody else", async () => {
  let history: unknown;
  const reader: Mind = ({ events }) => {
    history ??= events.find(({ eventType }) => eventType === "invite")?.parameters?.dialogHistory;
    return [];
  };
  const { connect, withAgents } = await nemoFixture({ reader });
  const client = await connect(withAgents("session=s"));
  const part = (text: string) => [{ type: "text", text }];
  const messages = [
    { role: "user", content: part("my name is Ann") },
    { role: "assistant", content: part("hello Ann") },
    { role: "user", content: part("who am I?") },
  ];
  const frames = await client.ask("", { conversation_id: "c", content: { messages } });
  const texts = (history as { features: { text: { tokens: { value: string }[] } } }[]).map(
    ({ features }) => features.text.tokens[0]?.value,
  );
  expect(texts).toEqual(["my name is Ann", "hello Ann"]);
  expect(textIn(frames)).not.toContain("my name is Ann");
});

test("a message without a conversation gets one, which every answer names", async () => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  const first = await client.ask("one");
  const second = await client.ask("two");
  const named = new Set([...first, ...second].map(({ conversation_id }) => conversation_id));
  expect(named.size).toBe(1);
  expect([...named][0]).toMatch(/\S/u);
});

test("whoever has the same session is the same guest, and nobody else gets into its conversation", async () => {
  const { connect, withAgents } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=mine"));
  await client.ask("hello", { conversation_id: "c" });
  client.ws.close();
  const again = await connect(withAgents("session=mine&conversation_id=c"));
  expect(textIn(await again.ask("once more", { conversation_id: "c" }))).toContain("echo once more");
  const other = await connect(withAgents("session=other&conversation_id=c"));
  const refused = await other.ask("let me in", { conversation_id: "c" });
  expect(refused.find(isError)?.content.details).toContain("unknown, or not yours");
  expect(textIn(refused)).not.toContain("echo");
});

test("a conversation that is over takes no more words, and the client is told", async () => {
  const { url, connect } = await nemoFixture();
  const client = await connect("?session=s");
  await client.ask("hello", { conversation_id: "c" });
  await fetch(`${url}/api/v1/conversations/c/close`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorToken}` },
  });
  const frames = await client.ask("hello?", { conversation_id: "c" });
  expect(frames.find(isError)).toBeDefined();
  expect(textIn(frames)).not.toBe("");
});

test("a message that is sent again is answered again, and said once", async () => {
  const { connect, withAgents, log } = await nemoFixture({ echo });
  const client = await connect(withAgents("session=s"));
  const message = client.message("only once", { conversation_id: "c", id: "same" });
  client.send(message);
  await client.untilOver();
  client.send(message);
  const again = await client.untilOver();
  expect(textIn(again)).toContain("echo only once");
  const said = (await log("c")).filter(
    ({ kind, event }) => kind === "event" && JSON.stringify(event).includes('"only once"'),
  );
  expect(said).toHaveLength(1);
});

test("`to`, a name at the start and `private` reach one alone; who is not there is not guessed", async () => {
  const whispered: Mind = ({ events, texts }) =>
    events.some(({ eventType, to }) => eventType === "utterance" && to?.private === true)
      ? texts.map((text) => saying(uriOf("quiet"), `psst ${text}`))
      : [];
  const { connect, withAgents, log } = await nemoFixture({ quiet: whispered, echo });
  const client = await connect(withAgents("session=s"));
  await client.ask("hello", { conversation_id: "c" });
  const secret = await client.ask("the word", { conversation_id: "c", to: "quiet", private: true });
  expect(textIn(secret)).toContain("psst the word");
  expect(textIn(secret)).not.toContain("echo the word");
  await client.ask("@echo to you", { conversation_id: "c" });
  const addressed = (await log("c")).find(({ event }) => JSON.stringify(event ?? "").includes("@echo to you"));
  expect(addressed).toMatchObject({ event: { to: { speakerUri: uriOf("echo") } } });
  const refused = await client.ask("to whom", { conversation_id: "c", to: "nobody" });
  expect(refused.find(isError)?.content.details).toMatch(/"quiet".*"echo"/u);
});

test("images, sounds and videos are features of the utterance", async () => {
  const { connect, log } = await nemoFixture();
  const client = await connect("?session=s");
  const content = [
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    { type: "image_url", image_url: { url: "https://pictures.example/cat.png" } },
    { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
  ];
  await client.ask("", { conversation_id: "c", content: { messages: [{ role: "user", content }] } });
  const said = (await log("c")).find(({ event }) => JSON.stringify(event ?? "").includes('"look"'));
  expect(said).toMatchObject({
    event: {
      parameters: {
        dialogEvent: {
          features: {
            image: { mimeType: "image/png", tokens: [{ value: "aGk=" }] },
            "image-2": { tokens: [{ valueUrl: "https://pictures.example/cat.png" }] },
            audio: { mimeType: "audio/wav", tokens: [{ value: "aGk=" }] },
          },
        },
      },
    },
  });
});

test("a person is called as it says, by everybody", async () => {
  const { connect, log } = await nemoFixture();
  const client = await connect("?session=s");
  await client.ask("hello", { conversation_id: "c", user: { name: "Ann\u202e", email: "ann@example" } });
  const [opened] = await log("c");
  expect(opened).toMatchObject({ owner: { identification: { conversationalName: "Ann" } } });
  const unnamed = await connect("?session=t");
  await unnamed.ask("hello", { conversation_id: "d" });
  expect((await log("d"))[0]).toMatchObject({ owner: { identification: { conversationalName: "Guest" } } });
});
