import { rule } from "./rule.ts";

const in_ = (object: string) => `Dialog Event 1.0.2, ${object}`;

export const dialogEventRules = {
  "dialog-event": rule(
    in_("dialog event"),
    "a dialog event is an object",
    'write {"id", "speakerUri", "span", "features"}',
  ),
  "dialog-event-id": rule(in_("id"), "a dialog event has an id, a string", "give it an id of its own"),
  "dialog-event-id-once": rule(in_("id"), "no two dialog events of an envelope share an id", "give each its own"),
  "dialog-event-speaker-uri": rule(
    in_("speakerUri"),
    "a dialog event names its speaker by URI",
    'write "speakerUri": "tag:..."',
  ),
  "dialog-event-previous-id": rule(in_("previousId"), "previousId is a string", "write the id of the earlier event"),
  "dialog-event-span": rule(
    in_("span"),
    "a dialog event has a span",
    'write "span": {"startTime": "2025-01-31T10:05:00Z"}',
  ),
  "dialog-event-features": rule(
    in_("features"),
    "features maps names to features",
    'write "features": {"text": {...}}',
  ),
  "dialog-event-context": rule(
    in_("context"),
    "context is not part of a dialog event",
    "say it in a private utterance",
  ),
  "span-start": rule(in_("span"), "a span has either startTime or startOffset", "keep one of the two"),
  "span-end": rule(in_("span"), "a span has at most one of endTime and endOffset", "keep one of the two"),
  "span-keys": rule(
    in_("span"),
    "a span has no keys but startTime, startOffset, endTime, endOffset",
    "remove or rename it",
  ),
  "span-start-time": rule(in_("span"), "startTime is an RFC 3339 time", "write it as 2025-01-31T10:05:00Z"),
  "span-end-time": rule(in_("span"), "endTime is an RFC 3339 time", "write it as 2025-01-31T10:05:00Z"),
  "span-start-offset": rule(in_("span"), "startOffset is an ISO 8601 duration", "write it as PT1.5S"),
  "span-end-offset": rule(in_("span"), "endOffset is an ISO 8601 duration", "write it as PT1.5S"),
  "calendar-date": rule("RFC 3339, section 5.7", "a date exists in the calendar", "write a day that the month has"),
  feature: rule(in_("feature"), "a feature is an object", 'write {"mimeType": "...", "tokens": [...]}'),
  "feature-mime-type": rule(in_("mimeType"), "a feature has a MIME type", 'write "mimeType": "type/subtype"'),
  "feature-tokens": rule(in_("tokens"), "a feature has a list of tokens", 'write "tokens": [{"value": "..."}]'),
  "feature-alternates": rule(in_("alternates"), "alternates is a list of lists of tokens", "write [[{...}], [{...}]]"),
  "feature-lang": rule(in_("lang"), "lang is a BCP 47 language tag", "write it as en-US"),
  "feature-encoding": rule(in_("encoding"), "encoding is ISO-8859-1 or UTF-8", 'write "UTF-8"'),
  "feature-token-schema": rule(in_("tokenSchema"), "tokenSchema is a string", "write its name as a string"),
  "feature-span": rule(in_("span"), "a feature has no span of its own", "put the span on the tokens"),
  token: rule(in_("token"), "a token is an object", 'write {"value": "..."}'),
  "token-span": rule(in_("span"), "the span of a token is an object", 'write "span": {"startOffset": "PT1.5S"}'),
  "token-value": rule(
    in_("value"),
    "a token has a value (string, number, boolean, object or array) or a valueUrl",
    "give it one of the two",
  ),
  "token-value-once": rule(in_("value"), "a token has value or valueUrl, not both", "keep one of the two"),
  "token-value-url": rule(in_("valueUrl"), "valueUrl is a URL", "write the URL of the content"),
  "token-confidence": rule(in_("confidence"), "confidence is a number from 0 to 1", "write a number from 0 to 1"),
  "token-links": rule(in_("links"), "links is a list of strings", 'write ["$.text.tokens[0].value"]'),
  "token-link-path": rule(in_("links"), "a link is a JSONPath from $, the features", 'write "$.text.tokens[0].value"'),
  "token-link-resolves": rule(in_("links"), "a link leads to a part of this event", "correct the path"),
};
