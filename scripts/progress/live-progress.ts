import { Listr, type ListrDefaultRendererLogLevels, ListrLogger, ListrTaskState, ProcessOutput } from 'listr2';
import type { ListrDefaultRenderer, ListrSimpleRenderer, ListrTaskWrapper } from 'listr2';
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

/** Whether the whole display fits on the terminal. Lines that have scrolled away could not be redrawn. */
export function livePossible({ shots }: ProductionStatus): boolean {
  const { isTTY, rows } = surroundings().stderr;
  return isTTY === true && shots.length + SPARE_LINES <= (rows ?? 0);
}

type Task = ListrTaskWrapper<unknown, ListrDefaultRenderer, ListrSimpleRenderer>;

/** Contains a space, so that no shot can have this name. */
const FILM_LINE = 'the film';

/** One line of the display. Its listr task runs until `end`. */
interface Line {
  set(title: string): void;
  end(outcome: 'completed' | 'failed' | 'skipped'): void;
}

/** A list with one line per shot and one for the film, redrawn on every change and every second. */
export function startLiveProgress(first: ProductionStatus): Progress {
  let latest = first;
  let latestExpected: ManifestExpected | null = null;
  const { lines, add, finished } = startList([...first.shots.map(({ id }) => id), FILM_LINE]);

  const draw = (): void => {
    // A revision may have added shots.
    if (livePossible(latest)) for (const { id } of latest.shots) if (!lines.has(id)) add(id);
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
      for (const line of lines.values()) line.end('skipped');
      await finished;
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

function startList(names: readonly string[]): {
  readonly lines: ReadonlyMap<string, Line>;
  /** Adds a line above the last line. */
  readonly add: (name: string) => void;
  readonly finished: Promise<unknown>;
} {
  const created = new Map(names.map((name) => [name, createLine(name)]));
  const lines = new Map<string, Line>(created);
  // `livePossible` has checked that stderr is a terminal.
  const terminal = surroundings().stderr as NodeJS.WriteStream;
  const list = new Listr(
    [...created].map(([title, line]) => ({ title, task: (_: unknown, task: Task) => line.show(task) })),
    {
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
    },
  );
  return {
    lines,
    add(name) {
      list.add([{ title: name, task: () => undefined }]);
      const task = list.tasks.pop();
      if (task === undefined) return;
      list.tasks.splice(-1, 0, task);
      lines.set(name, addedLine(task));
    },
    finished: list.run(),
  };
}

/** A line that was added to a running list, which runs only the tasks that it had at first. */
function addedLine(task: Listr['tasks'][number]): Line {
  // Lines are shown only once they are checked.
  void task.check(undefined);
  task.state$ = ListrTaskState.STARTED;
  let hasEnded = false;
  return {
    set(text) {
      const words = escapeControls(text);
      if (words !== task.title) task.title$ = words;
    },
    end(how) {
      if (hasEnded) return;
      hasEnded = true;
      task.state$ = ENDS[how];
    },
  };
}

const ENDS = {
  completed: ListrTaskState.COMPLETED,
  failed: ListrTaskState.FAILED,
  skipped: ListrTaskState.SKIPPED,
} as const;

function createLine(name: string): Line & { show(task: Task): Promise<void> } {
  let shown: Task | undefined;
  let title = name;
  let hasEnded = false;
  let isSkipped = false;
  let resolve: () => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const outcome = new Promise<void>((...settle) => ([resolve, reject] = settle));
  // `outcome` can reject before the list awaits it. This must not be reported as unhandled.
  outcome.catch(() => undefined);
  return {
    show(task) {
      shown = task;
      task.title = title;
      // The line ended before the list showed it.
      if (isSkipped) task.skip(title);
      return outcome;
    },
    set(text) {
      const words = escapeControls(text);
      if (words === title) return;
      title = words;
      if (shown !== undefined) shown.title = words;
    },
    end(how) {
      if (hasEnded) return;
      hasEnded = true;
      if (how === 'skipped') {
        isSkipped = true;
        shown?.skip(title);
      }
      if (how === 'failed') reject(new Error(title));
      else resolve();
    },
  };
}
