import { ruleOf, rulesOf } from "./rule.ts";

const manifest = "Assistant Manifest 0.9.0, ";

const bare = (section: string, eventType: string) =>
  [section, `${eventType} takes no parameters in 0.9`, 'leave "parameters" out'] as const;

export const ovonRules = rulesOf("Conversation Envelope 0.9.3, section ", {
  "ovon-root": ["1.4", 'a 0.9 envelope is an object under the key "ovon"', 'write {"ovon": {...}}'],
  "ovon-response-code": [
    "1.4",
    "responseCode, if given, is a number or an object with a code",
    'leave "responseCode" out: it is deprecated',
  ],
  "ovon-schema": ["1.5", "the schema section is mandatory in 0.9", 'add "schema": {"version": "0.9.3"}'],
  "ovon-schema-url": ["1.5", "schema.url is the URL of the JSON Schema", 'write a URL or leave "url" out'],
  "ovon-conversation": ["1.6", "the conversation section is mandatory in 0.9", 'add "conversation": {"id": "..."}'],
  "ovon-conversation-id": ["1.6", "conversation.id is a mandatory string", "write the id of the conversation"],
  "ovon-persistent-state": [
    "1.6",
    "conversation.persistentState is an object",
    'write "persistentState": {"your-key": {...}}',
  ],
  "ovon-persistent-state-value": [
    "1.6",
    "what is kept under a key of persistentState is an object",
    'wrap it: {"your-key": {"value": ...}}',
  ],
  "ovon-sender": ["1.7", "the sender section is mandatory in 0.9", 'add "sender": {"from": "https://..."}'],
  "ovon-sender-from": ["1.7", "sender.from is a mandatory URI", 'write "from": "https://..."'],
  "ovon-sender-to": ["1.7", "the sender section names no addressee", "write to in each event"],
  "ovon-sender-reply-to": [
    "7",
    "replyTo was removed from the sender section in 0.9.2",
    "answers go to from: leave it out",
  ],
  "ovon-events": ["1.8", "events is a mandatory list", 'write "events": [] or a list of events'],
  "ovon-event": ["1.8", "an event is an object", 'write {"eventType": "..."}'],
  "ovon-event-type": ["1.8", "an event has an eventType, a string", 'write "eventType": "utterance"'],
  "ovon-event-type-known": [
    "1.9",
    "the eventType is one of the eight of 0.9",
    "use an eventType of section 1.9, or the root key openFloor",
  ],
  "ovon-acknowledge": ["6", "acknowledge was announced but never became an event type", 'answer with "events": []'],
  "ovon-to": ["1.8", "to is the URL of the addressee, as a string", 'write "to": "https://..."'],
  "ovon-private": ["1.8", "private is true or false", "write true or false"],
  "ovon-parameters": ["1.8", "parameters is an object", 'write {...} or leave "parameters" out'],
  "ovon-dialog-event": [
    "1.10",
    "utterance and whisper have one parameter, dialogEvent, which is mandatory",
    'write "parameters": {"dialogEvent": {...}}',
  ],
  "ovon-utterance-parameters": [
    "1.10",
    "utterance and whisper have no parameter but dialogEvent",
    "remove the other parameters",
  ],
  "ovon-text": [
    "1.10.1",
    "utterance and whisper have a text feature with something in it",
    'add "text": {"mimeType": "text/plain", "tokens": [{"value": "..."}]}',
  ],
  "ovon-speaker-id": ruleOf("Dialog Event 1.0.1, ", [
    "speakerId",
    "a dialog event names its speaker in speakerId",
    'write "speakerId": "..."',
  ]),
  "ovon-context": [
    "1.11",
    "context is a plain text inside dialogEvent",
    'write "dialogEvent": {"context": "...", ...}',
  ],
  "ovon-invite-parameters": bare("1.13", "invite"),
  "ovon-invite-to": ["1.13", "an invite names its addressee in to", 'write "to": "https://..."'],
  "ovon-bye-parameters": bare("1.14", "bye"),
  "ovon-request-manifest-parameters": bare("1.15", "requestManifest"),
  "ovon-publish-manifest-parameters": [
    "1.16",
    "publishManifest has no parameter but manifest",
    "remove the other parameters",
  ],
  "ovon-manifest": ["1.16", "publishManifest has a manifest, an object", 'write "parameters": {"manifest": {...}}'],
  "ovon-find-assistant-parameters": bare("1.17", "findAssistant"),
  "ovon-propose-assistant-parameters": [
    "1.18",
    "proposeAssistant has no parameters but servicingManifests and discoveryManifests",
    "remove the other parameters",
  ],
  "ovon-servicing-manifests": [
    "1.18",
    "servicingManifests is a mandatory list",
    'write "servicingManifests": [] or a list of manifests',
  ],
  "ovon-discovery-manifests": [
    "1.18",
    "discoveryManifests is a mandatory list",
    'write "discoveryManifests": [] or a list of manifests',
  ],
  "ovon-proposal": ["1.18", "a proposed assistant is an object", 'write {"identification": {...}}'],
  "ovon-proposal-synopsis": ["1.18", "synopsis is a mandatory string", 'add "synopsis": "..."'],
  "ovon-score": ["1.18", "score is a whole number from 0 to 100", "write a whole number from 0 to 100"],
  "ovon-discovery-not-self": [
    "1.18",
    "an agent does not recommend itself in discoveryManifests",
    "list yourself in servicingManifests or not at all",
  ],
  "ovon-identification": ruleOf(manifest, [
    "identification",
    "identification is a mandatory object",
    'add "identification": {...}',
  ]),
  "ovon-service-endpoint": ruleOf(manifest, [
    "identification",
    "serviceEndpoint is mandatory and a URL",
    'write "serviceEndpoint": "https://..."',
  ]),
  "ovon-service-name": ruleOf(manifest, ["identification", "serviceName is a string", "write it as a string"]),
  "ovon-manifest-speaker-id": ruleOf(manifest, ["identification", "speakerId is a string", "write it as a string"]),
  "ovon-supported-layers": ruleOf(manifest, ["capabilities", "supportedLayers is a list of strings", 'write ["text"]']),
  "ovon-later-keys": [
    "1.3",
    "keys that came with Open Floor mean nothing under ovon",
    "remove the key, or use the root key openFloor",
  ],
});
