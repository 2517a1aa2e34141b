import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { agentNames } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { ann, hello, say } from "./hello.ts";

const { place, start } = usePlenaryProcesses();
const publicly = { PLENARY_PUBLIC_URL: "https://floor.example", PLENARY_PROXIES: "1" };
const inJson = ["serve", "--port", "0", "--json"];

let issuer: Server | undefined;
afterEach(() => {
  issuer?.closeAllConnections();
  issuer?.close();
  issuer = undefined;
});

/** A server on loopback that answers each path with a document. */
async function answering(documents: (url: string) => Record<string, unknown>): Promise<string> {
  issuer = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(documents(url)[request.url ?? ""] ?? {}));
  }).listen(0, "127.0.0.1");
  await once(issuer, "listening");
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  return url;
}

const tokenFile = () => join(place.folder, ".plenary/floor.db-token");

test("a floor without a public address refuses to listen for other machines, says what allows it, and writes no file", async () => {
  const floor = start(["serve", "--port", "0", "--host", "0.0.0.0"]);
  expect(await floor.ended).toBe(2);
  expect(floor.said.out).toBe("");
  expect(floor.said.err).toContain("PLENARY_PUBLIC_URL=https://floor.example\n");
  expect(floor.said.err).toContain("plenary keys add --speaker tag:you.example,2026:you");
  expect(readdirSync(place.folder)).toEqual([]);
});

// 127.1 is loopback to the system, but not to us: nothing is opened to other machines here.
test("a floor with a public address and a valid key listens there, and the holder of the key may speak", async () => {
  const keys = start(["keys", "add", "--person", "--speaker", ann, "--json"]);
  const { token, id } = JSON.parse(await firstLine(keys));
  expect(await keys.ended).toBe(0);
  const floor = start([...inJson, "--host", "127.1"], publicly);
  const { listening } = JSON.parse(await firstLine(floor));
  const url = `http://127.0.0.1:${new URL(listening).port}`;
  expect((await say(url, token, [hello])).status).toBe(200);
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
  expect(await start(["keys", "revoke", id]).ended).toBe(0);
  const again = start([...inJson, "--host", "127.1"], publicly);
  expect(await again.ended).toBe(2);
  expect(again.said.err).toContain("plenary keys add");
});

test("a public floor prints its address and where its token is, never the token", async () => {
  const floor = start(inJson, publicly);
  const line = JSON.parse(await firstLine(floor));
  expect(line).toEqual({
    url: "https://floor.example",
    listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
    tokenFile: tokenFile(),
    agents: agentNames,
    store: join(place.folder, ".plenary/floor.db"),
  });
  const token = readFileSync(tokenFile(), "utf8").trim();
  expect((await say(line.listening, token, [hello])).status).toBe(200);
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
  const forPeople = start(["serve", "--port", "0"], publicly);
  while (!forPeople.said.out.includes("Ctrl+C")) await once(forPeople.child.stdout ?? forPeople.child, "data");
  expect(forPeople.said.out).toContain("The floor is open: https://floor.example\n");
  expect(forPeople.said.out).toContain("https://floor.example/agents/echo\n");
  expect(forPeople.said.out).toContain(`The operator's token is in ${tokenFile()}, readable by its owner only.`);
  expect(forPeople.said.out + forPeople.said.err).not.toContain(token);
});

test("a token file that others could read is restricted to its owner again, with a message", async () => {
  const first = start(inJson);
  const { token } = JSON.parse(await firstLine(first));
  first.child.kill("SIGTERM");
  await first.ended;
  expect(first.said.err).toBe("");
  chmodSync(tokenFile(), 0o644);
  const second = start(inJson);
  expect(JSON.parse(await firstLine(second)).token).toBe(token);
  expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
  expect(second.said.err).toContain(`"other accounts could read or change ${tokenFile()}; its mode is 0600 now.`);
});

test("every error in the environment is printed before any file is written", async () => {
  const floor = start(["serve"], { PLENARY_PROXIES: "many", PLENARY_OIDC_CLIENT_ID: "floor" });
  expect(await floor.ended).toBe(2);
  expect(floor.said.err).toMatch(
    /^plenary: PLENARY_PROXIES is "many": .*\nplenary: PLENARY_OIDC_ISSUER is missing, .*\n$/u,
  );
  expect(readdirSync(place.folder)).toEqual([]);
});

test("the operator's token can come from the environment, where other accounts do not see it", async () => {
  const floor = start(inJson, { ...publicly, PLENARY_TOKEN: "from-the-environment" });
  const line = await firstLine(floor);
  expect((await say(JSON.parse(line).listening, "from-the-environment", [hello])).status).toBe(200);
  expect((await say(JSON.parse(line).listening, "another", [hello])).status).toBe(401);
  expect(line).not.toContain("from-the-environment");
  expect(readdirSync(join(place.folder, ".plenary"))).not.toContain("floor.db-token");
});

test("a public floor calls this machine only where the operator allowed it", async () => {
  const { url } = JSON.parse(await firstLine(start(["agent", "echo", "--json"])));
  const invite = { eventType: "invite", to: { serviceUrl: url } };
  const heard = async (env: Record<string, string>, store: string) => {
    const floor = start([...inJson, "--token", "hush", "--store", store], env);
    const { listening } = JSON.parse(await firstLine(floor));
    return (await say(listening, "hush", [invite, hello], { prefer: "wait=20" })).text();
  };
  const refused = await heard(publicly, "refused.db");
  expect(refused).toContain("declineInvite");
  expect(refused).not.toContain("You said: hello");
  const allowed = { ...publicly, PLENARY_ALLOW_HOSTS: new URL(url).host };
  expect(await heard(allowed, "allowed.db")).toContain("You said: hello");
});

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

test("tokens of an issuer are accepted, and the issuer's keys are fetched from the configured address", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256" }];
  const jwks = `${await answering(() => ({ "/keys": { keys } }))}/keys`;
  const iss = "https://id.example";
  const floor = start(inJson, {
    ...publicly,
    PLENARY_JWT_ISSUER: iss,
    PLENARY_JWKS_URL: jwks,
    PLENARY_JWT_TYP: "at+jwt",
  });
  const { listening } = JSON.parse(await firstLine(floor));
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const tokenFor = (aud: string, typ = "at+jwt") => {
    const signed = `${base64({ alg: "ES256", kid: "k1", typ })}.${base64({ iss, aud, exp, sub: ann, scope: "plenary:host" })}`;
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  };
  expect((await say(listening, tokenFor("https://floor.example"), [hello])).status).toBe(200);
  expect((await say(listening, tokenFor("https://other.example"), [hello])).status).toBe(401);
  expect((await say(listening, tokenFor("https://floor.example", "JWT"), [hello])).status).toBe(401);
});

test("people are redirected to the provider they sign in with", async () => {
  const provider = await answering((url) => ({
    "/.well-known/openid-configuration": {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
    },
  }));
  const signIn = { PLENARY_OIDC_ISSUER: provider, PLENARY_OIDC_CLIENT_ID: "floor", PLENARY_OIDC_ALLOW: "@example.com" };
  const floor = start(inJson, { ...publicly, ...signIn });
  const { listening } = JSON.parse(await firstLine(floor));
  const response = await fetch(`${listening}/login`, { redirect: "manual" });
  expect(response.status).toBe(302);
  const location = new URL(response.headers.get("location") ?? "");
  expect(`${location.origin}${location.pathname}`).toBe(`${provider}/authorize`);
  expect(location.searchParams.get("redirect_uri")).toBe("https://floor.example/login/callback");
});
