import { createInterface } from 'node:readline';
import { Refused } from '../../client/wording/refused';
import { escapeControls } from '../../contracts/terminal-text';
import { surroundings } from './surroundings';

/**
 * Asks on the terminal. Only y and yes mean yes; Ctrl-C and Ctrl-D mean no.
 *
 * @throws Refused if there is no terminal.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!canAsk()) {
    throw new Refused(`there is no terminal for the question "${question}"; to answer yes in advance, use --yes`);
  }
  return /^y(es)?$/i.test((await askLine(`${question} [y/N]`)) ?? '');
}

/** Asks for a line on the terminal and trims it; undefined on Ctrl-C and Ctrl-D. */
export async function askLine(question: string): Promise<string | undefined> {
  const { stdin, stderr } = surroundings();
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await new Promise<string | undefined>((resolve) => {
    terminal.once('close', () => {
      resolve(undefined);
    });
    terminal.question(`${escapeControls(question)} `, resolve);
  });
  terminal.close();
  return answer?.trim();
}

/** Whether stdin and stderr are terminals, so that a person can answer. */
export function canAsk(): boolean {
  const { stdin, stderr } = surroundings();
  return stdin.isTTY === true && stderr.isTTY === true;
}
