// For processes that tests start: `node --import`.
import { watchEveryFloor } from "./recorder.mjs";

watchEveryFloor();
