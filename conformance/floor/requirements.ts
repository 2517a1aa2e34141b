/** Requirements on a floor manager: the section of the specification, and the requirement in our own words. */
export type Requirement = { spec: string; says: string };

/** Message specification 1.1.0; the utterance rows as clarified in 1.1.1. Tests cite the ids in brackets. */
export const requirements = {
  "floor-1.6-id": { spec: "1.6", says: "every envelope carries the id of its conversation" },
  "floor-1.6-replaced": {
    spec: "1.6",
    says: "what conversants send of the conversation section beside the id is replaced by the floor manager",
  },
  "floor-1.6.1-all-listed": { spec: "1.6.1", says: "conversants lists everyone in the conversation" },
  "floor-1.6.1-identification": {
    spec: "1.6.1",
    says: "each conversant carries the identification section of its manifest",
  },
  "floor-1.6.2-listed": { spec: "1.6.2", says: "a speaker with a role is listed in conversants" },
  "floor-1.6.2-one-convener": { spec: "1.6.2", says: "there is at most one convener" },
  "floor-1.6.2-by-floor": { spec: "1.6.2", says: "roles are assigned by the floor manager alone" },
  "floor-1.6.3-default-granted": { spec: "1.6.3", says: "a conversant that joins has the floor" },
  "floor-1.6.3-grant-sent": { spec: "1.6.3", says: "floor rights are granted when grantFloor is sent" },
  "floor-1.6.3-revoke-sent": { spec: "1.6.3", says: "floor rights are revoked when revokeFloor is sent" },
  "floor-1.6.3-not-policed": {
    spec: "1.6.3, 0.4.3",
    says: "read as advice, floor rights stop no utterance (floorEnforcement advisory)",
  },
  "floor-1.8-to-absent": {
    spec: "1.8",
    says: "an event meant for one recipient may be copied to all for context, wherever that one is",
  },
  "floor-1.13-no-more-envelopes": { spec: "1.13", says: "an uninvited conversant gets no further envelopes" },
  "floor-1.19-request-answered": { spec: "1.19", says: "requestFloor is answered by grantFloor or revokeFloor" },
  "floor-2.2-all-event-types": { spec: "2.2", says: "a floor manager supports all event types" },
  "floor-2.2-invite-adds": { spec: "2.2, curation", says: "an invite that is sent adds the conversant immediately" },
  "floor-2.2-stays": {
    spec: "2.2, curation",
    says: "a conversant stays listed until it declines, leaves or is uninvited",
  },
  "floor-2.2-decline-removes": { spec: "2.2, curation", says: "declineInvite received removes the conversant" },
  "floor-2.2-bye-removes": { spec: "2.2, curation", says: "bye received removes the conversant" },
  "floor-2.2-uninvite-removes": { spec: "2.2, curation", says: "uninvite sent removes the conversant" },
  "floor-2.2-granted-when-added": { spec: "2.2, curation", says: "a conversant has the floor as soon as it is added" },
  "floor-2.2-yield-clears": { spec: "2.2, curation", says: "yieldFloor received ends its sender's floor rights" },
  "floor-2.2-revoke-clears": { spec: "2.2, curation", says: "revokeFloor sent ends its target's floor rights" },
  "floor-2.2-removal-clears": { spec: "2.2, curation", says: "removal from conversants ends floor rights" },
  "floor-2.2-grant-reinstates": { spec: "2.2, curation", says: "grantFloor sent gives floor rights back" },
  "floor-2.2-request-changes-nothing": {
    spec: "2.2, curation",
    says: "requestFloor itself does not change who has the floor",
  },
  "floor-2.2-row-utterance-granted": { spec: "2.2, table", says: "utterance with the floor: pass through" },
  "floor-2.2-row-utterance-not-granted": {
    spec: "2.2, table",
    says: "utterance without the floor: delegate; ignore without a convener",
  },
  "floor-2.2-row-invite": { spec: "2.2, table", says: "invite: delegate; pass through without a convener" },
  "floor-2.2-row-uninvite": { spec: "2.2, table", says: "uninvite: delegate; pass through without a convener" },
  "floor-2.2-row-decline-invite": { spec: "2.2, table", says: "declineInvite: pass through" },
  "floor-2.2-row-accept-invite": { spec: "2.2, table", says: "acceptInvite: pass through" },
  "floor-2.2-row-bye": { spec: "2.2, table", says: "bye: pass through" },
  "floor-2.2-row-get-manifests": { spec: "2.2, table", says: "getManifests: pass through" },
  "floor-2.2-row-publish-manifests": { spec: "2.2, table", says: "publishManifests: pass through" },
  "floor-2.2-row-request-floor": {
    spec: "2.2, table",
    says: "requestFloor: delegate; send grantFloor without a convener",
  },
  "floor-2.2-row-grant-floor": { spec: "2.2, table", says: "grantFloor: delegate; pass through without a convener" },
  "floor-2.2-row-yield-floor": { spec: "2.2, table", says: "yieldFloor: pass through" },
  "floor-2.2-row-revoke-floor": { spec: "2.2, table", says: "revokeFloor: delegate; pass through without a convener" },
  "floor-2.2-pass-to-all": { spec: "2.2, table", says: "pass through means to all conversants" },
  "floor-2.2-private-utterance": { spec: "2.2, table", says: "a private utterance goes to its recipient only" },
  "floor-2.2-private-ignored-otherwise": { spec: "2.2, table", says: "private is ignored in all other events" },
  "floor-2.2-delegate-returns": {
    spec: "2.2, table",
    says: "the convener returns a delegated event or other events in its place",
  },
  "floor-2.2-envelopes-in-order": { spec: "2.2, sequence", says: "envelopes are processed in the order received" },
  "floor-2.2-events-in-order": { spec: "2.2, sequence", says: "events are processed in the order listed" },
  "floor-2.2-own-envelope": {
    spec: "2.2, sequence",
    says: "an event is delegated in an envelope of its own, and its answer is awaited",
  },
  "floor-2.2-head-of-list": {
    spec: "2.2, sequence",
    says: "what the convener returns goes to the head of the event list, in the order returned",
  },
} as const satisfies Record<string, Requirement>;
