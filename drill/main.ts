import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runDrill } from './drill';
import { formatReport } from './report';

const USAGE = `Usage: npm run drill -- [--seed N] [--minutes M] [--productions K] [--resubmit] [--json]

Renders K productions of ten shots for M minutes of faults, then checks the promises of docs/guarantees.md.
See docs/drill.md.
With --resubmit, unclear takes are sent again by the production's own policy; without it they are parked.
`;

/** Exit codes: 0 if every promise holds, 1 if a promise is broken or the drill fails, 2 for wrong arguments. */
async function main(): Promise<number> {
  const args = readArguments();
  if (args === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'dailies-drill-'));
  const report = await runDrill({
    ...args,
    folder,
    onNotice: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  if (report.broken.length > 0) {
    process.stderr.write(`The files of the drill are in ${folder}\n`);
    return 1;
  }
  await rm(folder, { recursive: true, force: true });
  return 0;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '6' },
        productions: { type: 'string', default: '20' },
        resubmit: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const [seed, minutes, productions] = [values.seed, values.minutes, values.productions].map(Number);
    if (seed === undefined || minutes === undefined || productions === undefined) return undefined;
    if (!Number.isInteger(seed) || !(minutes > 0) || !Number.isInteger(productions) || productions < 1)
      return undefined;
    return { seed, minutes, productions, onUnclear: values.resubmit ? 'resubmit' : 'park', json: values.json } as const;
  } catch {
    return undefined;
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
