import { type Command, Option } from "commander";
import { logFormats, logLevels } from "../config/logging.ts";
import type { ExitCode, Io } from "../io.ts";
import { portOf, secondsOf, speakerUriOf, storeOption } from "../options.ts";
import type { ServeOptions } from "./serve.ts";

export function addServe(program: Command, io: Io, finish: (exitCode: ExitCode) => void, version: () => string): void {
  program
    .command("serve")
    .summary("run the floor")
    .description("Runs the floor and prints one link to it.")
    .option("--port <number>", "the port to listen on; 0 takes the last port if it is free, else any", portOf, 7536)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addOption(storeOption())
    .option("--token <token>", "the operator's token; other accounts can see options, so prefer PLENARY_TOKEN")
    .option("--speaker <uri>", "speakerUri of a new floor; default: a unique one, kept in the store", speakerUriOf)
    .option("--allow-origin <url>", "a web page that may use this floor; repeatable", collect, [])
    .option("--agent-timeout <seconds>", "how long an agent may take before it counts as silent (120)", secondsOf)
    .option("--health-port <number>", "a separate port for /livez and /readyz", portOf)
    .option("--no-demo", "host no ready-made agents")
    .addOption(new Option("--log-level <level>", "lowest level of the server log (warn)").choices(logLevels))
    .addOption(
      new Option("--log-format <format>", "form of the server log on stderr; pretty on a terminal, else json").choices(
        logFormats,
      ),
    )
    .option("--json", "one line with url, agents, store; in local mode also link and token", false)
    .addHelpText("after", serveHelp)
    .action(async (options: ServeOptions) => {
      const { serve } = await import("./serve.ts");
      finish(await serve(options, io, version()));
    });
}

const serveHelp = `
Examples:
  plenary serve
  plenary serve --port 0 --json --store :memory:
  PLENARY_TOKEN="$(cat token.txt)" plenary serve --allow-origin http://localhost:5173

Environment:
  PLENARY_TOKEN         the operator's token; default: one is created and kept beside the store
  PLENARY_PUBLIC_URL    the public address of this floor, such as https://floor.example
  PLENARY_INSECURE_HTTP 1 allows plain http for it beyond this machine
  PLENARY_PROXIES       number of trusted proxies in front of it (0 to 9)
  PLENARY_SPEAKER_URI   speakerUri of a new floor when --speaker is not given; a store keeps its first one
  PLENARY_LOG_LEVEL, PLENARY_LOG_FORMAT    as --log-level and --log-format, when these are not given
  PLENARY_STORE         where conversations are stored when --store is not given
  PLENARY_ALLOW_HOSTS   hosts that may be called besides public https: bot.internal:8443,other.internal
  PLENARY_ALLOW_CIDRS   address ranges that may be called: 10.1.2.0/24
  PLENARY_OIDC_ISSUER, PLENARY_OIDC_CLIENT_ID, PLENARY_OIDC_CLIENT_SECRET    the provider people sign in with
  PLENARY_OIDC_ALLOW    who may sign in: ann@example.com,@example.com,sub:ID, or * for everyone
  PLENARY_JWT_ISSUER, PLENARY_JWKS_URL, PLENARY_JWT_AUDIENCE                 bearer tokens of this issuer are accepted
  PLENARY_JWT_TYP       their typ header: at+jwt or JWT; default: either
  PLENARY_LLM_URL, PLENARY_LLM_MODEL, PLENARY_LLM_KEY    host this model as /agents/llm: plenary agent --help
  OTEL_EXPORTER_OTLP_ENDPOINT                            the collector for traces; default: nothing is exported

To listen for other machines (--host) the floor needs a public address and a key: plenary keys add, plenary doctor.
Exit code: 0 stopped, 2 wrong usage, or the floor could not be opened.`;

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
