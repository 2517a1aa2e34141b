import { type DiagLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { TracesChoice } from "../config/tracing.ts";

type Options = { version: string; onError: (reason: string) => void };

/** Without a collector the exporter would retry for long, so the last spans are dropped after this time. */
const lastSpansMs = 1_000;

/** Registers the global tracer provider. Returns the function that shuts it down. */
export function openTraces({ url }: TracesChoice, { version, onError }: Options): () => Promise<void> {
  diag.setLogger(diagLogger(onError), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const named = resourceFromAttributes({ "service.name": "plenary", "service.version": version });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the defaults.
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = new OTLPTraceExporter({ url });
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  // The floor writes `traceparent` itself.
  provider.register({ propagator: null });
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const isOverdue = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, lastSpansMs, true);
    });
    // Errors went to the diag logger.
    const isOver = provider.shutdown().then(isDone, isDone);
    // The exporter's retries cannot be stopped and would keep the process for ten seconds; nothing else is left to do.
    if (await Promise.race([isOver, isOverdue])) setImmediate(() => process.exit());
    clearTimeout(timer);
  };
}

const isDone = () => false;

const errorEveryMs = 60_000;

/** Reports an unreachable collector once a minute, not with every batch. */
function diagLogger(onError: (reason: string) => void): DiagLogger {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const error = (...words: unknown[]) => {
    if (performance.now() - saidAtMs < errorEveryMs) return;
    saidAtMs = performance.now();
    onError(messageIn(words.map(String).join(" ")));
  };
  const nothing = () => {};
  return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
}

/** The message of an error that was logged as JSON. */
function messageIn(words: string): string {
  return (/"message":"((?:[^"\\]|\\.)*)"/u.exec(words)?.[1] ?? words).slice(0, 300);
}
