import { expect, test } from "vitest";
import { createMemoryIo } from "../testing/memory-io.ts";
import { convert, type TargetVersion } from "./convert.ts";

const ann = "tag:ann.example,2025:ann";
const envelope = {
  schema: { version: "1.1.0" },
  conversation: { id: "conversation-1" },
  sender: { speakerUri: ann },
  events: [{ eventType: "requestFloor" }],
};

async function convertStdin(source: unknown, to: TargetVersion, json = false) {
  const isText = typeof source === "string" || source instanceof Uint8Array;
  const io = createMemoryIo({ stdin: isText ? source : JSON.stringify(source) });
  const exitCode = await convert("-", { to, output: undefined, json }, io);
  return { exitCode, ...io.written };
}

test("a valid envelope in its own version is printed, formatted, without messages", async () => {
  const stdout = `${JSON.stringify({ openFloor: envelope }, null, 2)}\n`;
  expect(await convertStdin({ openFloor: envelope }, "1.1.0")).toEqual({ exitCode: 0, stdout, stderr: "" });
});

test("each loss is a line on stderr", async () => {
  const events = [{ eventType: "acceptInvite" }, { eventType: "bye" }];
  const { exitCode, stdout, stderr } = await convertStdin({ openFloor: { ...envelope, events } }, "1.0.0");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).openFloor).toMatchObject({ schema: { version: "1.0.0" }, events: [{ eventType: "bye" }] });
  expect(stderr).toMatch(/^lost \/openFloor\/events\/0: .+\n$/u);
});

test("--json prints envelope and losses in one line", async () => {
  const events = [{ eventType: "acceptInvite" }];
  const { stdout } = await convertStdin({ openFloor: { ...envelope, events } }, "1.0.0", true);
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const line = JSON.parse(stdout);
  expect(Object.keys(line)).toEqual(["envelope", "losses"]);
  expect(line.envelope.openFloor.events).toEqual([]);
  expect(line.losses).toEqual([{ path: "/openFloor/events/0", why: expect.any(String) }]);
});

test("losses of reading are reported too", async () => {
  const context = { eventType: "context", parameters: { dialogHistory: [], weather: "fine" } };
  const invite = { eventType: "invite", to: { serviceUrl: "https://bot.example" } };
  const source = { ...envelope, schema: { version: "1.0.0" }, events: [invite, context] };
  const { exitCode, stderr } = await convertStdin({ openFloor: source }, "1.1.0");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("lost /openFloor/events/1/parameters/weather: ");
});

test("state that only 1.0.0 keeps is carried to 1.0.0 and a loss elsewhere", async () => {
  const identification = {
    speakerUri: ann,
    serviceUrl: "https://ann.example",
    organization: "Example",
    conversationalName: "Ann",
    synopsis: "A person.",
  };
  const conversants = [{ identification, persistentState: { seen: 7 } }];
  const conversation = { id: "conversation-1", conversants };
  const source = { openFloor: { ...envelope, schema: { version: "1.0.0" }, conversation } };
  const path = "/openFloor/conversation/conversants/0/persistentState";
  expect((await convertStdin(source, "1.1.0")).stderr).toContain(`lost ${path}: `);
  const same = await convertStdin(source, "1.0.0");
  expect(same.stderr).toBe("");
  expect(JSON.parse(same.stdout).openFloor.conversation.conversants[0].persistentState).toEqual({ seen: 7 });
});

test("state that 0.9 keeps for the conversation is carried to 0.9.3 and a loss elsewhere", async () => {
  const source = {
    ovon: {
      schema: { version: "0.9.3" },
      conversation: { id: "conversation-1", persistentState: { "https://ann.example": { seen: 7 } } },
      sender: { from: "https://ann.example" },
      events: [{ eventType: "bye" }],
    },
  };
  expect((await convertStdin(source, "1.1.0")).stderr).toContain("lost /ovon/conversation/persistentState: ");
  const same = await convertStdin(source, "0.9.3");
  expect(JSON.parse(same.stdout)).toMatchObject({ ovon: { conversation: source.ovon.conversation } });
  expect(same.stderr).not.toContain("persistentState");
});

