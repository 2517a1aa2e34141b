/** Lines wait in memory while nobody reads them: beyond this, they are dropped. */
const waitingBytesMax = 1_048_576;

let isGuarded = false;

export function isTerminal(): boolean {
  return process.stderr.isTTY === true;
}

export function canHaveColours({ NO_COLOR, TERM } = process.env): boolean {
  return isTerminal() && (NO_COLOR ?? "") === "" && TERM !== "dumb";
}

/** A closed standard error, such as the pipe of a process that has ended, must not end this process. */
export function writeToStderr(line: string): void {
  const { stderr } = process;
  if (!isGuarded) stderr.on("error", () => {});
  isGuarded = true;
  if (stderr.writable && stderr.writableLength < waitingBytesMax) stderr.write(line);
}
