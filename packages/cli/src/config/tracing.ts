import { type ConfigError, quoted } from "../errors.ts";
import { envValue, type Io } from "../io.ts";
import { httpUrlOf } from "../options.ts";

/** The collector, from OpenTelemetry's variables. Without them nothing is exported. */
export type TracesChoice = { url: string };

type Env = Io["env"];

const general = "OTEL_EXPORTER_OTLP_ENDPOINT";
const ofTraces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

export function tracesIn(env: Env, errors: ConfigError[]): TracesChoice | undefined {
  if (isOff(env)) return undefined;
  const [name, text] =
    envValue(env, ofTraces) === undefined ? [general, envValue(env, general)] : [ofTraces, env[ofTraces]];
  if (text === undefined) return undefined;
  const known = errors.length;
  checkProtocol(env, errors);
  const url = collectorIn(name, text.trim(), errors);
  if (url === undefined || errors.length > known) return undefined;
  // OTLP specification: a signal's path is added to the general endpoint; the traces endpoint is used as it is.
  if (name === general) url.pathname = `${url.pathname.replace(/\/$/u, "")}/v1/traces`;
  return { url: url.href };
}

function isOff(env: Env): boolean {
  return (
    envValue(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true" || envValue(env, "OTEL_TRACES_EXPORTER") === "none"
  );
}

function collectorIn(name: string, text: string, errors: ConfigError[]): URL | undefined {
  const wrong = (problem: string, fix: string) => void errors.push({ name, problem, fix });
  const url = httpUrlOf(text);
  if (url === undefined) {
    wrong(`is ${quoted(text)}, which is not an http or https URL`, "give a full URL, such as http://127.0.0.1:4318");
  } else if (url.username !== "" || url.password !== "") {
    wrong("has a user name or a password", "put credentials into OTEL_EXPORTER_OTLP_HEADERS");
  }
  return url;
}

/** Spans are sent as JSON over HTTP, to the same endpoint as protobuf over HTTP. */
function checkProtocol(env: Env, errors: ConfigError[]): void {
  for (const name of ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
    const protocol = envValue(env, name);
    if (protocol === undefined) continue;
    if (/^http\/(?:json|protobuf)$/u.test(protocol)) return;
    const fix = "spans are sent over HTTP: set it to http/json and give the collector's HTTP address (port 4318)";
    errors.push({ name, problem: `is ${JSON.stringify(protocol)}`, fix });
    return;
  }
}
