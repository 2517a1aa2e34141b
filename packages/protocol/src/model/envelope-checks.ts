import { type Fault, faultless } from "../repair/issue.ts";
import { dialogEventFaults } from "./dialog-event-checks.ts";
import type { FloorEvent } from "./event.ts";
import type { Identification } from "./manifest.ts";
import { hasMisspeltFlag } from "./private-flag.ts";

type Lists = {
  conversants?: readonly { identification: Identification }[];
  assignedFloorRoles?: Record<string, string[]>;
  floorGranted?: readonly string[];
};

type Recommendations = { sender: { speakerUri: string }; events: readonly FloorEvent[] };

/** Spec 1.6: the lists of a conversation agree with each other. */
export function conversationFaults(conversation: Lists): readonly Fault[] {
  const { conversants, assignedFloorRoles, floorGranted } = conversation;
  if (conversants === undefined) return faultless;
  const listed = new Set<string>();
  const faults: Fault[] = [];
  conversants.forEach(({ identification: { speakerUri } }, index) => {
    if (listed.has(speakerUri)) {
      const problem = `each conversant is listed once, but "${speakerUri}" is listed again`;
      faults.push({ rule: "conversants-once", keys: ["conversants", index], problem });
    }
    listed.add(speakerUri);
  });
  floorGranted?.forEach((speakerUri, index) => {
    if (listed.has(speakerUri)) return;
    const problem = `a conversant with the floor is listed in conversants, but "${speakerUri}" is not`;
    faults.push({ rule: "floor-granted-listed", keys: ["floorGranted", index], problem });
  });
  for (const role in assignedFloorRoles) {
    assignedFloorRoles[role]?.forEach((speakerUri, index) => {
      if (listed.has(speakerUri)) return;
      const problem = `a conversant with a role is listed in conversants, but "${speakerUri}" is not`;
      faults.push({ rule: "floor-role-listed", keys: ["assignedFloorRoles", role, index], problem });
    });
  }
  return faults.length === 0 ? faultless : faults;
}

/** Spec 1.18: an agent does not recommend itself. */
export function recommendationFaults(envelope: Recommendations): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [index, event] of envelope.events.entries()) {
    if (event.eventType !== "publishManifests") continue;
    for (const [n, { identification }] of (event.parameters?.discoveryManifests ?? []).entries()) {
      if (identification.speakerUri !== envelope.sender.speakerUri) continue;
      const problem = "an agent does not recommend itself in discoveryManifests, but this is the sender";
      const keys = ["events", index, "parameters", "discoveryManifests", n];
      faults.push({ rule: "discovery-not-self", keys, problem });
    }
  }
  return faults.length === 0 ? faultless : faults;
}

/** Each dialog event has a unique id: a second one would be taken for a repetition. */
export function repetitionFaults({ events }: { events: readonly FloorEvent[] }): readonly Fault[] {
  if (events.length < 2) return faultless;
  const ids = new Set<string>();
  const faults: Fault[] = [];
  for (const [index, event] of events.entries()) {
    if (event.eventType !== "utterance") continue;
    const { id } = event.parameters.dialogEvent;
    if (ids.has(id)) {
      const problem = `no two dialog events of an envelope share an id, but "${id}" stands here again`;
      const keys = ["events", index, "parameters", "dialogEvent", "id"];
      faults.push({ rule: "dialog-event-id-once", keys, problem });
    }
    ids.add(id);
  }
  return faults.length === 0 ? faultless : faults;
}

/** True when an envelope that its schema accepts breaks none of the other rules either. */
export function isFaultless(envelope: Recommendations & { conversation: Lists }): boolean {
  if (conversationFaults(envelope.conversation) !== faultless) return false;
  if (recommendationFaults(envelope) !== faultless || repetitionFaults(envelope) !== faultless) return false;
  for (const event of envelope.events) {
    if (hasMisspeltFlag(event)) return false;
    if (event.eventType === "utterance" && dialogEventFaults(event.parameters.dialogEvent) !== faultless) return false;
    if (event.eventType !== "invite") continue;
    for (const past of event.parameters?.dialogHistory ?? []) {
      if (dialogEventFaults(past) !== faultless) return false;
    }
  }
  return true;
}
