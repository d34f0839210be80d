import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFfmpeg, lastFrame, probe } from '../../../dist/media';
import { filmPath, outputPath, type Work } from './work';

/**
 * Fingerprints the outputs of the work: the hash of a still or text, the hash of a clip's last picture, and the length
 * of a film to a hundredth of a second. The same work gives the same fingerprints with every contender.
 *
 * @returns fingerprints by `JOB/SHOT` and `JOB/film`. Omits outputs that are missing or cannot be read.
 */
export async function fingerprint(work: Work): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const note = async (name: string, of: Promise<string>): Promise<void> => {
    const print = await of.catch(() => undefined);
    if (print !== undefined) found[name] = print;
  };
  for (const job of work.jobs) {
    for (const shot of job.shots) {
      const path = outputPath(work, job, shot);
      await note(`${job.id}/${shot.id}`, shot.output === 'video' ? lastPicture(path) : hashOf(path));
    }
    if (job.film) await note(`${job.id}/film`, lengthOf(filmPath(work, job)));
  }
  return found;
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** The hash of the last picture as PNG. ffmpeg writes the same PNG for the same pixels. */
async function lastPicture(path: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-frame-'));
  try {
    const png = join(folder, 'last.png');
    await lastFrame(await findFfmpeg(), path, png);
    return await hashOf(png);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function lengthOf(path: string): Promise<string> {
  const { videoDurationSeconds } = await probe(path);
  if (videoDurationSeconds === null) throw new Error(`${path} has no length`);
  return `${videoDurationSeconds.toFixed(2)} s`;
}
