// Whoever has signed in on the floor's own page is that person at a NeMo client of this page, and of no other.
import { expect, onTestFinished, test } from "vitest";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { dial } from "../testing/issuer.ts";
import { type Mind, nemoFixture, saying, uriOf } from "../testing/nemo-fixture.ts";
import { clientId, clientSecret, createOidcIssuer } from "../testing/oidc-issuer.ts";

const echo: Mind = ({ texts }) => texts.map((text) => saying(uriOf("echo"), `echo ${text}`));
const elsewhere = "http://localhost:3000";

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.replace(/;.*$/u, ""))
    .join("; ");

async function signedIn(url: string): Promise<string> {
  const begun = await fetch(`${url}/login`, { redirect: "manual" });
  const back = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
  const headers = { cookie: cookiesOf(begun) };
  return cookiesOf(await fetch(back.headers.get("location") ?? "", { redirect: "manual", headers }));
}

test("the cookie of a sign-in says who a client of the floor's own page is, and counts for no other page", async () => {
  const issuer = await createOidcIssuer();
  onTestFinished(() => issuer.close());
  const signIn = { issuer: issuer.url, clientId, clientSecret };
  const scene = await nemoFixture(
    { echo },
    { signIn, allowOrigins: [elsewhere] },
    { credentials: createMemoryCredentials(), identityDial: dial },
  );
  const cookie = await signedIn(scene.url);
  const ownerOf = async (conversation: string, origin: string) => {
    const client = await scene.connect(scene.withAgents("session=s"), { cookie, origin });
    await client.ask("hello", { conversation_id: conversation });
    const [opened] = (await scene.log(conversation)) as { owner?: { identification: { speakerUri: string } } }[];
    return opened?.owner?.identification.speakerUri;
  };
  const ann = `${issuer.url}#ann%2F1`;
  expect(await ownerOf("here", scene.url)).toBe(ann);
  expect(await ownerOf("there", elsewhere)).toMatch(/\/nemo\//u);
  const asking = { method: "POST", headers: { cookie, origin: scene.url, "content-type": "application/json" } };
  const body = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  const answer = await fetch(`${scene.url}/chat`, { ...asking, body });
  const [opened] = await scene.log(answer.headers.get("conversation-id") ?? "");
  expect(JSON.stringify(opened)).toContain(ann);
});
