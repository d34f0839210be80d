import { type Fork, forkProduction } from '../../client/fork';
import { renderCommand } from '../../client';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { table } from '../../client/wording/table';
import { print, printJson } from '../process/streams';

export interface ForkOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** Makes a new production that reuses takes of another one. Uses only the store and spends nothing. */
export async function fork(productionId: string, newId: string, { from, json }: ForkOptions): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const made = await forkProduction({ store, account: config.account, productionId, newId, from });
  if (json === true) printJson(made);
  else print(inWords(made));
  return EXIT.completed;
}

function inWords({ production, of, reused, left, new: anew }: Fork): readonly string[] {
  return [
    `${production}: a fork of ${of}`,
    ...table([
      ['reused', reused.map(({ shot, of: take }) => `${shot} (take ${take})`).join(', ')],
      ['new', anew.length === 0 ? 'none' : anew.join(', ')],
    ]),
    ...left.map(({ shot, because }) => `  "${shot}" is not reused: ${because}`),
    `  type: ${renderCommand(production, undefined)}`,
  ];
}
