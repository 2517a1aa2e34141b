import { getEventListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { createFarEnds } from "../testing/far-ends.ts";

const farEnds = createFarEnds();
afterEach(() => farEnds.close());

const dialler = createDialler({ mode: "local" });
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

/** Answers `/now` at once, `/half` with a part of its body, and others not at all. */
async function farEnd() {
  const requests: string[] = [];
  let onRequest = () => {};
  const arrived = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const url = await farEnds.http((request, response) => {
    requests.push(request.url ?? "");
    onRequest();
    if (request.url === "/now") response.end("ok");
    if (request.url === "/half") response.write("half");
  });
  return { url, requests, arrived };
}

for (const option of ["signal", "stop"] as const) {
  test(`${option} aborts a request that waits for its answer`, async () => {
    const { url, arrived } = await farEnd();
    const controller = new AbortController();
    const dial = dialler.dial({ url, [option]: controller.signal });
    await arrived;
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort(new Error("why"));
    await expect(dial).rejects.toMatchObject({ code: "aborted", isSent: true, cause: { message: "why" } });
    expect(listenersOf(controller.signal)).toBe(0);
  });

  test(`${option} that has already fired rejects, and no request is sent`, async () => {
    const { url, requests } = await farEnd();
    const signal = AbortSignal.abort();
    const dial = dialler.dial({ url: `${url}now`, [option]: signal });
    await expect(dial).rejects.toMatchObject({ code: "aborted", isSent: false });
    // A request after it shows that the first one did not just come late.
    await dialler.dial({ url: `${url}now` });
    expect([requests, listenersOf(signal)]).toEqual([["/now"], 0]);
  });

  test(`the listener on ${option} is removed after an answer, a failure and the end of a stream`, async () => {
    const { url } = await farEnd();
    const { signal } = new AbortController();
    await dialler.dial({ url: `${url}now`, [option]: signal });
    expect(listenersOf(signal)).toBe(0);
    await expect(dialler.dial({ url, firstByteMs: 20, [option]: signal })).rejects.toMatchObject({ code: "timeout" });
    expect(listenersOf(signal)).toBe(0);
    const { body } = await dialler.dial({ url: `${url}half`, [option]: signal });
    expect(listenersOf(signal)).toBe(1);
    for await (const _part of body) break;
    expect(listenersOf(signal)).toBe(0);
  });
}

test("a dial with a stop does not ask for a signal of the platform", async () => {
  const { url } = await farEnd();
  const { signal: stop } = new AbortController();
  let asked = 0;
  const request = {
    url: `${url}now`,
    stop,
    get signal() {
      asked += 1;
      return stop;
    },
  };
  expect((await dialler.dial(request)).status).toBe(200);
  expect(asked).toBe(0);
});

test("an abort after the answer does nothing", async () => {
  const { url } = await farEnd();
  const controller = new AbortController();
  const answer = await dialler.dial({ url: `${url}now`, stop: controller.signal });
  controller.abort();
  expect(Buffer.from(answer.whole ?? []).toString()).toBe("ok");
});
