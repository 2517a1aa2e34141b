import { checkDocument } from "@plenary/protocol";
import { expect, test } from "vitest";
import { at, mint } from "./case.ts";
import { type Sample, samples } from "./fixtures.ts";

/** An envelope names its version. Manifests and dialog events do not: their shape identifies the last version that has it. */
function versionOf({ kind, published, text }: Sample): unknown {
  const document: unknown = JSON.parse(text);
  const claimed = at(document, "/openFloor/schema/version") ?? at(document, "/ovon/schema/version");
  if (kind === "envelope") return String(claimed).trim();
  return kind === "manifest" && published > "0.9.1" ? "1.0.1" : published;
}

for (const sample of samples) {
  test(`the official sample ${sample.file} breaks no rule that a sample may not break`, () => {
    const { kind, version, valid, issues } = checkDocument(sample.text, mint);
    expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
    expect({ kind, version, valid }).toEqual({ kind: sample.kind, version: versionOf(sample), valid: true });
  });
}

const manifests = "/openFloor/events/0/parameters";

/** The flaws of some samples, found by hand. */
const flaws: Record<string, readonly string[]> = {
  "conversation-envelope/1.1.0/sample-json/example-envelope.json": [],
  "conversation-envelope/1.1.0/sample-json/example-invite.json": [],
  "conversation-envelope/1.1.0/sample-json/example-utterance.json": [
    "span-start-time /openFloor/events/0/parameters/dialogEvent/span/startTime",
  ],
  "conversation-envelope/1.1.0/sample-json/example-uninvite.json": [
    "current-roles /openFloor/conversation/currentRoles",
    "conversants-present /openFloor/conversation/conversants",
  ],
  "conversation-envelope/1.1.0/sample-json/example-grantFloor.json": [
    "conversants-present /openFloor/conversation/conversants",
    "dialog-event-id /openFloor/events/1/parameters/dialogEvent/id",
  ],
  "conversation-envelope/1.1.0/sample-json/example-publishManifests.json": [
    `identification-service-name ${manifests}/servicingManifests/0/identification/serviceName`,
    `supported-layers ${manifests}/servicingManifests/0/capabilities/0/supportedLayers`,
    `identification-organization ${manifests}/discoveryManifests/0/identification/organization`,
    `identification-conversational-name ${manifests}/discoveryManifests/0/identification/conversationalName`,
    `supported-layers ${manifests}/discoveryManifests/0/capabilities/0/supportedLayers`,
  ],
  "conversation-envelope/1.0.0/sample-json/example-bye.json": ["schema-version-root /openFloor/schema/version"],
  "conversation-envelope/0.9.4/sample-json/example-getManifests3.json": [
    "dialog-event-id /openFloor/events/1/parameters/dialogEvent/id",
  ],
  "assistant-manifest/1.0.1/sample-json/example-manifest2.json": [],
  "dialog-event/1.0.2/sample-json/figure2.json": [
    "span-end-offset /span/endOffset",
    "feature-span /features/my-text-token-feature/span",
  ],
  "dialog-event/1.0.2/sample-json/figure4.json": [],
};

for (const [file, expected] of Object.entries(flaws)) {
  test(`the flaws of ${file} are known by rule and place`, () => {
    const text = samples.find((sample) => sample.file === file)?.text ?? "";
    const { issues } = checkDocument(text, mint);
    expect(issues.map(({ rule, path }) => `${rule} ${path}`).sort()).toEqual([...expected].sort());
  });
}
