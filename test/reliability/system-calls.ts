// The system calls of a process, in order, as strace records them.

export type Call = { name: string; target: string; args: string };

const whole = /^(\d+)\s+(\w+)\(\d+<([^>]*)>(.*)$/u;
const resumed = /^(\d+)\s+<\.\.\. (\w+) resumed>(.*)$/u;

/** Calls in the order in which they returned. A call that failed, or never returned, had no effect. */
export function callsIn(trace: string): Call[] {
  const begun = new Map<string, Call>();
  const calls: Call[] = [];
  const note = (call: Call) => {
    if (!/\)\s+= -1 /u.test(call.args)) calls.push(call);
  };
  for (const line of trace.split("\n")) {
    const [, pid = "", name = "", target = "", args = ""] = whole.exec(line) ?? [];
    if (name !== "") {
      if (args.endsWith("<unfinished ...>")) begun.set(pid, { name, target, args });
      else note({ name, target, args });
      continue;
    }
    const [, later = "", , rest = ""] = resumed.exec(line) ?? [];
    const call = begun.get(later);
    begun.delete(later);
    if (call !== undefined) note({ ...call, args: `${call.args}${rest}` });
  }
  return calls;
}

const isSync = ({ name }: Call) => name === "fsync" || name === "fdatasync";
const isWrite = ({ name }: Call) => /^(?:write|writev|pwrite64|sendto|sendmsg)$/u.test(name);
const isRead = ({ name }: Call) => /^(?:read|recvfrom)$/u.test(name);

/**
 * For each request, one after the other, whether its answer followed a sync of the log: between the reading of the
 * request and the writing of the answer the log was written, then synced, then not written again.
 */
export function answersAfterSync(calls: readonly Call[], request: string, log: string): boolean[] {
  const verdicts: boolean[] = [];
  let socket: string | undefined;
  let isSynced = false;
  let isWritten = false;
  for (const call of calls) {
    if (isRead(call) && call.args.includes(`"${request}`)) {
      socket = call.target;
      [isSynced, isWritten] = [false, false];
    } else if (call.target.endsWith(log)) {
      if (isWrite(call)) [isWritten, isSynced] = [true, false];
      else if (isSync(call)) isSynced = isWritten;
    } else if (isWrite(call) && call.target === socket && call.args.includes('"HTTP/1.1 200 ')) {
      verdicts.push(isSynced);
      socket = undefined;
    }
  }
  return verdicts;
}
