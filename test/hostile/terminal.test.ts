import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { startProgress } from '../../scripts/progress/follow-production';
import { print, printJson, printText, tell, tellMessage } from '../../scripts/process/streams';
import { within } from '../../scripts/process/surroundings';
import { openStore } from '../../store';
import { warnOfForeignName } from '../../store/disk/foreign-names';
import { dailies } from '../scripts/command';
import { ADDRESS, intent, sent, settled } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';

/** Names the window, clears the screen, links, returns to the start of the line, reverses text, and forges a line. */
const HOSTILE =
  '\u001b]0;owned\u0007\u001b[2J\u001b]8;;https://evil.example\u001b\\here\u009b1A\r\u202egnorw\u2066\u200f\u2028\u0085\nrendered ok';

/** Characters that a terminal may act on, except line breaks. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function expectHarmless(written: string): void {
  for (const line of written.split('\n')) {
    expect(line).not.toMatch(CONTROLS);
    expect(line).not.toMatch(/^rendered ok/);
  }
}

/** Runs something as a command, and returns what it has written to its terminal. */
async function onTerminal(work: () => unknown, isTTY: boolean): Promise<{ stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text: string, _, done) {
          written[name] += text;
          done();
        },
      }),
      { isTTY, columns: 200, rows: 50, cursorTo: () => true, moveCursor: () => true, clearLine: () => true },
    );
  await within(
    {
      cwd: process.cwd(),
      env: {},
      stdin: Readable.from([]),
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      signals: new EventEmitter(),
    },
    () => Promise.resolve(work()),
  );
  return written;
}

describe('foreign text on a terminal', () => {
  it.each([true, false])('does nothing and forges no line, at a terminal or not (%p)', async (isTTY) => {
    const { stdout, stderr } = await onTerminal(() => {
      print(['title', `  reason: ${HOSTILE}`]);
      print(HOSTILE);
      tell(HOSTILE);
      tellMessage(`error: the gateway says ${HOSTILE}`);
    }, isTTY);
    expectHarmless(stdout);
    expectHarmless(stderr);
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stdout).toContain(String.raw`\u{1b}]0;owned\u{7}`);
  });

  it('leaves all other text as it is', async () => {
    const text = 'Größe 3 × 2 — “fin” עברית العربية 映画 👩‍🚀 \\n';
    expect((await onTerminal(() => print(text), true)).stdout).toBe(`${text}\n`);
  });

  it.each([true, false])('does nothing in JSON, and is the same value, at a terminal or not (%p)', async (isTTY) => {
    const { stdout } = await onTerminal(() => printJson({ title: HOSTILE, words: ['\u007f ü 字'] }), isTTY);
    expectHarmless(stdout);
    expect(JSON.parse(stdout)).toEqual({ title: HOSTILE, words: ['\u007f ü 字'] });
    expect(stdout).toContain(' ü 字');
  });

  it('keeps its lines and does nothing else if it is the result; a file gets it unchanged', async () => {
    const text = `first\nsecond ${HOSTILE}`;
    const { stdout } = await onTerminal(() => printText(text), true);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['first', expect.stringMatching(/^second /)]);
    for (const line of stdout.split('\n')) expect(line).not.toMatch(CONTROLS);
    expect((await onTerminal(() => printText(text), false)).stdout).toBe(`${text}\n`);
  });

  it('does nothing in the live display of a production, nor in the plain one', async () => {
    const shot = { id: 'dawn', state: 'failed', reason: HOSTILE, parked: null, takes: [], startedAt: null };
    const status = {
      production: 'film',
      title: HOSTILE,
      state: 'running',
      reason: null,
      assembly: null,
      film: null,
      shots: [{ ...shot, endedAt: '2026-01-01T00:00:00.000Z' } as unknown as ShotStatus],
    } as unknown as ProductionStatus;
    const plainly = await onTerminal(() => startProgress(status, { plain: true, quiet: false }).end(), true);
    expectHarmless(plainly.stderr);
    // The display's library loads modules in a way that Jest's vm does not support.
    const program = `
      for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { isTTY: true, columns: 400, rows: 50 });
      const { startLiveProgress } = require(process.argv[1]);
      void startLiveProgress(JSON.parse(process.argv[2])).end();
    `;
    const display = join(__dirname, '..', '..', 'dist', 'scripts', 'progress', 'live-progress.js');
    const { stderr } = await promisify(execFile)(process.execPath, ['-e', program, display, JSON.stringify(status)]);
    expect(stderr).toContain(String.raw`\u{1b}]0;owned`);
    for (const part of ['\u001b]0;', '\u001b[2J', '\u009b', '\u0007', '\u202e', '\nrendered ok']) {
      expect(stderr).not.toContain(part);
    }
  });
});

describe('a production with hostile texts', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const film = { id: 'film', title: HOSTILE, defaults: { model: 'beta-2.5', duration: 4, resolution: '480p' } };
    await writeFile(join(folder, 'film.yaml'), JSON.stringify({ ...film, shots: [{ id: 'dawn', prompt: HOSTILE }] }));
    const wrong = `wrong\u001b[2J\nrendered ok.yaml`;
    await writeFile(
      join(folder, wrong),
      JSON.stringify({ ...film, shots: [{ id: HOSTILE, prompt: 5, [HOSTILE]: 1 }] }),
    );
    const store = await openStore(join(folder, 'store'));
    const written = { ...ADDRESS, takeKey: intent().takeKey };
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(written, 1, sent());
    const accepted = { taskId: HOSTILE, at: sent().at };
    await store.ledger.endSending(written, 1, { kind: 'accepted', record: accepted });
    await store.ledger.settle(written, { ...settled('failed', HOSTILE), reason: HOSTILE, raw: HOSTILE });
  });

  it('does nothing to the terminal by the name of a file in the store', () => {
    const told = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    warnOfForeignName('ledger/film', HOSTILE);
    expectHarmless(String(told.mock.calls[0]?.[0]));
    told.mockRestore();
  });

  it.each([
    [['plan', 'film.yaml']],
    [['render', 'film.yaml', '--dry-run']],
    [['validate', `wrong\u001b[2J\nrendered ok.yaml`]],
    [['render', `wrong\u001b[2J\nrendered ok.yaml`]],
    [['validate', `nowhere${HOSTILE}.yaml`]],
    [['takes', 'film']],
    [['ledger', 'film']],
    [['list']],
    [['doctor']],
    [['status', `film${HOSTILE}`]],
  ])('does nothing to the terminal by: dailies %j', async (args) => {
    const { stdout, stderr } = await dailies(args, { folder });
    expect(stdout + stderr).not.toBe('');
    expectHarmless(stdout);
    expectHarmless(stderr);
  });

  it('is unchanged in JSON', async () => {
    const { stdout } = await dailies(['plan', 'film.yaml', '--json'], { folder });
    expect(JSON.parse(stdout)).toMatchObject({ title: HOSTILE });
  });
});
