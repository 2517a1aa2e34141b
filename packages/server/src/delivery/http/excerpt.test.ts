// The error message of a peer may quote the request, so private requests have no excerpt.
import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { OutboundMessage } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { excerptOf } from "./excerpt.ts";

const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const utterance = textUtterance("hello", { speakerUri: ann, id: "u1", startTime: "2026-01-01T00:00:00Z" });

function excerpt(event: FloorEvent, body = "{}", answer = '{"error":"The key has expired"}') {
  const events = [event];
  const message = {
    envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events }),
  } as unknown as OutboundMessage;
  async function* words() {
    yield new TextEncoder().encode(answer);
  }
  return excerptOf({ status: 401, headers: new Headers(), body: words() }, { message, body }, createFakeClock());
}

test("an error message is excerpted for public utterances and for an invite without a history", async () => {
  expect(await excerpt(utterance)).toBe("The key has expired");
  expect(await excerpt(invite({ to: bot }))).toBe("The key has expired");
});

test("there is no excerpt for a whisper", async () => {
  expect(await excerpt({ ...utterance, to: { ...bot, private: true } })).toBeUndefined();
});

test("there is no excerpt for an invite with a history", async () => {
  const dialogHistory = utterance.eventType === "utterance" ? [utterance.parameters.dialogEvent] : [];
  expect(await excerpt(invite({ to: bot, dialogHistory }))).toBeUndefined();
});

test("there is no excerpt where persistent state was sent; empty state does not count", async () => {
  expect(await excerpt(utterance, '{"ovon":{"conversation":{"persistentState":{"k":"secret"}}}}')).toBeUndefined();
  expect(await excerpt(utterance, '{"ovon":{"conversation":{"persistentState":{}}}}')).toBe("The key has expired");
});

test("each error of a list is included, with its location", async () => {
  const answer = '{"detail":[{"loc":["body","name"],"msg":"field required"},{"msg":"too short"}]}';
  expect(await excerpt(utterance, "{}", answer)).toBe("body.name: field required; too short");
});

test("there is no excerpt that shares a word with the utterance, in any case", async () => {
  const spoken = textUtterance("the Password is swordfish", {
    speakerUri: ann,
    id: "u2",
    startTime: "2026-01-01T00:00:00Z",
  });
  const answered = (error: string) => excerpt(spoken, "{}", JSON.stringify({ error }));
  expect(await answered("I do not know SWORDFISH")).toBeUndefined();
  expect(await answered("sword is no key")).toBeUndefined();
  expect(await answered("passwords are secret")).toBeUndefined();
  expect(await answered("The key has expired")).toBe("The key has expired");
});

const excerptFor = (answer: string) => excerpt(utterance, "{}", answer);

test("an HTML page gives its text, other JSON the text itself, an error object its first message", async () => {
  expect(await excerptFor(" <html><style>p{}</style><p>Not <b>here</b></p><script>x()</script>")).toBe("Not here");
  expect(await excerptFor("a < b")).toBe("a < b");
  expect(await excerptFor('{"code":7}')).toBe('{"code":7}');
  expect(await excerptFor("[]")).toBe("[]");
  expect(await excerptFor('{"detail":"","message":"Too large"}')).toBe("Too large");
  expect(await excerptFor('{"error":{"message":"No quota"}}')).toBe("No quota");
  expect(await excerptFor('{"errors":["one",7,"two"]}')).toBe("one; two");
  expect(await excerptFor("")).toBeUndefined();
});

test("an excerpt is one line of at most 200 characters, without control characters", async () => {
  expect(await excerptFor(" \u001b[31mred\n\u202eline @token ")).toBe("[31mred line @ token");
  expect(await excerptFor("é".repeat(300))).toBe("é".repeat(200));
  expect(await excerptFor(`${"é".repeat(199)} end`)).toBe("é".repeat(199));
});

test("only the beginning is read, for a second; a compressed answer is not read", async () => {
  const clock = createFakeClock();
  const message = {
    envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events: [utterance] }),
  };
  let chunks = 0;
  async function* endless() {
    for (;;) {
      chunks += 1;
      yield new TextEncoder().encode("x".repeat(1_024));
    }
  }
  async function* stuck() {
    yield new TextEncoder().encode("Wait");
    await new Promise(() => {});
  }
  const take = (body: AsyncIterable<Uint8Array>, headers = new Headers()) =>
    excerptOf({ status: 401, headers, body }, { message: message as unknown as OutboundMessage, body: "{}" }, clock);
  expect(await take(endless())).toBe("x".repeat(200));
  expect([chunks, clock.pending()]).toEqual([4, 0]);
  const slow = take(stuck());
  await clock.advance(999);
  expect(clock.pending()).toBe(1);
  await clock.advance(1);
  expect(await slow).toBe("Wait");
  expect(await take(endless(), new Headers({ "content-encoding": "gzip" }))).toBeUndefined();
});
