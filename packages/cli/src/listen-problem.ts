/** What keeps a server from listening, with the way out of it. */
export function listenProblem(cause: unknown, { port, host }: { port: number; host: string }): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `port ${port} is taken: stop what uses it, or give --port 0 for any free one`;
  if (code === "EACCES") return `port ${port} is not for everyone: give a --port above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is no address of this machine: leave --host out`;
  return message;
}
