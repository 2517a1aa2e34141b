import { bootstrap, note } from "./bootstrap.mjs";

try {
  bootstrap();
} catch (error) {
  note(error.message);
  process.exitCode = 1;
}
