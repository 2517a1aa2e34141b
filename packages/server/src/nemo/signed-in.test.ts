// The sign-in cookie identifies the person at a NeMo client on the floor's own page only.
import { expect, onTestFinished, test } from "vitest";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { dial } from "../testing/issuer.ts";
import { type AgentHandler, nemoFixture, uriOf, utteranceEvent } from "../testing/nemo-fixture.ts";
import { clientId, clientSecret, createOidcIssuer } from "../testing/oidc-issuer.ts";

const echo: AgentHandler = ({ texts }) => texts.map((text) => utteranceEvent(uriOf("echo"), `echo ${text}`));
const remote = "http://localhost:3000";

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

test("the sign-in cookie identifies a client on the floor's own page, and on no other page", async () => {
  const issuer = await createOidcIssuer();
  onTestFinished(() => issuer.close());
  const signIn = { issuer: issuer.url, clientId, clientSecret };
  const fixture = await nemoFixture(
    { echo },
    { signIn, allowOrigins: [remote] },
    { credentials: createMemoryCredentials(), identityDial: dial },
  );
  const cookie = await signedIn(fixture.url);
  const ownerOf = async (conversation: string, origin: string) => {
    const client = await fixture.connect(fixture.withAgents("session=s"), { cookie, origin });
    await client.ask("hello", { conversation_id: conversation });
    const [opened] = (await fixture.log(conversation)) as { owner?: { identification: { speakerUri: string } } }[];
    return opened?.owner?.identification.speakerUri;
  };
  const ann = `${issuer.url}#ann%2F1`;
  expect(await ownerOf("here", fixture.url)).toBe(ann);
  expect(await ownerOf("there", remote)).toMatch(/\/nemo\//u);
  const asking = { method: "POST", headers: { cookie, origin: fixture.url, "content-type": "application/json" } };
  const body = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  const answer = await fetch(`${fixture.url}/chat`, { ...asking, body });
  const [opened] = await fixture.log(answer.headers.get("conversation-id") ?? "");
  expect(JSON.stringify(opened)).toContain(ann);
});
