import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workingFolder } from '../../client/wording/working-folder';
import { isLocalHost } from '../../contracts/local-host';
import { Refused } from '../../client/wording/refused';
import { type RunningStudio, startStudio, type StudioOptions } from '../../studio';
import { keepHeapLean, keepNewSpaceSmall } from '../../workers/lean-memory';
import { readKeyFile } from '../../workers/config/key-file';
import { openOwnStore } from '../../workers/store/own-store';
import { otherKey } from '../../workers/store/other-key';
import { canOpenFiles, openFile } from '../process/open-file';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { listenForInterrupt } from '../process/interrupt';
import { askAboutNewLedger } from '../session/which-ledger';
import { hasWorker, LEAVING, openSession, tellOfHeld, tellOfSandbox } from '../session/session';
import { type Session } from '../session/open-session';
import { print, tell } from '../process/streams';

export interface StudioFlags {
  readonly port?: number;
  readonly host?: string;
  readonly tokenFile?: string;
  /** False for `--no-open`. */
  readonly open: boolean;
}

/** Serves the studio until Ctrl-C. Starts the embedded set if no Temporal server is configured. */
export async function studio({ port, host, tokenFile, open }: StudioFlags): Promise<ExitCode> {
  keepHeapLean();
  keepNewSpaceSmall();
  const token = tokenOf(host, tokenFile);
  const config = readConfig();
  const { interrupted } = listenForInterrupt();
  tellOfSandbox(config);
  // Ask at the start, since every page may lead to an action that spends credits.
  await askAboutNewLedger(config);
  const store = await openOwnStore(config);
  const key = await otherKey(config, store, { notesFirst: false });
  if (key !== undefined) tell(`${key.words} ${key.remedy}.`);
  const session = await openSession(config, store);
  const running = await tellOfHeld(session)
    .then(() => serve(session, { port, host, token }))
    .catch((error: unknown) => session.close().then(() => Promise.reject(error as Error)));
  print(`The studio is at ${running.address}`);
  if (host !== undefined && !isLocalHost(host)) tell(OPEN_TO_NETWORK);
  tell('Ctrl-C ends the studio. Running renders continue as long as their worker runs.');
  let launcher: string | undefined;
  try {
    if (open) launcher = await openBrowser(running.address);
    await Promise.race([interrupted, session.lost]);
    if (session.set !== null) tell(LEAVING);
  } finally {
    if (launcher !== undefined) await rm(launcher, { recursive: true, force: true });
    await running.close();
    await session.close();
  }
  return EXIT.completed;
}

function serve(
  session: Session,
  { port, host, token }: Pick<StudioOptions, 'port' | 'host' | 'token'>,
): Promise<RunningStudio> {
  const { config, store } = session;
  const { account, prices } = config;
  return startStudio({
    studio: {
      dailies: session.dailies,
      account,
      config,
      quotes: () => store.account(account).quotes(prices),
      hasWorker: () => hasWorker(session),
      workingFolder: workingFolder(),
      temporalUi: session.set?.uiUrl ?? null,
      isSandbox: config.gateway === null,
    },
    port,
    host,
    token,
    onError: (error) => {
      tell(`studio: ${error.stack ?? error.message}`);
    },
  });
}

const OPEN_TO_NETWORK =
  'Other machines can reach the studio, without encryption: anyone who has the token or can read the network traffic can spend your credits. A tunnel to 127.0.0.1 is safer.';

/**
 * The token of the studio's address; undefined if the studio makes its own.
 *
 * @throws Refused if `host` is not local and no token file is given, or if the file has no valid token; ConfigError if
 *   the file cannot be read, is empty, or is open to other users.
 */
function tokenOf(host: string | undefined, tokenFile: string | undefined): string | undefined {
  if (tokenFile !== undefined) return checkedToken(readKeyFile(tokenFile, workingFolder(), '--token-file'), tokenFile);
  if (host === undefined || isLocalHost(host)) return undefined;
  throw new Refused(
    `--host ${host} lets other machines direct your films and spend your credits; add --token-file FILE, a file with a secret of at least ${TOKEN_MIN} characters`,
  );
}

/** Minimum length of a token, in characters, so that nobody can guess the token over a network. */
const TOKEN_MIN = 24;

function checkedToken(token: string, file: string): string {
  if (/^[\w.~-]+$/.test(token) && token.length >= TOKEN_MIN) return token;
  throw new Refused(
    `${file} has no valid token: a token has at least ${TOKEN_MIN} characters, and only letters, digits, dots, dashes, underscores and tildes`,
  );
}

/**
 * Opens the address in the person's browser, through a file that only this user can read. The address contains the
 * token, and every user of the machine can see the arguments of a program.
 *
 * @returns the folder of that file; undefined if the machine has no opener or no display.
 */
async function openBrowser(address: string): Promise<string | undefined> {
  if (!canOpenFiles()) {
    tell(NO_BROWSER);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'dailies-studio-'));
  await chmod(folder, 0o700);
  const page = join(folder, 'open.html');
  const leads = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">Open the studio</a>`;
  await writeFile(page, leads, { mode: 0o600 });
  openFile(page, () => {
    tell(NO_BROWSER);
  });
  return folder;
}

const NO_BROWSER = 'No browser could be started; open the address yourself.';
