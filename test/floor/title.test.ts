// The title of a conversation: who sets it, who sees it, and which values are invalid.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const ben = "tag:people.example,2026:ben";
const c = "/api/v1/conversations/c";
const owner = { identification: { speakerUri: ann } };

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const open = (fields: object = {}) => floor.call("POST", "/api/v1/conversations", { id: "c", owner, ...fields });
const entitle = (body?: object) => floor.call("POST", `${c}/title`, body);

async function listed(speaker?: string): Promise<unknown> {
  const query = speaker === undefined ? "" : `?speaker=${encodeURIComponent(speaker)}`;
  const { body } = await floor.call("GET", `/api/v1/conversations${query}`);
  return (body.conversations as { title?: string }[]).map(({ title }) => title);
}

test("a title given at the start is shown in the state, once, and in the list", async () => {
  const opened = await open({ title: "  Birds, mostly " });
  expect(opened).toMatchObject({ status: 201, body: { conversation: { title: "Birds, mostly" } } });
  const state = await floor.state("c");
  expect(state.title).toBe("Birds, mostly");
  expect(state.options).not.toHaveProperty("title");
  expect([await listed(), await listed(ann)]).toEqual([["Birds, mostly"], ["Birds, mostly"]]);
});

test("a conversation without a title has none anywhere", async () => {
  await open();
  expect(await floor.state("c")).not.toHaveProperty("title");
  expect(await listed()).toEqual([undefined]);
});

test("a new title replaces it for all conversants, and earlier entries keep the old one", async () => {
  await open({ title: "Birds" });
  await floor.call("POST", `${c}/seat`, { identification: { speakerUri: ben } });
  const { seq } = await floor.state("c");
  expect(await entitle({ title: "Bees" })).toMatchObject({
    status: 200,
    body: { title: "Bees", seq: Number(seq) + 1 },
  });
  expect((await floor.log("c", ben)).at(-1)).toMatchObject({
    kind: "titled",
    title: "Bees",
    because: "command/title/operator",
  });
  expect((await floor.state("c", Number(seq))).title).toBe("Birds");
  expect([await listed(), await listed(ben)]).toEqual([["Bees"], ["Bees"]]);
});

test("an empty title, and a missing one, remove the title", async () => {
  await open();
  for (const body of [{ title: null }, {}, undefined]) {
    await entitle({ title: "Birds" });
    const taken = await entitle(body);
    expect(taken.status).toBe(200);
    expect(taken.body).not.toHaveProperty("title");
    expect(await listed()).toEqual([undefined]);
  }
});

test("a conversant that has left sees the title of its time, not a later one", async () => {
  await open({ title: "Birds" });
  await floor.call("POST", `${c}/seat`, { identification: { speakerUri: ben } });
  await floor.call("POST", `${c}/remove`, { speakerUri: ben });
  await entitle({ title: "What we really think of Ben" });
  expect([await listed(ben), await listed(ann)]).toEqual([["Birds"], ["What we really think of Ben"]]);
});

const wrong: [what: string, title: unknown][] = [
  ["nothing", ""],
  ["blanks", "  \t "],
  ["too much", "x".repeat(201)],
  ["two lines", "Birds\nand bees"],
  ["a bell", "Bir\u0007ds"],
  ["a line separator", "Birds\u2028bees"],
  ["letters that run the other way", "Birds\u202Esdrib"],
  ["what cannot be seen", "\u200B\u3164\u2800"],
  ["a number", 7],
  ["a list", ["Birds"]],
];

test.each(wrong)(
  "%s is an invalid title, at the start and later, and the problem names its place",
  async (_what, title) => {
    const problem = {
      status: 400,
      body: { pointer: "/title", detail: expect.stringContaining("1 to 200 characters") },
    };
    expect(await open({ title })).toMatchObject(problem);
    await open({ title: "Birds" });
    expect(await entitle({ title })).toMatchObject(problem);
    expect(await listed()).toEqual(["Birds"]);
  },
);

test("a title may have 200 characters of any language, with spaces around them", async () => {
  const title = `${"鳥".repeat(150)} ${"👩‍👩‍👧".repeat(6)}`;
  expect(await open({ title: ` ${title.padEnd(200, "é")}\n` })).toMatchObject({
    status: 201,
    body: { conversation: { title: title.padEnd(200, "é") } },
  });
});
