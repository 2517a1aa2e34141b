import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { defaultDeliveryLimits } from "../../limits.ts";
import type { Dialler, DialRequest } from "../../ports/dialler.ts";
import type { OutboundMessage } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createHttpOutbound } from "./client.ts";
import type { HttpOptions } from "./judge-response.ts";
import { signatureHeaders } from "./signature.ts";

// The example of the Standard Webhooks libraries.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const example = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}', nowMs: 1_614_265_330_999 };
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

test("the signature of the Standard Webhooks example is reproduced", () => {
  expect(signatureHeaders({ ...example, secrets: [secret] })).toEqual({
    "webhook-timestamp": "1614265330",
    "webhook-signature": signature,
  });
});

test("the first two secrets sign, a third does not", () => {
  const headers = signatureHeaders({ ...example, secrets: [other, secret, other] });
  const [first, second, ...rest] = headers["webhook-signature"]?.split(" ") ?? [];
  expect(first).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/u);
  expect([second, rest]).toEqual([signature, []]);
});

test("without a secret there is no signature", () => {
  expect(signatureHeaders({ ...example, secrets: [] })).toEqual({});
});

test("non-ASCII text is signed as UTF-8", () => {
  const of = (body: string) => signatureHeaders({ ...example, body, secrets: [secret] })["webhook-signature"];
  expect(of('{"text":"grüß 🙂"}')).toBe("v1,2iPEsuCC8rv1H7AwzoILyyhJ6nm/MH89MZmRBXWXq5k=");
});

test.each(["", "whsec_", "whsec_c2hvcnQ=", secret.slice(6), `${secret}!`, `whsk_${secret.slice(6)}`, ` ${secret}`])(
  "%j is no secret, and is not repeated",
  (wrong) => {
    const sign = () => signatureHeaders({ ...example, secrets: [wrong] });
    expect(sign).toThrow(/^a secret is whsec_ and 24 to 64 bytes in base64$/u);
  },
);

test("a secret has 24 to 64 bytes", () => {
  const signed = (bytes: number) => () =>
    signatureHeaders({ ...example, secrets: [`whsec_${Buffer.alloc(bytes, 7).toString("base64")}`] });
  for (const bytes of [24, 64]) expect(signed(bytes)).not.toThrow();
  for (const bytes of [23, 65]) expect(signed(bytes)).toThrow();
});

const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/openfloor" };
const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };
const empty = JSON.stringify({ openFloor: envelope({ conversation: { id: "c" }, sender: bot, events: [] }) });

function message(): OutboundMessage {
  const sender = { speakerUri: "tag:ann.example,2026:ann" };
  const event = textUtterance("hello", { ...sender, id: "u1", startTime: "2026-01-01T00:00:00.000Z" });
  return {
    conversationId: "c",
    delivery: "d7.0",
    to: bot,
    turn: "t1",
    depth: 3,
    floors: [],
    isInvite: false,
    isDelegation: false,
    dialect: "1.1",
    peers: noPeers,
    envelope: envelope({ conversation: { id: "c" }, sender, events: [event] }),
    background: async () => ({ peers: noPeers, carried: {} }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
  };
}

/** A peer that is busy until its last answer; records every request. */
function outboundTo(statuses: number[], secretsFor?: NonNullable<HttpOptions["secretsFor"]>) {
  const clock = createFakeClock();
  const dialled: DialRequest[] = [];
  const dialler: Dialler = {
    async dial(request) {
      dialled.push(request);
      const status = statuses.shift() ?? 200;
      const { headers, body } = new Response(status === 200 ? empty : "", { status });
      return { status, headers, body: body ?? new ReadableStream({ start: (end) => end.close() }) };
    },
  };
  const options = { dialler, clock, ids: { newId: () => "id", random: () => 1 }, limits: defaultDeliveryLimits };
  const floor = { self, deliverySecret: "s" };
  const outbound = createHttpOutbound({ ...options, ...floor, ...(secretsFor && { secretsFor }) });
  return { outbound, clock, dialled };
}

test("each attempt has a new signature; its body and its id stay the same (D22)", async () => {
  const asked: string[] = [];
  const { outbound, clock, dialled } = outboundTo([503, 503, 200], (serviceUrl) => {
    asked.push(serviceUrl);
    return [secret];
  });
  const sending = outbound.send(message());
  await clock.advance(2_000);
  expect(await sending).toMatchObject({ kind: "envelope" });
  expect(asked).toEqual([bot.serviceUrl, bot.serviceUrl, bot.serviceUrl]);
  expect(new Set(dialled.map(({ body }) => body)).size).toBe(1);
  expect(new Set(dialled.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const { body, headers } of dialled) {
    const nowMs = Number(headers["webhook-timestamp"]) * 1_000;
    const id = headers["webhook-id"] ?? "";
    expect(headers).toMatchObject(signatureHeaders({ id, body, secrets: [secret], nowMs }));
  }
  const timestamps = dialled.map(({ headers }) => Number(headers["webhook-timestamp"]));
  expect(timestamps.at(-1)).toBe((timestamps[0] ?? 0) + 1);
});

test("a target without secrets gets unsigned deliveries", async () => {
  for (const secretsFor of [undefined, () => [], async () => []]) {
    const { outbound, dialled } = outboundTo([200], secretsFor);
    await outbound.send(message());
    expect(Object.keys(dialled[0]?.headers ?? {}).filter((name) => name.startsWith("webhook-"))).toEqual([
      "webhook-id",
    ]);
  }
});

test("while the secrets cannot be read nothing is sent; then the delivery is sent signed", async () => {
  let isDown = true;
  const { outbound, clock, dialled } = outboundTo([200], async () => {
    if (isDown) throw new Error("the store is down");
    return [secret];
  });
  const sending = outbound.send(message());
  await clock.advance(600);
  expect(dialled).toEqual([]);
  isDown = false;
  await clock.advance(5_000);
  expect(await sending).toMatchObject({ kind: "envelope" });
  expect(dialled[0]?.headers["webhook-signature"]).toMatch(/^v1,/u);
});
