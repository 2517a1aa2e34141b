// Sign-in at a listening floor with a real issuer, from the first request to a new conversation.
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLogger } from "../../ports/logger.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { dial } from "../../testing/issuer.ts";
import { clientId, clientSecret, createOidcIssuer, type OidcIssuer } from "../../testing/oidc-issuer.ts";

let issuer: OidcIssuer;
let server: FloorServer;
let url: string;

beforeEach(async () => {
  issuer = await createOidcIssuer();
  server = await createFloorServer(
    {
      store: createMemoryStore(),
      dialler: { dial: () => Promise.reject(new Error("no request expected")) },
      identityDial: dial,
      logger: silentLogger,
    },
    { signIn: { issuer: issuer.url, clientId, clientSecret }, drainMs: 0, listen: { port: 0 } },
  );
  url = server.url;
});
afterEach(async () => {
  await server.close();
  await issuer.close();
});

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .filter((pair) => !pair.endsWith("="))
    .join("; ");

async function signIn(): Promise<string> {
  const begun = await fetch(`${url}/login`, { redirect: "manual" });
  const back = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
  const headers = { cookie: cookiesOf(begun) };
  const done = await fetch(back.headers.get("location") ?? "", { redirect: "manual", headers });
  expect([begun.status, back.status, done.status]).toEqual([302, 302, 302]);
  return cookiesOf(done);
}

const begin = (headers: Record<string, string>) =>
  fetch(`${url}/api/v1/conversations`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });

test("a signed-in person creates a conversation and owns it, from a page of this floor only", async () => {
  const cookie = await signIn();
  const created = await begin({ cookie, origin: url });
  expect(created.status).toBe(201);
  const { id, conversation } = (await created.json()) as { id: string; conversation: { owner: string } };
  expect(conversation.owner.startsWith(`${issuer.url}#`)).toBe(true);
  expect((await begin({ cookie })).status).toBe(403);
  expect((await begin({ cookie, origin: "https://evil.example" })).status).toBe(403);
  expect((await begin({ origin: url })).status).toBe(401);
  const read = await fetch(`${url}/api/v1/conversations/${id}`, { headers: { cookie } });
  expect(read.status).toBe(200);
});

test("a session is invalid after sign-out", async () => {
  const cookie = await signIn();
  const out = await fetch(`${url}/logout`, { method: "POST", headers: { cookie, origin: url } });
  expect(out.status).toBe(204);
  expect((await begin({ cookie, origin: url })).status).toBe(401);
});

test("an issuer without https is refused at the start, and so is an issuer without identityDial", async () => {
  const ports = {
    store: createMemoryStore(),
    dialler: { dial: () => Promise.reject(new Error("no request expected")) },
  };
  const unsafe = { signIn: { issuer: "http://issuer.example", clientId } };
  await expect(createFloorServer({ ...ports, identityDial: dial }, unsafe)).rejects.toThrow("https");
  const signIn = { issuer: issuer.url, clientId };
  await expect(createFloorServer(ports, { signIn })).rejects.toThrow("identityDial");
});
