import { afterEach, expect, onTestFinished, test } from "vitest";
import { createDialler } from "../dialler.ts";
import { type ForeignAnswer, manifestAt, openForeignDiscovery, type Question } from "../testing/foreign-discovery.ts";
import { type DiscoverOptions, discover } from "./discover.ts";

const dialler = createDialler({ mode: "local" });
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function finder(answer: (question: Question, url: string) => ForeignAnswer, speakerUri?: string) {
  const one = await openForeignDiscovery(answer, speakerUri);
  opened.push(one);
  return one;
}

const search = (text: string, ask: readonly string[], options: Partial<DiscoverOptions> = {}) =>
  discover({ text }, { ask, dialler, ...options });

const names = ({ found }: Awaited<ReturnType<typeof discover>>) =>
  found.map(({ manifest }) => manifest.identification.conversationalName);

test("a discovery agent is asked for recommendations, with the task in a private utterance to it", async () => {
  const one = await finder(() => ({ servicingManifests: [] }));
  await discover(
    { text: "a visa for Estonia", languages: ["et", "en"], layers: ["audio"] },
    { ask: [one.url], dialler, sender: { speakerUri: "tag:ann.example,2026:ann" } },
  );
  const [question] = one.questions;
  expect(question?.document.openFloor?.events).toMatchObject([
    { eventType: "getManifests", to: { serviceUrl: one.url }, parameters: { recommendScope: "external" } },
    {
      eventType: "utterance",
      to: { serviceUrl: one.url, private: true },
      parameters: { dialogEvent: { speakerUri: "tag:ann.example,2026:ann", features: { text: { lang: "et" } } } },
    },
  ]);
  expect(question?.text).toBe("a visa for Estonia");
  expect(question?.search).toMatchObject({
    isExplained: true,
    depthLeft: 0,
    languages: ["et", "en"],
    layers: ["audio"],
  });
});

test("many concurrent requests cause no listener warning of Node", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const one = await finder(() => ({ servicingManifests: [] }));
  const { asked } = await search(
    "visa",
    Array.from({ length: 12 }, (_, index) => `${one.url}?${index}`),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(12);
  expect(warnings).toEqual([]);
});

test("results are sorted by score, with their reasons, and agents without a score come last", async () => {
  const urls = ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "http://127.0.0.1:1/c"] as const;
  const one = await finder(() => ({
    servicingManifests: [
      manifestAt(urls[0], "Plain"),
      manifestAt(urls[1], "Good", { score: 0.5 }),
      // Agents of 0.9 send a percentage.
      manifestAt(urls[2], "Best", { score: 90 }),
    ],
    reasons: [
      {
        speakerUri: "tag:best.example,2026:1",
        serviceUrl: urls[2],
        words: ["visa"],
        capability: 0,
        language: "et",
        layers: ["text"],
        health: "answering",
        heardAt: "2026-05-01T00:00:00Z",
      },
    ],
  }));
  const result = await search("visa", [one.url]);
  expect(names(result)).toEqual(["Best", "Good", "Plain"]);
  expect(result.found[0]).toMatchObject({
    kind: "servicing",
    manifest: { score: 0.9 },
    reasons: {
      words: ["visa"],
      language: "et",
      layers: ["text"],
      health: "answering",
      heardAt: "2026-05-01T00:00:00Z",
    },
  });
  expect(result.found[1]?.reasons).toBeUndefined();
  expect(result.asked).toEqual([{ serviceUrl: one.url, speakerUri: one.speakerUri, found: 3 }]);
});

