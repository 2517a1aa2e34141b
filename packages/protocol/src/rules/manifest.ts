import { rulesOf } from "./rule.ts";

export const manifestRules = rulesOf("Assistant Manifest 1.0.1, section ", {
  manifest: ["1.5", "a manifest is an object", 'write {"identification": {...}, "capabilities": [...]}'],
  identification: ["1.6", "identification is a mandatory object", 'add "identification": {...}'],
  "identification-speaker-uri": ["1.6", "speakerUri is mandatory and a URI", 'write "speakerUri": "tag:..."'],
  "identification-service-url": ["1.6", "serviceUrl is mandatory and a URL", 'write "serviceUrl": "https://..."'],
  "identification-organization": ["1.6", "organization is a mandatory string", 'add "organization": "..."'],
  "identification-conversational-name": [
    "1.6",
    "conversationalName is a mandatory string",
    'add "conversationalName": "..."',
  ],
  "identification-synopsis": ["1.6", "synopsis is a mandatory string", 'add "synopsis": "..."'],
  "identification-department": ["1.6", "department is a string", "write it as a string"],
  "identification-service-name": [
    "1.6",
    "a department stands under the key department",
    "rename serviceName to department",
  ],
  "identification-role": ["1.6", "role is a string", "write it as a string"],
  "open-floor-roles": ["1.6.1", "openFloorRoles maps role names to true or false", 'write {"convener": true}'],
  capabilities: ["1.7", "capabilities is a mandatory list", 'write "capabilities": [] or a list'],
  capability: ["1.7", "a capability is an object", 'write {"keyphrases": [], "descriptions": []}'],
  keyphrases: ["1.7", "keyphrases is a mandatory list of strings", 'write "keyphrases": ["..."]'],
  descriptions: ["1.7", "descriptions is a mandatory list of strings", 'write "descriptions": ["..."]'],
  languages: ["1.7", "languages is a list of BCP 47 language tags", 'write "languages": ["en-US"]'],
  "supported-layers": [
    "1.7",
    "supportedLayers is an object with input and output",
    'write {"input": ["text"], "output": ["text"]}',
  ],
  "supported-layers-input": ["1.7", "supportedLayers.input is a list of strings", 'write ["text"]'],
  "supported-layers-output": ["1.7", "supportedLayers.output is a list of strings", 'write ["text"]'],
});