test.each(["1.0.1", "1.1.1"])("%s becomes 1.1.0 by name as well", async (version) => {
  const url = `https://example.com/schemas/${version}/conversation-envelope-schema.json`;
  const { stdout } = await convertStdin({ openFloor: { ...envelope, schema: { version, url } } }, "1.1.0");
  expect(JSON.parse(stdout).openFloor.schema).toEqual({
    version: "1.1.0",
    url: "https://example.com/schemas/1.1.0/conversation-envelope-schema.json",
  });
  const older = await convertStdin({ openFloor: { ...envelope, schema: { version } } }, "1.0.0");
  expect(JSON.parse(older.stdout).openFloor.schema).toEqual({ version: "1.0.0" });
  expect(older.stderr).toBe("");
});

test("small faults are repaired and reported on stderr", async () => {
  const source = { openFloor: { ...envelope, schema: { version: " 1.1.0 " } } };
  const { exitCode, stdout, stderr } = await convertStdin(source, "1.1.0");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).openFloor.schema.version).toBe("1.1.0");
  expect(stderr).toContain("warning[schema-version]: ");
});

test("a missing dialog event id is minted", async () => {
  const text = { mimeType: "text/plain", tokens: [{ value: "hi" }] };
  const dialogEvent = { speakerUri: ann, span: { startTime: "2025-01-31T10:05:00Z" }, features: { text } };
  const events = [{ eventType: "utterance", parameters: { dialogEvent } }];
  const { stdout } = await convertStdin({ openFloor: { ...envelope, events } }, "1.1.0");
  expect(JSON.parse(stdout).openFloor.events[0].parameters.dialogEvent.id).toMatch(/^de:[0-9a-f-]{36}$/u);
});

test.each([
  ["an unknown eventType", JSON.stringify({ openFloor: { ...envelope, events: [{ eventType: "sing" }] } })],
  ["something that is not JSON", "{"],
  ["another format", '{"name": "x"}'],
  [
    "a name that is not UTF-8",
    Buffer.from(JSON.stringify({ openFloor: { ...envelope, note: "caf\u00e9" } }), "latin1"),
  ],
])("%s is refused, with its issues, and stdout stays empty", async (_name, source) => {
  const { exitCode, stdout, stderr } = await convertStdin(source, "1.1.0", true);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^error\[/u);
  expect(stderr).toContain("plenary: <stdin> was not converted: it has an error that cannot be repaired\n");
});

test("a manifest and a dialog event are refused by name", async () => {
  const manifest = await convertStdin({ identification: {}, capabilities: [] }, "1.0.0");
  expect(manifest).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "plenary: <stdin> was not converted: it is a manifest, and only envelopes are converted\n",
  });
  const dialogEvent = await convertStdin({ id: "1", speakerUri: ann, span: {}, features: {} }, "1.0.0");
  expect(dialogEvent.stderr).toContain("it is a dialog event, and only envelopes are converted");
});

test("an envelope goes to 0.9.3 and back under its own root key", async () => {
  const sender = { speakerUri: ann, serviceUrl: "https://ann.example" };
  const source = { openFloor: { ...envelope, sender, events: [{ eventType: "bye" }] } };
  const legacy = await convertStdin(source, "0.9.3");
  expect(legacy.exitCode).toBe(0);
  expect(JSON.parse(legacy.stdout).ovon).toMatchObject({
    schema: { version: "0.9.3" },
    events: [{ eventType: "bye" }],
  });
  const back = await convertStdin(legacy.stdout, "1.1.0");
  expect(JSON.parse(back.stdout).openFloor).toMatchObject({
    schema: { version: "1.1.0" },
    conversation: { id: "conversation-1" },
    events: [{ eventType: "bye" }],
  });
});
