import { mkdtemp, rm, stat } from 'node:fs/promises';
import { findFfmpeg, runFfmpeg, lastFrame, firstFrame } from '../../media';
it('works', async () => {
  const ff = await findFfmpeg();
  console.log(ff.path, ff.version, ff.filters.size, ff.source, ff.filters.has('xfade'), ff.filters.has('drawtext'));
  const d = await mkdtemp('/tmp/q-');
  const seen: number[] = [];
  await runFfmpeg(ff, ['-f','lavfi','-i','testsrc2=s=1280x720:r=24:d=5','-c:v','libx264', d+'/a.mp4'], {onProgress: s=>seen.push(s)});
  await lastFrame(ff, d+'/a.mp4', d+'/l.png'); await firstFrame(ff, d+'/a.mp4', d+'/f.png');
  console.log(seen, (await stat(d+'/l.png')).size);
  await expect(runFfmpeg(ff, ['-i','nope','x.mp4'])).rejects.toThrow('nope');
  await rm(d,{recursive:true});
});
