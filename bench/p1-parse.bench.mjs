// P1: reading an envelope (safe JSON, full validation) against plain JSON.parse of the same text.
import { execFileSync } from "node:child_process";
import { encodeEnvelope, parseEnvelope } from "@plenary/protocol";
import { invite20kb, utterance1kb, utteranceWithWarnings } from "./envelopes.mjs";
import { compare, median, verdict } from "./ratio.mjs";

const target = 2;
const mint = { now: "2025-05-02T09:00:00Z", newId: () => "de:new" };

function parsed(text, issueCount) {
  const result = parseEnvelope(text, mint);
  if (!result.ok || result.issues.length !== issueCount) throw new Error(JSON.stringify(result.issues));
  return result.envelope;
}

function against(text) {
  return compare(
    () => parseEnvelope(text, mint),
    () => JSON.parse(text),
  );
}

function tell(name, text, { ratio, cpuRatio, subjectUs, referenceUs }) {
  const times = `${subjectUs.toFixed(1)} us against ${referenceUs.toFixed(1)} us`;
  console.log(
    `# ${name}: ${Buffer.byteLength(text)} bytes, ${times}, time x ${ratio.toFixed(2)}, CPU x ${cpuRatio.toFixed(2)}`,
  );
}

/** From an empty process to the first envelope read, without Node's own start. */
function coldStartMs() {
  const script = `
    const before = performance.now();
    const { parseEnvelope } = await import("@plenary/protocol");
    const imported = performance.now();
    parseEnvelope(${JSON.stringify(utterance1kb)}, { now: "2025-05-02T09:00:00Z", newId: () => "de:new" });
    console.log(JSON.stringify({ importMs: imported - before, firstMs: performance.now() - imported }));
  `;
  const options = { cwd: import.meta.dirname, encoding: "utf8" };
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], options));
}

const starts = Array.from({ length: 7 }, coldStartMs);
const importMs = median(starts.map((start) => start.importMs)).toFixed(1);
const firstMs = median(starts.map((start) => start.firstMs)).toFixed(1);
console.log(`# cold start: import ${importMs} ms, first envelope ${firstMs} ms`);

parsed(utterance1kb, 0);
parsed(invite20kb, 0);
const mended = parsed(utteranceWithWarnings, 3);

const utterance = against(utterance1kb);
const invite = against(invite20kb);
tell("utterance", utterance1kb, utterance);
tell("invite with history", invite20kb, invite);
tell("utterance with three warnings", utteranceWithWarnings, against(utteranceWithWarnings));
const encoding = compare(
  () => encodeEnvelope(mended, "1.1"),
  () => JSON.parse(utterance1kb),
);
console.log(
  `# encodeEnvelope to 1.1: ${encoding.subjectUs.toFixed(3)} us, x ${encoding.ratio.toFixed(3)} (nothing is copied)`,
);

// Reading waits for nothing, so on a quiet machine both ratios are the same. On a busy one the longer side is interrupted
// more often, and only CPU time still tells what reading costs.
verdict("p1-utterance-1kb", utterance.cpuRatio, target, utterance.cpuRatio <= target);
verdict("p1-invite-20kb", invite.cpuRatio, target, invite.cpuRatio <= target);
