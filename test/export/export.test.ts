// A reader exports what it may see of a conversation, and an import restores it.
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { ann, bob, cid, type Json } from "../support/envelopes.ts";
import { canary, type Floor, formats, mistake, talk, useExportedFloor } from "./exported-floor.ts";

const { at, read, run, runProcess, open } = useExportedFloor();

const asked = (id: string, format: string, speaker?: string) => {
  const as = speaker === undefined ? "" : `&speaker=${encodeURIComponent(speaker)}`;
  return `/api/v1/conversations/${id}/export?format=${format}${as}`;
};

test("a whisper is in the exports of its two parties, and in no other export", async () => {
  const floor = await open();
  const id = await talk(floor);
  for (const format of formats) {
    for (const speaker of [undefined, ann, bob, cid]) {
      const text = (await floor.call("GET", asked(id, format, speaker))).text;
      expect([format, speaker, text.includes(canary)]).toEqual([format, speaker, speaker === ann || speaker === bob]);
      expect(text).not.toContain(mistake);
      // A later conversant does not read earlier utterances, and one that has left does not read later ones.
      expect([format, speaker, text.includes("Which bird")]).toEqual([format, speaker, speaker !== cid]);
      expect([format, speaker, text.includes("Good morning")]).toEqual([format, speaker, speaker !== bob]);
    }
  }
  await eachSaysWhatItIs(floor, id);
});

/** Asserts that a browser neither runs nor caches the export. */
async function eachSaysWhatItIs(floor: Floor, id: string): Promise<void> {
  const types = ["text/html", "text/markdown", "text/vnd.mermaid", "application/jsonl"];
  for (const [index, format] of formats.entries()) {
    const { status, headers } = await floor.call("GET", asked(id, format));
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(`${types[index]}; charset=utf-8`);
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename\*=UTF-8''[\w.-]+\.(?:jsonl|md|mmd|html)$/u,
    );
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toContain("no-store");
  }
  const wrong = await floor.call("GET", asked(id, "docx"));
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("one of html, markdown, mermaid, jsonl");
}

test("the command writes the same export from a running floor and from its file", async () => {
  const floor = await open();
  const id = await talk(floor);
  const kinds = [{ format: "jsonl" }, { format: "html", speaker: ann }];
  const exported = await Promise.all(
    kinds.map(async ({ format, speaker }) => (await floor.call("GET", asked(id, format, speaker))).text),
  );
  const written = async () => {
    const texts: string[] = [];
    for (const { format, speaker } of kinds) {
      const as = speaker === undefined ? [] : ["--speaker", speaker];
      texts.push((await run("export", "Birds", "--format", format, "--store", "floor.db", ...as)).stdout);
    }
    return texts;
  };
  expect(await written()).toEqual(exported);
  const complete = runProcess("export", id.slice(0, 8), "--complete", "--store", "floor.db").stdout;
  expect(complete).toContain(canary);
  expect(complete).not.toContain(mistake);
  await floor.close();
  expect(await written()).toEqual(exported);
  expect((await run("export", id, "--complete", "--store", "floor.db")).stdout).toBe(complete);
});

test("an unknown conversation is an error, and no file is written", async () => {
  const floor = await open();
  const id = await talk(floor);
  const listed = await run("export", "--store", "floor.db");
  expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(`^${id}  .*  Birds\n$`) });
  const unknown = await run("export", "Fish", "-o", "fish.md", "--store", "floor.db");
  expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
  expect(unknown.stderr).toBe("plenary: no conversation matches Fish: plenary export lists all conversations\n");
  expect(() => read("fish.md")).toThrow();
  expect((await run("export", id, "--format", "docx")).exitCode).toBe(2);
  expect((await run("export", id, "--complete", "--format", "html")).exitCode).toBe(2);
  expect((await run("export", id, "--complete", "--speaker", ann)).exitCode).toBe(2);
  // A name is not a speakerUri: the export would be empty.
  expect(await run("export", id, "--speaker", "Ann", "--store", "floor.db")).toMatchObject({ exitCode: 2, stdout: "" });
  expect((await run("export", id, "--store", "none.db")).exitCode).toBe(2);
});

async function states({ must }: Pick<Floor, "must">, id: string): Promise<Json[]> {
  const { seq } = await must("GET", `/api/v1/conversations/${id}`);
  const seqs = Array.from({ length: Number(seq) }, (_, index) => index + 1);
  return Promise.all(seqs.map((one) => must("GET", `/api/v1/conversations/${id}?at=${one}`)));
}

/** The name of the floor is part of each trace id, and two floors have different names. */
const withoutTraces = (log: Json) =>
  JSON.parse(JSON.stringify(log), (key, value) => (key === "trace" ? undefined : value));

test("an export that is imported into an empty store equals the conversation at every entry, and it can continue", async () => {
  const floor = await open();
  const id = await talk(floor);
  const before = await states(floor, id);
  const path = `/api/v1/conversations/${id}/log?limit=1000&speaker=${encodeURIComponent(bob)}`;
  const bobs = withoutTraces(await floor.must("GET", path));
  expect((await run("export", id, "--complete", "--output", "birds.jsonl", "--store", "floor.db")).exitCode).toBe(0);
  expect(JSON.parse(read("birds.jsonl").split("\n")[0] ?? "")).toMatchObject({ entries: before.length });
  // Other users of this machine cannot read the file.
  expect(statSync(at("birds.jsonl")).mode & 0o077).toBe(0);
  expect(await run("import", "birds.jsonl", "--id", "x", "--store", "floor.db")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("another process uses this store"),
  });
  await floor.close();
  const { exitCode, stdout } = await run("import", "birds.jsonl", "--store", "other.db");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `imported ${id}: ${before.length} entries\n` });
  expect((await run("verify", "--store", "other.db")).stdout).toBe(
    `1 conversation, ${before.length} entries (1 erased): unchanged\n`,
  );
  expect((await run("export", id, "--complete", "--store", "other.db")).stdout).toBe(read("birds.jsonl"));
  const other = await open("other.db");
  expect(await states(other, id)).toEqual(before);
  expect(withoutTraces(await other.must("GET", path))).toEqual(bobs);
  const { conversations } = await other.must("GET", `/api/v1/conversations?speaker=${encodeURIComponent(bob)}`);
  expect(conversations).toMatchObject([{ id, title: "Birds" }]);
  await other.must("POST", `/api/v1/conversations/${id}/title`, { title: "More birds" });
  await other.close();
  expect((await run("verify", "--store", "other.db")).exitCode).toBe(0);
});
