import { expect, test } from "vitest";
import { createFloorClock, Http } from "./http.ts";
import { defaultLimits } from "./retry.ts";

const floorMs = Date.parse("2026-11-16T10:00:00Z");
const date = (ms: number) => new Date(ms).toUTCString();

test.each([-120_000, 0, 120_000])("a clock that is off by %i ms knows the floor's time to the second", (offMs) => {
  const clock = createFloorClock(() => floorMs + offMs + 500);
  clock.observe(date(floorMs), floorMs + offMs + 400);
  expect(Math.abs(clock.nowMs() - (floorMs + 500))).toBeLessThanOrEqual(1_000);
});

test("the own clock counts before the first answer, and an invalid date is ignored", () => {
  const clock = createFloorClock(() => floorMs);
  for (const given of [null, "", "soon"]) clock.observe(given, floorMs);
  expect(clock.nowMs()).toBe(floorMs);
});

test("a slow answer does not turn the clock back, and a corrected clock is followed", () => {
  let ownMs = floorMs;
  const clock = createFloorClock(() => ownMs);
  clock.observe(date(floorMs), floorMs);
  ownMs += 20_000;
  clock.observe(date(floorMs), floorMs);
  expect(clock.nowMs()).toBe(floorMs + 20_000);
  ownMs += 3_600_000;
  clock.observe(date(floorMs + 21_000), ownMs);
  expect(Math.abs(clock.nowMs() - (floorMs + 21_000))).toBeLessThanOrEqual(1_000);
});

/** The far end of the network, by address and token. */
function far(answer: (url: string, token: string | null) => Response) {
  const asked: string[] = [];
  const fetch = async (input: unknown, init?: { headers?: unknown }) => {
    const token = new Headers(init?.headers as Record<string, string>).get("authorization");
    asked.push(`${String(input)} ${token}`);
    return answer(String(input), token);
  };
  return { asked, fetch: fetch as typeof globalThis.fetch };
}

test("a floor that moved is found again, with its new token", async () => {
  const { asked, fetch } = far((url) => {
    if (url.startsWith("http://old")) throw new TypeError("refused");
    return Response.json({ ok: true });
  });
  const locate = async () => ({ url: "http://new", token: "b" });
  const http = new Http({ url: "http://old", token: "a", fetch, limits: defaultLimits, locate });
  expect(await http.json("GET", "/x")).toEqual({ ok: true });
  expect(asked).toEqual(["http://old/x Bearer a", "http://new/x Bearer b"]);
  expect(http.url).toBe("http://new");
});

test("an expired session is renewed once for all requests that met it; a key that ended is reported", async () => {
  const { fetch } = far((_, token) => Response.json({}, { status: token === "Bearer new" ? 200 : 401 }));
  const ended: number[] = [];
  const onUnauthorized = ({ status }: { status: number }) => void ended.push(status);
  const http = new Http({ url: "http://floor", token: "old", fetch, limits: defaultLimits, onUnauthorized });
  await expect(http.json("GET", "/x")).rejects.toMatchObject({ status: 401 });
  expect(ended).toEqual([401]);
  let renewed = 0;
  http.setToken("expired", async () => {
    renewed += 1;
    return "new";
  });
  await Promise.all([http.json("GET", "/x"), http.json("GET", "/y")]);
  expect([renewed, ended.length]).toEqual([1, 1]);
});

test("many requests at once raise no warning, and all end when the client is closed", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  const fetch = (_: unknown, init?: RequestInit) =>
    new Promise<Response>((_, reject) => {
      const end = () => reject(new Error("aborted"));
      if (init?.signal?.aborted) end();
      init?.signal?.addEventListener("abort", end);
    });
  const http = new Http({ url: "http://floor", fetch, limits: defaultLimits });
  const requests = Array.from({ length: 20 }, () => http.json("GET", "/x"));
  const ended = Promise.allSettled(requests);
  await new Promise((resolve) => setImmediate(resolve));
  http.close();
  expect(await ended).toMatchObject(requests.map(() => ({ reason: { name: "AbortError" } })));
  await expect(http.json("GET", "/x")).rejects.toMatchObject({ name: "AbortError" });
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
