// `plenary discover` and `/discover` beside a running floor, with its own discovery agent and a foreign one.
import { createHostClient } from "@plenary/client/host";
import { manifestAt, openForeignDiscovery, type Question } from "@plenary/sdk/testing/foreign-discovery";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";

const { place, start } = usePlenaryProcesses({ isShared: true });
const floor = { url: "", token: "" };
beforeAll(async () => {
  Object.assign(floor, JSON.parse(await firstLine(start(["serve", "--port", "0", "--json"]))));
});

async function plenary(args: readonly string[], input?: string) {
  const { said, ended } = start(args, {}, place.folder, input);
  return { exitCode: await ended, ...said };
}

const linesOf = (text: string) => text.trimEnd().split("\n");

/** Recommends the mechanic for bicycles, and nothing else. */
function finder({ text }: Question, url: string) {
  const { identification, ...others } = manifestAt(url, "Finder");
  const role = { openFloorRoles: { discovery: true } };
  if (text === "") return { servicingManifests: [{ ...others, identification: { ...identification, ...role } }] };
  const mechanic = manifestAt("http://127.0.0.1:1/mechanic", "Mechanic", { score: 0.7 });
  return text.includes("bicycle") ? { servicingManifests: [mechanic] } : {};
}

test("the floor's own agent is found by the task; another discovery agent is asked once, and named as the source", async () => {
  const { url } = floor;
  const found = await plenary(["discover", "what time is it in Tokyo"]);
  expect(found).toMatchObject({ exitCode: 0, err: "" });
  expect(linesOf(found.out).slice(0, 4)).toEqual([
    expect.stringMatching(/^1 █+░* +\d+ % {2}Clock · Plenary$/u),
    expect.stringContaining("Tells the time"),
    expect.stringMatching(/^ {2}matches .*Tokyo.* · answers$/u),
    `  ${url}/agents/clock`,
  ]);
  expect(found.out).toContain(`\nTalk with the first: plenary chat ${url}/agents/clock\n`);

  const foreign = await openForeignDiscovery(finder);
  onTestFinished(foreign.close);
  await createHostClient(floor).call("POST /api/v1/agents", { body: { serviceUrl: foreign.url } });
  foreign.questions.splice(0);
  const json = await plenary(["discover", "repair my bicycle", "--json"]);
  expect(linesOf(json.out).map((line) => JSON.parse(line))).toMatchObject([
    {
      kind: "servicing",
      score: 0.7,
      reasons: { via: foreign.speakerUri },
      manifest: { identification: { conversationalName: "Mechanic" } },
    },
  ]);
  expect(foreign.questions.filter(({ text }) => text !== "")).toHaveLength(1);
});

test("in a chat a found agent is invited by its number, with the request, and answers it", async () => {
  const { url } = floor;
  const lines = ["/discover what time is it in Tokyo", "/invite 1", "/discover", "/invite 9"];
  const { out } = await plenary(["chat", "echo", "--json"], `${lines.join("\n")}\n`);
  const printed = linesOf(out).map((line) => JSON.parse(line));
  const lists = printed.flatMap(({ told: words = "" }) => (words.startsWith("1 ") ? [words] : []));
  expect(lists).toHaveLength(2);
  expect(lists[0]).toContain(`${url}/agents/clock\n/invite 1 invites the first`);
  const events = printed.flatMap(({ kind, event, seq }) => (kind === "event" ? [{ ...event, seq }] : []));
  const [invite] = events.filter(({ eventType, to }) => eventType === "invite" && to.serviceUrl.endsWith("/clock"));
  expect(invite.to).toEqual({ serviceUrl: `${url}/agents/clock`, speakerUri: expect.stringContaining("clock") });
  const said = events.filter(({ eventType }) => eventType === "utterance");
  const request = said.find(({ to }) => to?.speakerUri === invite.to.speakerUri);
  expect(request.parameters.dialogEvent.features.text.tokens[0].value).toBe("what time is it in Tokyo");
  const answers = said.filter(({ parameters }) => parameters.dialogEvent.speakerUri === invite.to.speakerUri);
  expect(JSON.stringify(answers)).toMatch(/\d\d:\d\d/u);
  expect(printed.at(-1)).toEqual({
    problem: expect.stringMatching(/^There is no agent \d+: \/discover shows the last result\.$/u),
  });
});
