import { expect, test } from "vitest";
import { createAgent } from "../agent.ts";

const origin = "https://floor.example";
const identification = {
  speakerUri: "tag:bot.example,2025:1",
  organization: "Example",
  conversationalName: "Bot",
  synopsis: "",
};

function call(init: RequestInit, allowOrigins?: readonly string[]): Promise<Response> {
  const agent = createAgent({
    manifest: { identification, capabilities: [] },
    onUtterance: () => undefined,
    ...(allowOrigins && { allowOrigins }),
  });
  return agent.fetch(new Request("https://bot.example/", init));
}

function preflight(headers: Record<string, string> = {}, allowOrigins?: readonly string[]): Promise<Response> {
  const asked = { origin, "access-control-request-method": "POST", ...headers };
  return call({ method: "OPTIONS", headers: asked }, allowOrigins);
}

const post = (allowOrigins?: readonly string[], from = origin) =>
  call({ method: "POST", body: "no envelope", headers: { origin: from } }, allowOrigins);

const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");

test("a preflight of every page is answered, with the requested headers", async () => {
  const response = await preflight({ "access-control-request-headers": "content-type,x-own" });
  expect([response.status, allowed(response)]).toEqual([204, "*"]);
  expect(response.headers.get("access-control-allow-methods")).toBe("POST");
  expect(response.headers.get("access-control-allow-headers")).toBe("content-type,x-own");
  expect(Number(response.headers.get("access-control-max-age"))).toBeGreaterThan(0);
  expect(response.headers.get("access-control-allow-private-network")).toBeNull();
});

test("a preflight from the public network allows private network access", async () => {
  const response = await preflight({ "access-control-request-private-network": "true" });
  expect(response.headers.get("access-control-allow-private-network")).toBe("true");
});

test("a page can read an error response, too", async () => {
  const refused = await post();
  expect([refused.status, allowed(refused), refused.headers.get("access-control-expose-headers")]).toEqual([
    400,
    "*",
    "*",
  ]);
  const wrong = await call({ method: "GET", headers: { origin } });
  expect([wrong.status, allowed(wrong)]).toEqual([405, "*"]);
});

test("with a list, only pages of these origins are allowed, in every spelling", async () => {
  const list = ["https://other.example", "https://Floor.example/"];
  const response = await post(list);
  expect([response.status, allowed(response), response.headers.get("vary")]).toEqual([400, origin, "Origin"]);
  expect([(await preflight({}, list)).status, allowed(await preflight({}, list))]).toEqual([204, origin]);
  for (const strange of [await post(list, "https://floor.example.evil.example"), await post(list, "null")]) {
    expect([strange.status, allowed(strange)]).toEqual([403, null]);
  }
  expect((await preflight({ origin: "https://evil.example" }, list)).status).toBe(403);
});

test("requests without an origin are allowed with every list", async () => {
  const response = await call({ method: "POST", body: "no envelope" }, []);
  expect([response.status, allowed(response), response.headers.get("vary")]).toEqual([400, null, "Origin"]);
});