test("three discovery agents in a ring are each asked once, with the list of visited agents", async () => {
  const speakers = ["tag:ring.example,2026:0", "tag:ring.example,2026:1", "tag:ring.example,2026:2"];
  const ring: Awaited<ReturnType<typeof finder>>[] = [];
  for (const [index, speakerUri] of speakers.entries()) {
    ring.push(
      await finder(() => {
        const next = ring[(index + 1) % 3];
        const there = manifestAt(next?.url ?? "", "Next", { score: 1 });
        there.identification.speakerUri = next?.speakerUri ?? "";
        const here = manifestAt(`http://127.0.0.1:1/${index}`, `Helper${index}`, { score: 0.5 });
        return { servicingManifests: [here], discoveryManifests: [there] };
      }, speakerUri),
    );
  }
  const urls = ring.map(({ url }) => url);
  const result = await search("anything", urls.slice(0, 1));
  expect(ring.map(({ questions }) => questions.length)).toEqual([1, 1, 1]);
  expect(result.asked.map(({ serviceUrl, via }) => [serviceUrl, via])).toEqual([
    [urls[0], undefined],
    [urls[1], urls[0]],
    [urls[2], urls[1]],
  ]);
  expect(result.unasked).toBe(0);
  expect(ring[2]?.questions[0]?.search.visited).toEqual(expect.arrayContaining([urls[0], speakers[0], urls[1]]));
  // Asked discovery agents are not in the result.
  expect(names(result)).toEqual(["Helper0", "Helper1", "Helper2"]);
  expect(result.found.map(({ reasons }) => reasons?.via)).toEqual([undefined, speakers[1], speakers[2]]);
});

test("a discovery agent that recommends itself under another address is not asked again", async () => {
  let asked = 0;
  const one = await finder((_, url) => {
    asked += 1;
    const self = manifestAt(`${url}?again=${asked}`, "Self");
    self.identification.speakerUri = "tag:finder.example,2026:finder";
    return { discoveryManifests: [self] };
  });
  await search("anything", [one.url]);
  expect(one.questions).toHaveLength(1);
});

test("an endless chain is followed up to depthMax and askedMax", async () => {
  let steps = 0;
  const one = await finder((_, url) => {
    steps += 1;
    const two = [`${url}/${steps}a`, `${url}/${steps}b`];
    return { discoveryManifests: two.map((next, index) => manifestAt(next, `Step${steps}x${index}`)) };
  });
  const deep = await search("anything", [one.url], { depthMax: 2 });
  expect(deep.asked).toHaveLength(7);
  expect(deep.unasked).toBe(8);
  const many = await search("anything", [one.url], { askedMax: 4 });
  expect(many.asked).toHaveLength(4);
  expect(many.unasked).toBe(5);
  expect(many.found.map(({ kind }) => kind)).toEqual(Array(5).fill("discovery"));
});

test("a failure of one agent is reported, and the other answers count", async () => {
  const good = await finder(() => ({ servicingManifests: [manifestAt("http://127.0.0.1:1/", "Helper")] }));
  const wrong = await finder(() => ({ text: "<html>" }));
  const away = await finder(() => ({ status: 404 }));
  const huge = await finder(() => ({ text: " ".repeat(5_000) }));
  const result = await search("help", [good.url, wrong.url, away.url, huge.url, "ftp://127.0.0.1/"], {
    answerBytesMax: 4_000,
  });
  expect(names(result)).toEqual(["Helper"]);
  const problems = Object.fromEntries(result.asked.map(({ serviceUrl, problem }) => [serviceUrl, problem]));
  expect(problems[good.url]).toBeUndefined();
  expect(problems[wrong.url]).toBe("the answer is not an envelope");
  expect(problems[away.url]).toBe("the agent answered with status 404");
  expect(problems[huge.url]).toBe("the answer has more than 4000 bytes");
  expect(problems["ftp://127.0.0.1/"]).toBe("the scheme ftp: is not allowed here");
});

