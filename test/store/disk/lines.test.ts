import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

async function linesIn(text: string): Promise<readonly string[]> {
  const path = join(await temporaryFolder(), 'lines');
  await writeFile(path, text);
  const lines: string[] = [];
  for await (const line of linesOf(path)) lines.push(line);
  return lines;
}

describe('the lines of a file', () => {
  it('end at line feeds only', async () => {
    const first = 'a\u2028b\u2029c\rd';
    expect(await linesIn(`${first}\n\nlast`)).toEqual([first, '', 'last']);
    expect(await linesIn('a\r\nb\r\n')).toEqual(['a', 'b']);
    expect(await linesIn('')).toEqual([]);
  });

  it('are whole, also if they are longer than a read', async () => {
    const [long, longer] = ['é'.repeat(100_001), 'ü'.repeat(300_000)];
    expect(await linesIn(`${long}\n${longer}\nend\n`)).toEqual([long, longer, 'end']);
  });
});
