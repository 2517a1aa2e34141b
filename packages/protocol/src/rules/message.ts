import { type Rule, rule } from "./rule.ts";

const in_ = (section: string) => `Inter-Agent Message 1.1.0, section ${section}`;
const in111 = (section: string) => `Inter-Agent Message 1.1.1, section ${section}`;

const bare = (section: string, eventType: string): Rule =>
  rule(in_(section), `${eventType} takes no parameters`, 'leave "parameters" out');

export const messageRules = {
  root: rule(
    in_("1.4"),
    'an envelope is an object under the key "openFloor"',
    'wrap the envelope: {"openFloor": {...}}',
  ),
  "two-roots": rule(
    in_("1.4"),
    "an envelope has one root key, openFloor or ovon",
    "send the envelope under one of the two, not both",
  ),
  schema: rule(in_("1.5"), "the schema section is a mandatory object", 'add "schema": {"version": "1.1.0"}'),
  "schema-version": rule(in_("1.5"), "schema.version is a published version number", 'write "version": "1.1.0"'),
  "schema-version-root": rule(
    in_("1.5"),
    "the version agrees with the root key: 0.9.0 to 0.9.3 under ovon, later ones under openFloor",
    "write the version of the format actually used",
  ),
  "schema-url": rule(in_("1.5"), "schema.url is the URL of the JSON Schema", 'write a URL or leave "url" out'),
  conversation: rule(in_("1.4"), "the conversation section is a mandatory object", 'add "conversation": {"id": "..."}'),
  "conversation-id": rule(in_("1.6"), "conversation.id is a mandatory string", "write the id of the conversation"),
  conversants: rule(in_("1.6.1"), "conversants is a list", "write an array of conversants"),
  conversant: rule(
    in_("1.6.1"),
    "a conversant is an object with an identification",
    'write {"identification": {...}} as in its manifest',
  ),
  "conversant-identification-keys": rule(
    in_("3"),
    "a conversant's identification has only the keys of the manifest's identification",
    "leave other keys to the manifest",
  ),
  "conversants-present": rule(
    in_("1.6.1"),
    "conversants is mandatory beside assignedFloorRoles or floorGranted",
    "list the conversants",
  ),
  "conversants-once": rule(in_("1.6.1"), "each conversant is listed once", "remove the second entry"),
  "floor-roles": rule(in_("1.6.2"), "assignedFloorRoles maps role names to lists", 'write {"convener": ["tag:..."]}'),
  "floor-role-members": rule(in_("1.6.2"), "a role maps to a list of speakerUris", 'write ["tag:..."]'),
  "floor-role-listed": rule(
    in_("1.6.2"),
    "a conversant with a role is listed in conversants",
    "add it to conversants or take the role away",
  ),
  "convener-single": rule(in_("1.6.2"), "there is at most one convener", "keep one"),
  "owner-single": rule(in111("1.6.2"), "there is at most one owner", "keep one"),
  "current-roles": rule(
    in_("1.6.2"),
    "roles are given in assignedFloorRoles",
    "rename currentRoles to assignedFloorRoles",
  ),
  "floor-granted": rule(in_("1.6.3"), "floorGranted is a list of speakerUris", 'write ["tag:..."]'),
  "floor-granted-listed": rule(
    in_("1.6.3"),
    "a conversant with the floor is listed in conversants",
    "add it to conversants or take the floor away",
  ),
  sender: rule(in_("1.7"), "the sender section is a mandatory object", 'add "sender": {"speakerUri": "tag:..."}'),
  "sender-speaker-uri": rule(in_("1.7"), "the sender is named by a speakerUri", 'write "speakerUri": "tag:..."'),
  "sender-service-url": rule(in_("1.7"), "sender.serviceUrl is a URL", "write the sender's endpoint or leave it out"),
  events: rule(in_("1.8"), "events is a mandatory list", 'write "events": [] or a list of events'),
  event: rule(in_("1.8"), "an event is an object", 'write {"eventType": "..."}'),
  "event-type": rule(
    in_("1.8"),
    "an event has an eventType, a string",
    'write "eventType": "utterance" or another type',
  ),
  "event-type-known": rule(
    in_("1.9"),
    "the eventType is one of the twelve",
    "use utterance, invite, uninvite, acceptInvite, declineInvite, bye, getManifests, publishManifests, requestFloor, grantFloor, revokeFloor or yieldFloor",
  ),
  "event-type-retired": rule(
    in_("1.9"),
    "publishManifest, findAssistant, proposeAssistant and context are no longer event types",
    "use getManifests, publishManifests, or dialogHistory in an invite",
  ),
  "to-object": rule(in_("1.8"), "to is an object", 'write "to": {"speakerUri": "tag:..."}'),
  "to-addressee": rule(in_("1.8"), "to names a speakerUri, a serviceUrl or both", "name the addressee or leave to out"),
  "to-speaker-uri": rule(in_("1.8"), "to.speakerUri is a URI", "write the addressee's speakerUri"),
  "to-service-url": rule(in_("1.8"), "to.serviceUrl is a URL", "write the addressee's endpoint"),
  "to-private": rule(in_("1.8"), "to.private is true or false", "write true or false"),
  "private-in-to": rule(
    in_("1.8"),
    "private stands inside to",
    'write "to": {"speakerUri": "tag:...", "private": true}',
  ),
  "private-key": rule(in_("1.8"), 'the key "private" is in lower case', 'write "private", or remove the key'),
  reason: rule(in_("1.8"), "reason is a string", "write the reason as text"),
  parameters: rule(in_("1.8"), "parameters is an object", 'write {...} or leave "parameters" out'),
  "utterance-dialog-event": rule(
    in_("1.10"),
    "an utterance has one parameter, dialogEvent, which is mandatory",
    'write "parameters": {"dialogEvent": {...}}',
  ),
  "utterance-parameters": rule(
    in_("1.10"),
    "an utterance has no parameter but dialogEvent",
    "remove the other parameters",
  ),
  "utterance-text": rule(
    in_("1.10"),
    "an utterance has a text feature with something to verbalize",
    'add "text": {"mimeType": "text/plain", "tokens": [{"value": "..."}]}',
  ),
  "text-mime-type": rule(in_("1.10.1"), "the text feature is text/plain", 'write "mimeType": "text/plain"'),
  "text-value": rule(in_("1.10.1"), "the values of the text feature are strings", "write the value as a string"),
  "html-mime-type": rule(
    in_("1.10.2"),
    "the html feature is text/html or application/xhtml+xml",
    'write "mimeType": "text/html"',
  ),
  "html-value": rule(in_("1.10.2"), "the values of the html feature are strings", "write the markup as a string"),
  "audio-mime-type": rule(
    in_("1.10.3"),
    "the audio feature is one of audio/mpeg, mp4, aac, ogg, opus, webm, wav, flac, x-flac",
    "convert the audio, or use a feature name of your own",
  ),
  "audio-value": rule(in_("1.10.3"), "inline audio is base64", "encode the bytes in base64"),
  "ssml-mime-type": rule(in_("1.10.4"), "the ssml feature is application/ssml+xml", 'write "application/ssml+xml"'),
  "ssml-value": rule(
    in_("1.10.4"),
    "each value of the ssml feature is a <speak> element",
    "wrap it in <speak>...</speak>",
  ),
  "invite-to": rule(in_("1.12"), "an invite has a to object", 'write "to": {"serviceUrl": "https://..."}'),
  "invite-service-url": rule(in_("1.12"), "an invite's to has a serviceUrl", "add the endpoint of the invited agent"),
  "invite-parameters": rule(
    in_("1.12"),
    "an invite's parameters are dialogHistory and expectedFloorRoles",
    "remove the others",
  ),
  "invite-dialog-history": rule(
    in_("1.12"),
    "dialogHistory is a list of dialog events",
    "write an array of dialog events",
  ),
  "invite-expected-floor-roles": rule(
    in111("1.12"),
    "expectedFloorRoles is a list of role names",
    'write ["convener"] or another list of roles',
  ),
  "uninvite-to": rule(in_("1.13"), "an uninvite names who is removed in to", 'write "to": {"speakerUri": "tag:..."}'),
  "uninvite-parameters": bare("1.13", "uninvite"),
  "accept-invite-parameters": bare("1.14", "acceptInvite"),
  "decline-invite-parameters": bare("1.15", "declineInvite"),
  "bye-parameters": bare("1.16", "bye"),
  "get-manifests-parameters": rule(
    in_("1.17"),
    "getManifests has no parameter but recommendScope",
    "remove the others",
  ),
  "recommend-scope": rule(
    in_("1.17"),
    "recommendScope is external, internal or all",
    'write "internal", "external" or "all", or leave it out',
  ),
  "publish-manifests-parameters": rule(
    in_("1.18"),
    "publishManifests has no parameters but servicingManifests and discoveryManifests",
    "remove the others",
  ),
  "servicing-manifests": rule(in_("1.18"), "servicingManifests is a list of manifests", "write an array of manifests"),
  "discovery-manifests": rule(in_("1.18"), "discoveryManifests is a list of manifests", "write an array of manifests"),
  "discovery-not-self": rule(
    in_("1.18"),
    "an agent does not recommend itself in discoveryManifests",
    "list yourself in servicingManifests or not at all",
  ),
  score: rule(in_("1.18"), "score is a number from 0 to 1", "write a number from 0 to 1"),
  "request-floor-parameters": bare("1.19", "requestFloor"),
  "grant-floor-parameters": bare("1.20", "grantFloor"),
  "revoke-floor-parameters": bare("1.21", "revokeFloor"),
  "yield-floor-parameters": bare("1.22", "yieldFloor"),
};
