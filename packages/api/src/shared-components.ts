type Json = Record<string, unknown>;
export type Described = {
  parameters?: readonly Json[];
  requestBody?: Json;
  responses: Readonly<Record<string, Json>>;
  [member: string]: unknown;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

/** Writes parameters, request bodies and responses that occur in several operations once, under `components`. */
export function shareComponents(paths: Paths) {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  const parameters = createShared(
    "parameters",
    all.flatMap((one) => one.parameters ?? []),
  );
  const responses = createShared(
    "responses",
    all.flatMap((one) => Object.values(one.responses)),
  );
  const bodies = createShared(
    "requestBodies",
    all.flatMap(({ requestBody }) => (requestBody === undefined ? [] : [requestBody])),
  );
  const rewritten = (operation: Described) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((one) => parameters.refer(String(one.name), one)),
    }),
    ...(operation.requestBody && { requestBody: bodies.refer(String(operation.operationId), operation.requestBody) }),
    responses: mapValues(operation.responses, (one, status) => responses.refer(status, one)),
  });
  return {
    paths: mapValues(paths, (methods) => mapValues(methods, rewritten)),
    components: {
      parameters: parameters.components,
      requestBodies: bodies.components,
      responses: responses.components,
    },
  };
}

function createShared(kind: string, values: readonly Json[]) {
  const counts = new Map<string, number>();
  for (const value of values) {
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const components: Json = {};
  const nameFor = (wanted: string, value: Json) => {
    let name = wanted;
    for (let number = 2; name in components; number += 1) name = `${wanted}-${number}`;
    components[name] = value;
    return name;
  };
  const refer = (wanted: string, value: Json): Json => {
    const text = JSON.stringify(value);
    if (counts.get(text) === 1) return value;
    const name = names.get(text) ?? nameFor(wanted, value);
    names.set(text, name);
    return { $ref: `#/components/${kind}/${name}` };
  };
  return { refer, components };
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