test("an agent that returns the request, or opens its own conversation, is asked in the next dialect", async () => {
  const servicingManifests = [manifestAt("http://127.0.0.1:1/", "Helper")];
  const own = { id: "conv-of-my-own" };
  const sender = { speakerUri: "tag:finder.example,2026:finder" };
  const answers = {
    copies: ({ document }: Question) => ({ ...document, ovon: { sender: { from: "http://127.0.0.1:1/" } } }),
    returns: ({ document }: Question) => document,
    opens: () => ({ openFloor: { schema: { version: "1.1.0" }, conversation: own, sender, events: [] } }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const isNewest = ({ document }: Question) => JSON.stringify(document).includes('"version":"1.1.0"');
    const one = await finder((question) =>
      isNewest(question) ? (answer(question) as ForeignAnswer) : { servicingManifests },
    );
    expect(names(await search("help", [one.url])), name).toEqual(["Helper"]);
    expect(one.questions, name).toHaveLength(2);
  }
});

test("an agent that returns the request in every dialect is reported", async () => {
  const one = await finder(({ document }) => document as ForeignAnswer);
  const { asked } = await search("help", [one.url]);
  expect(asked).toMatchObject([{ problem: "the agent sent the request back instead of an answer" }]);
});

test("a silent agent does not delay the others", async () => {
  const silent = await finder(() => "silence");
  const good = await finder(() => ({ servicingManifests: [manifestAt("http://127.0.0.1:1/", "Helper")] }));
  const result = await search("help", [silent.url, good.url], { answerMs: 200 });
  expect(names(result)).toEqual(["Helper"]);
  expect(result.asked.find(({ serviceUrl }) => serviceUrl === silent.url)?.problem).toBe(
    "the agent did not answer in time",
  );
});

test("an aborted search returns at once", async () => {
  const silent = await finder(() => "silence");
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const searching = search("help", [silent.url], { signal: controller.signal });
  controller.abort();
  expect(await searching).toMatchObject({ found: [], asked: [{ problem: "the agent did not answer in time" }] });
});

test("an agent that two recommend appears once, with the higher score and with reasons", async () => {
  const manifest = (score: number) => manifestAt("http://127.0.0.1:1/", "Helper", { score });
  const { speakerUri, serviceUrl } = manifest(0).identification;
  const reasons = [{ speakerUri, serviceUrl, words: ["help"] }];
  const one = await finder(() => ({ servicingManifests: [manifest(0.2)], reasons }), "tag:one.example,2026:1");
  const two = await finder(() => ({ servicingManifests: [manifest(0.8)] }), "tag:two.example,2026:2");
  const result = await search("help", [one.url, two.url]);
  expect(result.found).toMatchObject([{ manifest: { score: 0.8 }, reasons: { words: ["help"] } }]);
});

test("an agent of 0.9.3 is asked in its dialect, and its proposal is read", async () => {
  const one = await finder(({ document }, url) => {
    if (document.ovon === undefined) return { status: 400 };
    const proposed = { identification: { serviceEndpoint: "http://127.0.0.1:1/old" }, score: 75 };
    const identification = {
      serviceEndpoint: "http://127.0.0.1:1/old",
      organization: "Old",
      conversationalName: "Elder",
      synopsis: "Has seen much.",
    };
    return {
      ovon: {
        schema: { version: "0.9.3" },
        conversation: { id: document.ovon.conversation.id },
        sender: { from: url },
        events: [
          {
            eventType: "proposeAssistant",
            parameters: { servicingManifests: [{ ...proposed, identification }], discoveryManifests: [] },
          },
        ],
      },
    };
  });
  const result = await search("help", [one.url]);
  expect(one.questions.at(-1)?.document.ovon?.events.map(({ eventType }) => eventType)).toEqual([
    "findAssistant",
    "whisper",
  ]);
  expect(one.questions.at(-1)?.text).toBe("help");
  expect(result.found).toMatchObject([
    {
      manifest: { identification: { serviceUrl: "http://127.0.0.1:1/old", conversationalName: "Elder" }, score: 0.75 },
    },
  ]);
});

test("unusable manifests and malformed reasons are ignored", async () => {
  const fine = manifestAt("http://127.0.0.1:1/", "Helper");
  const { speakerUri, serviceUrl } = fine.identification;
  const one = await finder(() => ({
    servicingManifests: [
      ...[null, 7, {}, manifestAt("javascript:alert(1)", "Script"), manifestAt("tag:nowhere", "Nowhere"), fine],
      ...[manifestAt("ftp://127.0.0.1/", "Files"), manifestAt("http://[/", "Broken")],
      manifestAt("http://127.0.0.1:1/big", "Big", { padding: "x".repeat(70_000) }),
      manifestAt(`http://127.0.0.1:1/${"x".repeat(3_000)}`, "Long"),
    ],
    reasons: [
      ...[null, "why", { speakerUri: 1, serviceUrl }],
      {
        speakerUri,
        serviceUrl,
        words: [1, "ok", "y".repeat(999)],
        health: "fine",
        via: 3,
        layers: "a",
        heardAt: "once",
      },
    ],
  }));
  const result = await search("help", [one.url]);
  expect(result.found).toEqual([{ kind: "servicing", manifest: fine, reasons: { words: ["ok"] } }]);
});

test("an empty or too long search text is refused before a request", async () => {
  await expect(search("  ", [])).rejects.toThrow("the search text is empty");
  await expect(search("x".repeat(4_001), [])).rejects.toThrow("more than 4000 characters");
});
