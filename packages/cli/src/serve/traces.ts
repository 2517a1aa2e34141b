import { type DiagLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { TracesChoice } from "../config/tracing.ts";

type Options = { version: string; onError: (error: unknown) => void };

/** Spans are lost rather than waited for: without a collector the exporter would try for longer than anybody waits. */
const lastSpansMs = 1_000;

/** Registers the process's provider, so that what the floor does is exported. Returns the way to end it. */
export function openTraces({ url }: TracesChoice, { version, onError }: Options): () => Promise<void> {
  diag.setLogger(diagLogger(onError), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const named = resourceFromAttributes({ "service.name": "plenary", "service.version": version });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say more, and say it better.
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
    // What went wrong has been told already.
    const isOver = provider.shutdown().then(isDone, isDone);
    // Its retries cannot be stopped, and would keep the process for ten seconds. Nothing else is left to be done in it.
    if (await Promise.race([isOver, isOverdue])) setImmediate(() => process.exit());
    clearTimeout(timer);
  };
}

const isDone = () => false;

const errorEveryMs = 60_000;

/** A collector that is away is told of now and then, not with each batch. */
function diagLogger(onError: (error: unknown) => void): DiagLogger {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const error = (...words: unknown[]) => {
    if (performance.now() - saidAtMs < errorEveryMs) return;
    saidAtMs = performance.now();
    onError(`spans cannot be exported: ${messageIn(words.map(String).join(" "))}`);
  };
  const nothing = () => {};
  return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
}

/** Of an error that was written as JSON, with its stack. */
function messageIn(words: string): string {
  return (/"message":"((?:[^"\\]|\\.)*)"/u.exec(words)?.[1] ?? words).slice(0, 300);
}
