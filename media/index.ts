export { assemble, type AssembleOptions } from './assemble';
export { FilmError, type FilmClip, type FilmCue, type FilmSpec } from './film';
export { correctColor, measureColor } from './color';
export { findFfmpeg, FfmpegMissingError, type Ffmpeg, ageWarning } from './find-ffmpeg';
export { firstFrame, lastFrame, NoFrameError } from './frames';
export { jobAhead } from './job-ahead';
export { pieceRecipe, renderPiece } from './piece';
export { NotMediaError, probe, type MediaInfo } from './probe';
export { FfmpegError, runFfmpeg, type RunOptions } from './run-ffmpeg';
