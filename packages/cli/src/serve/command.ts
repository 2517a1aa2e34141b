import type { Command } from "commander";
import type { ExitCode, Io } from "../io.ts";
import { portOf, secondsOf, speakerUriOf, storeOption } from "../options.ts";
import type { ServeOptions } from "./serve.ts";

export function addServe(program: Command, io: Io, finish: (exitCode: ExitCode) => void, version: () => string): void {
  program
    .command("serve")
    .summary("run the floor")
    .description("Runs the floor and prints one link to it.")
    .option("--port <number>", "the port to listen on; 0 takes any free one, the last one if it is", portOf, 7536)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addOption(storeOption())
    .option("--token <token>", "the operator's token; other accounts can see it here, so better set PLENARY_TOKEN")
    .option("--speaker <uri>", "how a new floor signs; without it a unique name is made and kept", speakerUriOf)
    .option("--allow-origin <url>", "a web page that may talk to this floor; may be given again", collect, [])
    .option("--agent-timeout <seconds>", "how long an agent may think before it counts as silent (120)", secondsOf)
    .option("--health-port <number>", "a port where /livez and /readyz answer, whatever else is to be done", portOf)
    .option("--no-demo", "host no ready-made agents")
    .option("--json", "one line with url, agents, store, and link and token unless others reach it", false)
    .showHelpAfterError("Help: plenary serve --help")
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
  PLENARY_TOKEN         the operator's token; without it one is made, and kept beside the store
  PLENARY_PUBLIC_URL    the address others reach this floor at, such as https://floor.example
  PLENARY_INSECURE_HTTP 1 lets that be plain http beyond this machine
  PLENARY_PROXIES       how many proxies of yours stand before it and are believed (0 to 9)
  PLENARY_SPEAKER_URI   how a new floor signs when --speaker is not given; a store keeps its first name
  PLENARY_STORE         where conversations are kept when --store is not given
  PLENARY_ALLOW_HOSTS   hosts that may be called beside public https: bot.internal:8443,other.internal
  PLENARY_ALLOW_CIDRS   ranges that may be called: 10.1.2.0/24
  PLENARY_OIDC_ISSUER, PLENARY_OIDC_CLIENT_ID, PLENARY_OIDC_CLIENT_SECRET    people sign in with this provider
  PLENARY_OIDC_ALLOW    who of its people may: ann@example.com,@example.com,sub:ID, or * for everybody
  PLENARY_JWT_ISSUER, PLENARY_JWKS_URL, PLENARY_JWT_AUDIENCE                 whose tokens are believed
  PLENARY_JWT_TYP       the type in their headers: at+jwt or JWT; either when it is not set
  PLENARY_LLM_URL, PLENARY_LLM_MODEL, PLENARY_LLM_KEY    hosts that model as /agents/llm: plenary agent --help
  OTEL_EXPORTER_OTLP_ENDPOINT                            the collector that traces go to; without it nothing is exported

To let other machines in (--host) it must have a public address, and somebody a key: plenary keys add, plenary doctor.
Exit code: 0 stopped, 2 wrong usage, or the floor could not be opened.`;

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
