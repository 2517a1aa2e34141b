import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { envelopeOf, utterance } from "../support/envelopes.ts";
import { report } from "../support/nightly.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";
import { post } from "./raw-http.ts";
import { authorization } from "./senders.ts";
import { answersAfterSync, callsIn } from "./system-calls.ts";

const requests = 200;
const speaker = "tag:people.example,2026:ann";
const tracer = "strace";
const hasTracer = spawnSync(tracer, ["-V"]).status === 0;
// The commands of this project install it where they may; elsewhere a missing tool is not a failure.
const isMissing = !hasTracer && process.env.CI !== "true";

let processes: Processes;

beforeAll(() => {
  processes = createProcesses();
});

afterAll(() => processes.close());

/** Sends utterances one after the other, and returns for each whether it was synced before it was acknowledged. */
async function trace(name: string, script?: string): Promise<boolean[]> {
  const file = join(processes.folder, `${name}.db`);
  const output = join(processes.folder, `${name}.trace`);
  // With -D the floor, not the tracer, is our child process: a signal ends it, and the tracer with it.
  const strace = [tracer, "-D", "-f", "-y", "-s", "64", "-o", output];
  const watched = "trace=fsync,fdatasync,write,writev,pwrite64,sendto,sendmsg,read,recvfrom";
  const floor = await processes.startFloor(file, {
    under: [...strace, "-e", watched],
    ...(script && { script: join(import.meta.dirname, script) }),
  });
  for (let count = 0; count < requests; count += 1) {
    const event = utterance(speaker, `word ${count}`, { id: `word-${count}` });
    const body = JSON.stringify(envelopeOf("c1", speaker, [event]));
    const { status } = await post(`${floor.url}/openfloor`, body, authorization);
    expect(status).toBe(200);
  }
  await floor.stop("SIGTERM");
  return answersAfterSync(callsIn(readFileSync(output, "utf8")), "POST /openfloor", `${name}.db-wal`);
}

test.skipIf(isMissing)("an acknowledgement is written to the socket after the log is synced to the disk", async () => {
  const verdicts = await trace("durable");
  const synced = verdicts.filter((isSynced) => isSynced).length;
  report(`fsync: ${synced} of ${verdicts.length} acknowledgements came after the sync of the log`);
  expect(verdicts).toHaveLength(requests);
  expect(synced).toBe(requests);
});

test.skipIf(isMissing)("the check detects a floor that acknowledges without writing", async () => {
  const verdicts = await trace("forgetful", "memory-floor.mjs");
  expect(verdicts).toHaveLength(requests);
  expect(verdicts.filter((isSynced) => isSynced)).toEqual([]);
});

test("the check detects an acknowledgement before the sync, or before the last write was synced", () => {
  const read = `1 read(25<socket:[1]>, "POST /openfloor HTTP/1.1"..., 65536) = 900`;
  const write = `1 pwrite64(20<floor.db-wal>, ""..., 4096, 0) = 4096`;
  const begun = "2 fsync(20<floor.db-wal> <unfinished ...>";
  const ended = "2 <... fsync resumed>)   = 0";
  const failed = "1 fsync(20<floor.db-wal>) = -1 EIO (Input/output error)";
  const answer = `1 writev(25<socket:[1]>, [{iov_base="HTTP/1.1 200 OK"...}], 1) = 400`;
  const judge = (...lines: string[]) => answersAfterSync(callsIn(lines.join("\n")), "POST /openfloor", ".db-wal");
  expect(judge(read, write, begun, ended, answer)).toEqual([true]);
  expect(judge(read, write, begun, answer, ended)).toEqual([false]);
  expect(judge(read, write, failed, answer)).toEqual([false]);
  expect(judge(read, begun, ended, write, answer)).toEqual([false]);
  expect(judge(write, begun, ended, read, answer)).toEqual([false]);
});
