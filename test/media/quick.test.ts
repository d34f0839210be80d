import { probe } from '../../media/probe';
import { readdirSync } from 'node:fs';
it('works', async () => {
  const out: string[] = [];
  for (const f of readdirSync('/tmp/scratch-media/clips')) {
    const t = Date.now();
    out.push(f + ' ' + await probe('/tmp/scratch-media/clips/'+f).then(i => JSON.stringify(Object.values(i)), e => String(e)) + (Date.now()-t));
  }
  process.stdout.write(out.join('\n')+'\n');
});
