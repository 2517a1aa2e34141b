import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";

/** Wraps a store: every failure becomes a `StoreError` with `retryable` and without paths. */
export function withStoreErrors(store: FloorStore): FloorStore {
  return {
    log: portWithErrors(store.log),
    lookups: portWithErrors(store.lookups),
    outbox: portWithErrors(store.outbox),
    settings: portWithErrors(store.settings),
    agents: portWithErrors(store.agents),
    catalogue: portWithErrors(store.catalogue),
    feedback: portWithErrors(store.feedback),
    webhooks: portWithErrors(store.webhooks),
    ...(store.migrated && { migrated: store.migrated }),
    ...(store.figures && { figures: store.figures }),
    ready: () => store.ready().catch(fail),
    close: () => store.close(),
  };
}

/** Wraps every method of a port. They are its own properties: a port is no instance of a class. */
function portWithErrors<Port extends object>(port: Port): Port {
  const methods = Object.entries(port).map(([name, method]) => [name, methodWithErrors(method.bind(port))]);
  return Object.fromEntries(methods);
}

/** A value stays a value: its caller does not wait. */
function methodWithErrors(method: (...parameters: unknown[]) => unknown) {
  return (...parameters: unknown[]): unknown => {
    try {
      const result = method(...parameters);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
}

function fail(cause: unknown): never {
  if (cause instanceof StoreError) throw cause;
  throw new StoreError("store-failed", "the store has failed", { retryable: true, cause });
}
