import { Listr, type ListrDefaultRendererLogLevels, ListrLogger, ListrTaskState, ProcessOutput } from 'listr2';
import type { ListrRendererFactory, ListrTaskWrapper } from 'listr2';
import { type ManifestExpected } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { escapeControls } from '../../contracts/terminal-text';
import { expectedInWords } from '../../client/plan/expected-in-words';
import { type Progress } from './progress';
import { elapsedSeconds, filmInWords, shotInWords } from '../../client/status/progress-in-words';
import { surroundings } from '../process/surroundings';

/** Lines that the display needs in addition to the shots: the film, the shell's prompt, and one in reserve. */
const SPARE_LINES = 3;

const CLOCK_TICK_MS = 1_000;

/** Whether stderr is a terminal with room for all lines. Lines that have scrolled away could not be redrawn. */
export function livePossible({ shots }: ProductionStatus): boolean {
  const { isTTY, rows } = surroundings().stderr;
  return isTTY === true && shots.length + SPARE_LINES <= (rows ?? 0);
}

/** Contains a space, so that no shot can have this name. */
const FILM_LINE = 'the film';

type Outcome = 'completed' | 'failed' | 'skipped';

/** One line of the display. */
interface Line {
  set(title: string): void;
  /** Shows the outcome. Later outcomes are ignored. */
  end(outcome: Outcome): void;
}

/** A list with one line per shot and one for the film, redrawn on every change and every second. */
export function startLiveProgress(first: ProductionStatus): Progress {
  let latest = first;
  let latestExpected: ManifestExpected | null = null;
  const list = startList(FILM_LINE);
  const { lines } = list;

  const draw = (): void => {
    // A revision may have added shots.
    if (livePossible(latest)) for (const { id } of latest.shots) if (!lines.has(id)) list.add(id);
    for (const shot of latest.shots) drawShot(lines.get(shot.id), shot);
    drawFilm(lines.get(FILM_LINE), latest, latestExpected);
  };
  const clock = setInterval(draw, CLOCK_TICK_MS);
  draw();

  return {
    update(status, expected) {
      latest = status;
      latestExpected = expected;
      draw();
    },
    async end() {
      clearInterval(clock);
      draw();
      await list.end();
    },
  };
}

function drawShot(line: Line | undefined, shot: ShotStatus): void {
  const seconds = elapsedSeconds(shot, Date.now());
  line?.set(`${shot.id}  ${shotInWords(shot)}${seconds === null ? '' : `  ${seconds} s`}`);
  if (shot.state === 'completed') line?.end('completed');
  else if (shot.endedAt !== null) line?.end('failed');
}

function drawFilm(line: Line | undefined, status: ProductionStatus, expected: ManifestExpected | null): void {
  const words = filmInWords(status);
  const toGo = expected === null ? '' : `; ${expectedInWords(expected, Date.now())}`;
  line?.set(`the film  ${words === '' ? `waits for its shots${toGo}` : words}`);
  if (status.assembly === 'completed') line?.end('completed');
  if (status.assembly === 'failed') line?.end('failed');
}

interface List {
  readonly lines: ReadonlyMap<string, Line>;
  /** Adds a line above the last line. */
  add(name: string): void;
  /** Ends the display. Lines without an outcome are shown as skipped. */
  end(): Promise<void>;
}

function startList(lastLine: string): List {
  // `livePossible` has checked that stderr is a terminal.
  const terminal = surroundings().stderr as NodeJS.WriteStream;
  const list = new Listr([], {
    renderer: 'default',
    concurrent: true,
    exitOnError: false,
    // The command handles signals itself, and ends the display by calling `end`.
    registerSignalListeners: false,
    fallbackRendererCondition: false,
    rendererOptions: {
      formatOutput: 'truncate',
      showErrorMessage: false,
      showSkipMessage: false,
      // The display goes to stderr, because stdout is for the result.
      logger: new ListrLogger<ListrDefaultRendererLogLevels>({
        processOutput: new ProcessOutput(terminal, terminal),
      }),
    },
  });
  let finish = (): void => undefined;
  const over = new Promise<void>((resolve) => (finish = resolve));
  const lines = new Map([[lastLine, addLine(list, lastLine, over)]]);
  const finished = list.run();
  return {
    lines,
    add(name) {
      lines.set(name, addLine(list, name, over));
      list.tasks.push(...list.tasks.splice(-2, 1));
    },
    async end() {
      for (const line of lines.values()) line.end('skipped');
      finish();
      await finished;
    },
  };
}

/**
 * Adds a line to a list. A list runs only the tasks that it has at its start, so each line sets the state of its task.
 *
 * @param over resolves when the display ends.
 */
function addLine(list: Listr, name: string, over: Promise<void>): Line {
  let outcome: Outcome | undefined;
  const untilOver = async (_: unknown, task: ListrTaskWrapper<unknown, ListrRendererFactory, ListrRendererFactory>) => {
    // The list has just set the task to `started`, even if the line already has an outcome.
    showOutcome();
    await over;
    if (outcome === 'failed') throw new Error(name);
    if (outcome === 'skipped') task.skip();
  };
  list.add([{ title: name, task: untilOver }]);
  const task = list.tasks.at(-1);
  const showOutcome = (): void => {
    if (outcome !== undefined && task !== undefined) task.state$ = STATES[outcome];
  };
  // listr2 shows a task only after `check`.
  void task?.check(undefined);
  if (task !== undefined) task.state$ = ListrTaskState.STARTED;
  return {
    set(text) {
      const words = escapeControls(text);
      if (task !== undefined && words !== task.title) task.title$ = words;
    },
    end(how) {
      if (outcome !== undefined) return;
      outcome = how;
      showOutcome();
    },
  };
}

const STATES = {
  completed: ListrTaskState.COMPLETED,
  failed: ListrTaskState.FAILED,
  skipped: ListrTaskState.SKIPPED,
} as const;
