// Documents that take long to read for their size, each as large as a stranger may send it.
const [bytesMax, valuesMax, eventsMax] = [65_536, 2_048, 64];
const ann = "tag:ann.example.com,2025:1";

const envelope = (rest, conversation = '{"id":"c"}') =>
  `{"openFloor":{"schema":{"version":"1.1.0"},"conversation":${conversation},"sender":{"speakerUri":"${ann}"},${rest}}}`;
const utterance = (features) =>
  envelope(
    `"events":[{"eventType":"utterance","parameters":{"dialogEvent":{"id":"d","speakerUri":"${ann}",` +
      `"span":{"startTime":"2025-01-01T00:00:00Z"},"features":{"text":{"mimeType":"text/plain","tokens":[{"value":"x"}]},${features}}}}}]`,
  );

/** As many as fit; `values` is how many JSON values one has. */
function many(item, values, max = (valuesMax - 100) / values) {
  const items = [];
  for (let [index, bytes] = [0, 600]; index < max; index += 1) {
    const text = typeof item === "function" ? item(index) : item;
    bytes += text.length + 1;
    if (bytes > bytesMax) break;
    items.push(text);
  }
  return items.join(",");
}

const blanks = " ".repeat(bytesMax - 700);
const history = (items) =>
  envelope(`"events":[{"eventType":"invite","to":{"speakerUri":"x:y"},"parameters":{"dialogHistory":[${items}]}}]`);

export const nonsense = {
  "unknown events": envelope(`"events":[${many('{"eventType":"x"}', 2, eventsMax)}]`),
  "events to be repaired": envelope(
    `"events":[${many('{"eventType":"invite","private":1,"parameters":{"to":"x:y"}}', 5, eventsMax)}]`,
  ),
  "empty past events": history(many("{}", 2)),
  "past events to be repaired": history(many('{"features":{"text":{"tokens":[{"token":1}]}}}', 7)),
  "empty features": utterance(many((index) => `"f${index}":{}`, 2)),
  "tokens that are none": utterance(`"a":{"mimeType":"a/b","tokens":[${many("0", 1)}]}`),
  "links that lead nowhere": utterance(
    `"a":{"mimeType":"a/b","tokens":[{"value":1,"links":[${many('"$..*..q"', 4)}]},${many('{"value":{}}', 12)}]}`,
  ),
  "conversants that are none": envelope(
    '"events":[]',
    `{"id":"c","conversants":[${many('{"identification":{}}', 3)}]}`,
  ),
  "roles of nobody": envelope(
    '"events":[]',
    `{"id":"c","conversants":[],"assignedFloorRoles":{${many((index) => `"r${index}":["x"]`, 2)}}}`,
  ),
  "blanks for audio": utterance(`"audio":{"mimeType":"audio/wav","tokens":[{"value":"${blanks}!"}]}`),
  "manifests to be repaired": envelope(
    `"events":[{"eventType":"publishManifests","parameters":{"servicingManifests":[${many('{"identification":{"serviceUrl":"x://y"}}', 4)}]}}]`,
  ),
};
