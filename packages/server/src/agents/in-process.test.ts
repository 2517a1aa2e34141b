import { expect, test } from "vitest";
import type { DialRequest } from "../ports/dialler.ts";
import { createLocalDialler, type LocalAgent } from "./hosted.ts";

const url = "http://floor.example/agents/echo";

function dial(agent: LocalAgent, more: Partial<DialRequest> = {}) {
  const next = { dial: () => Promise.reject(new Error("elsewhere")) };
  const dialler = createLocalDialler((one) => (one === url ? agent : undefined), next);
  const { signal } = new AbortController();
  return dialler.dial({ url, body: "{}", headers: { "x-one": "1" }, signal, connectMs: 1, ...more });
}

test("an agent of this process gets the request, and its answer is returned", async () => {
  let isSent = false;
  const agent: LocalAgent = async (request) =>
    new Response(`${request.method} ${request.headers.get("x-one")} ${await request.text()}`, { status: 201 });
  const onSent = () => {
    isSent = true;
  };
  const { status, body } = await dial(agent, { onSent });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  expect([status, Buffer.concat(chunks).toString(), isSent]).toEqual([201, "POST 1 {}", true]);
});

test("a failed request to an agent of this process counts as sent: it is not repeated", async () => {
  const failing = dial(() => Promise.reject(new Error("a bug")));
  await expect(failing).rejects.toMatchObject({ code: "broken", isSent: true, retryable: false });
});

test("an aborted call does not wait for the agent, even if it was aborted before it began", async () => {
  const controller = new AbortController();
  const cut = { code: "aborted", isSent: true, retryable: false };
  const dialled = dial(() => new Promise(() => {}), { signal: controller.signal });
  controller.abort();
  await expect(dialled).rejects.toMatchObject(cut);
  await expect(dial(() => new Promise(() => {}), { signal: controller.signal })).rejects.toMatchObject(cut);
});

test("an answer that is not read to its end is cancelled", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(1)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const { body } = await dial(async () => new Response(endless));
  for await (const _chunk of body) break;
  expect(isCancelled).toBe(true);
});

test("a request to another address goes to the next dialler", async () => {
  const dialled = dial(async () => new Response(""), { url: "http://far.example/" });
  await expect(dialled).rejects.toThrow("elsewhere");
});
